"""Settings given on the command line as KEY=VALUE."""

from headcount.errors import InputError

EXAMPLES = {"set": "threads=4", "client": "signing=required", "limit": "cpu=0.5"}


def setting(text: str, option: str) -> tuple[str, str]:
    """One setting; raises InputError if there is no `=` in it."""
    key, equals, value = text.partition("=")
    if not equals:
        example = EXAMPLES[option.rpartition("-")[2]]
        raise InputError(f"{option} {text}: write it like {option} {example}")
    return key.strip().replace("-", "_"), value.strip()


def limit_of(text: str, option: str = "--limit") -> tuple[str, str]:
    """A limit, whose name has the hyphens of a word."""
    name, value = setting(text, option)
    return name.replace("_", "-"), value


def client_settings(
    given: list[str] | None, user: str | None, option: str = "--client"
) -> dict[str, str]:
    """The plan's `[client]` table from `--client` and `--user`."""
    settings = dict(setting(text, option) for text in given or [])
    return settings if user is None else {**settings, "user": user}
