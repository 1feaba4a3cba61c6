"""What a server would hold with other hardware or other users, predicted from one of its runs."""

from headcount.analyse.prediction.predict import Asked, predict
from headcount.analyse.prediction.prediction import Prediction

__all__ = ["Asked", "Prediction", "predict"]
