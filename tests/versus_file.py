"""A `versus.json` as a run writes it."""

from headcount.bundle.versus import Versus, VersusPair, VersusRest, VersusSide, VersusTurn


def versus() -> Versus:
    """Two pairs in the order ABBA, the second cut short."""
    turns = [
        VersusTurn(side="A", level=1, users=20, began_s=1.0, ended_s=9.0),
        VersusTurn(side="B", level=1, users=20, began_s=10.0, ended_s=18.0),
        VersusTurn(side="B", level=2, users=20, began_s=19.0, ended_s=27.0),
    ]
    return Versus(
        id="0" * 32,
        here="A",
        kind="levels",
        order="abba",
        seed=7,
        wanted_pairs=2,
        sides=[
            VersusSide(name="A", target="lab:app", bundle="one"),
            VersusSide(name="B", target="lab:app", bundle="other"),
        ],
        pairs=[
            VersusPair(number=1, round=1, order="AB", turns=turns[:2]),
            VersusPair(number=2, round=2, order="BA", turns=turns[2:]),
        ],
        rests=[VersusRest(side="A", began_s=9.0, ended_s=28.0, cpu_cores=0.01)],
        ending="interrupted",
    )
