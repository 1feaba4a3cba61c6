"""Words that sections share: sentences, moments."""


def sentence(text: str) -> str:
    """Text as a sentence: a capital first, a full stop last.

    >>> sentence("the CPU would be full"), sentence("Is it so?")
    ('The CPU would be full.', 'Is it so?')
    """
    whole = ended(text)
    return whole[:1].upper() + whole[1:]


def ended(text: str) -> str:
    """Text with a full stop. Its first letter stays, since it may be the name of a server.

    >>> ended("nginx: it was not steady"), ended("")
    ('nginx: it was not steady.', '')
    """
    trimmed = text.strip()
    return trimmed if not trimmed or trimmed[-1] in ".?!:" else f"{trimmed}."


def moment(started_at: str) -> str:
    """An ISO 8601 moment in UTC as people read it; anything else stays as it is.

    >>> moment("2025-11-20T14:03:00Z"), moment("long ago")
    ('2025-11-20 14:03 UTC', 'long ago')
    """
    date, found, time = started_at.partition("T")
    return f"{date} {time[:5]} UTC" if found and time.endswith(("Z", "+00:00")) else started_at


def before_figures(text: str) -> str:
    """The part of a sentence before its figures, without a full stop.

    >>> before_figures("The disk, reading: a task waited 97.5% of the time.")
    'The disk, reading'
    >>> before_figures("Use more threads (nginx: worker_processes).")
    'Use more threads (nginx: worker_processes)'
    """
    head, colon, _ = text.partition(": ")
    return head if colon and head.count("(") == head.count(")") else text.rstrip(".")


def before_brackets(title: str) -> str:
    """A title without what it adds in brackets.

    >>> before_brackets("Home folders (re-creates FSCT's HomeFolders)"), before_brackets("(a)")
    ('Home folders', '(a)')
    """
    return title.partition(" (")[0] or title
