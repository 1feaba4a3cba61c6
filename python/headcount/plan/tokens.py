"""Access tokens of a workload: the step that gets them, and the server that issues them."""

from typing import Any

from headcount.plan.secrets import environment_secret
from headcount.plan.workload import Workload
from headcount.protocols.oauth2 import OAuth2, SecretValue

STEP = "token"
"""The name of the step in results."""
_SECRETS = ("client_secret", "password", "refresh_token")


def oauth2_of(workload: Workload) -> OAuth2 | None:
    """How users get access tokens; None if they need none."""
    return workload.table(OAuth2)


def token_steps(workload: Workload, *, with_secrets: bool = True) -> list[dict[str, Any]]:
    """The first step of the setup if users need a token, in the engine's form.

    `with_secrets`: without, they are empty. Raises InputError for a missing secret.
    """
    oauth2 = oauth2_of(workload)
    if oauth2 is None:
        return []
    values = oauth2.model_dump(mode="json", exclude_none=True, exclude={"token_url", *_SECRETS})
    for key in _SECRETS:
        given = getattr(oauth2, key)
        if isinstance(given, SecretValue):
            what = f"[oauth2] {key}"
            value = environment_secret(what, given.secret) if with_secrets else ""
            values[key] = {"value": value}
        elif given is not None:
            values[key] = given
    elsewhere = {"elsewhere": True} if oauth2.server is not None else {}
    return [{"name": STEP, "op": "oauth2-token", "path": oauth2.path, **elsewhere, **values}]


def token_server(workload: Workload) -> tuple[str, int] | None:
    """Host and port of a token server that is not the target; None if there is none."""
    oauth2 = oauth2_of(workload)
    if oauth2 is None or oauth2.server is None:
        return None
    return oauth2.server[1:]
