"""What a server would hold with other hardware, or with other users, from a run of it."""

from headcount.analyse.prediction.predict import Asked, predict
from headcount.analyse.prediction.prediction import Prediction

__all__ = ["Asked", "Prediction", "predict"]
