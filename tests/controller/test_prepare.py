"""What a server refuses while its data set is made, with what to do about it."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import cast

import pytest

from headcount.controller.access import Access
from headcount.controller.access.prepare import prepare
from headcount.errors import HeadcountError, InputError, SystemLimitError, TargetError

QUOTA = "user u00001: APPEND: [OVERQUOTA] Quota exceeded (mailbox for user is full)"
ADVICE: Mapping[str, str] = {
    QUOTA: "Raise the quota",
    "user u00000: end of data: 452 4.2.2 <u00000@example.org> Mailbox is full": "Raise the quota",
    "user user00001: WRITE: STATUS_DISK_FULL (0xC000007F): the disk is full": "Free space",
    "write: EDQUOT: the quota is used up": "Free space",
    "could not extend file: No space left on device (SQLSTATE 53100)": "Free space",
    "no connection to 127.0.0.1:80: Connection refused (os error 111)": "Check that the server",
}
"""Messages of the engine, of every protocol, with the start of the advice."""


def refusing(error: HeadcountError, cause: Exception | None = None) -> Access:
    def refuse(*_: object, **__: object) -> None:
        raise error from cause

    return cast("Access", SimpleNamespace(prepare=refuse))


@pytest.mark.parametrize("kind", [InputError, SystemLimitError, TargetError])
@pytest.mark.parametrize("message", ADVICE)
def test_advice_is_added_to_known_errors(kind: type[HeadcountError], message: str) -> None:
    with pytest.raises(kind) as raised:
        prepare(refusing(kind(message)), 1, lambda *_: None)
    first, _, rest = str(raised.value).partition("\n")
    assert first == message
    assert ADVICE[message] in rest


def test_unknown_errors_stay_as_they_are() -> None:
    with pytest.raises(TargetError, match=r"^cancelled$"):
        prepare(refusing(TargetError("cancelled")), 1, lambda *_: None)


def test_advice_that_an_access_gave_is_not_doubled() -> None:
    error = TargetError(f"{QUOTA}; do this")
    with pytest.raises(TargetError) as raised:
        prepare(refusing(error, TargetError(QUOTA)), 1, lambda *_: None)
    assert raised.value is error
