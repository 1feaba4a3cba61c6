"""The price tables of IBM's performance report of 1997 (NotesBench, Domino 4.5x), as printed.

Each row: system, then for Mail and for MailDB: users, NotesMarks a minute, price per user, price
per NotesMark. The PC Server 325 has in this table the NotesMarks of the PC Server 330.
"""

from decimal import Decimal

Figures = tuple[int, int, str, str]

TABLE: dict[str, tuple[Figures, Figures | None]] = {
    "PC Server 330": ((2200, 2917, "13.45", "10.14"), (1700, 3914, "17.40", "7.56")),
    "PC Server 704, 2 CPUs": ((2850, 3761, "15.18", "11.51"), (2050, 4697, "21.11", "9.21")),
    "PC Server 704, 3 CPUs": ((3300, 4331, "16.28", "12.41"), (2300, 5242, "23.36", "10.25")),
    "Netfinity 7000": ((3500, 4623, "18.91", "14.32"), (2900, 6294, "24.70", "11.38")),
    "NetServer LX Pro": ((3175, 4061, "19.81", "15.49"), None),
    "AlphaServer 4100 5/400": ((3100, 4050, "29.38", "22.49"), None),
    "AlphaServer 4100 5/466": ((3350, 4230, "31.07", "24.61"), None),
    "PC Server 325": ((1795, 2917, "10.84", "8.26"), (1400, 3914, "13.90", "6.07")),
    "ProLiant 800": ((1500, 1997, "13.48", "10.12"), (1260, 2955, "16.05", "6.82")),
    "ProLiant 5000": ((1920, 2546, "19.97", "15.06"), (1440, 3250, "26.63", "11.80")),
    "AlphaServer 800 5/400": ((1800, 2479, "23.11", "16.78"), (1450, 3317, "27.37", "11.96")),
    "AlphaServer 1000A 5/500": ((2200, 2878, "25.78", "19.71"), (1800, 3904, "31.50", "14.52")),
}

STATED = {"PC Server 330": Decimal(29581), "PC Server 325": Decimal(19454)}
"""Total system prices that the report states; of the others it prints none."""

OWN_325: tuple[Figures, Figures] = (
    (1795, 2356, "10.84", "8.26"),
    (1400, 3203, "13.90", "6.07"),
)
"""The PC Server 325 in its own table, with its own NotesMarks."""
