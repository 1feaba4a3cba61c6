"""Dates in the language of the report's reader."""

import datetime as dt
from typing import Literal, get_args

DateLanguage = Literal["iso", "en", "en-US", "de", "fr", "es", "it", "nl", "pt", "pl", "sv", "da"]
LANGUAGES: tuple[str, ...] = get_args(DateLanguage)

_EN = "January February March April May June July August September October November December"
_MONTHS = {
    "en": _EN,
    "en-US": _EN,
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
    "diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre "
    "dicembre",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro "
    "dezembro",
    # Dates need the genitive.
    "pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października "
    "listopada grudnia",
    "sv": "januari februari mars april maj juni juli augusti september oktober november december",
    "da": "januar februar marts april maj juni juli august september oktober november december",
}
_FORMS = {
    "en-US": "{month} {day}, {year}",
    "de": "{day}. {month} {year}",
    "es": "{day} de {month} de {year}",
    "pt": "{day} de {month} de {year}",
    "da": "{day}. {month} {year}",
}
_PLAIN = "{day} {month} {year}"


def date_text(moment: str, language: DateLanguage) -> str:
    """The day of an ISO 8601 moment, as the language writes it; anything else as it is.

    >>> [date_text("2025-03-01T14:03:00Z", language) for language in ("iso", "en", "en-US", "de")]
    ['2025-03-01', '1 March 2025', 'March 1, 2025', '1. März 2025']
    >>> date_text("2025-03-01", "fr"), date_text("long ago", "fr")
    ('1er mars 2025', 'long ago')
    """
    try:
        day = dt.date.fromisoformat(moment[:10])
    except ValueError:
        return moment
    if language == "iso":
        return day.isoformat()
    month = _MONTHS[language].split()[day.month - 1]
    number = "1er" if language == "fr" and day.day == 1 else str(day.day)
    return _FORMS.get(language, _PLAIN).format(day=number, month=month, year=day.year)
