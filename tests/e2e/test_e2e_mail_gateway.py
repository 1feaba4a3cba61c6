"""A real gateway that tags subjects and appends footers: a fault by default, fine where stated."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from headcount.bundle import reader
from headcount.bundle.level import LevelResult
from mail_gateway import FOOTER, TAG, gateway
from mail_office import MailOffice, serving, visitor
from processes import Headcount

pytestmark = pytest.mark.e2e

FAST = ("--compress", "600", "--scale", "0.1", "--ramp", "0s", "--settle", "0s", "--seed", "3")
LOAD = ("--users", "5", "--duration", "6s", "--criteria", "errors<1%")


@pytest.fixture(scope="module")
def office() -> Iterator[MailOffice]:
    with serving(front="lmtp") as server:
        yield server


@pytest.fixture
def headcount(tmp_path: Path, office: MailOffice) -> Iterator[Headcount]:
    with visitor(tmp_path, office) as command:
        yield command


def level_of(headcount: Headcount) -> LevelResult:
    (level,) = reader.load(headcount.bundle).levels
    return level


def altered(level: LevelResult) -> list[str]:
    return [text for fault in level.faults if fault.kind == "wrong-data" for text in fault.examples]


if os.geteuid() == 0:  # only root can start Postfix

    def test_stated_marks_of_the_gateway_are_not_faults(
        headcount: Headcount, office: MailOffice
    ) -> None:
        with gateway(office.server.lmtp) as address:
            ended = headcount.run(
                *("run", "mail-medium", *office.target_by(f"smtp://{address}"), *FAST, *LOAD),
                *("--client", f"subject_tag={TAG}", "--client", f"footer={FOOTER}"),
            )
        level = level_of(headcount)
        assert level.faults == [], ended
        read = [task for task in level.tasks if task.name == "read"]
        assert len(read) == 1
        assert read[0].service is not None
        delivered = [
            letter.path.read_bytes() for user in range(5) for letter in office.letters(user)
        ]
        marked = [text for text in delivered if f"Subject: {TAG} ".encode() in text]
        assert marked, "the gateway tagged mail"
        assert all(b"Be careful with what is attached." in text for text in marked)

    @pytest.mark.parametrize(
        ("tags", "signs", "first", "stated", "hint"),
        [
            (True, False, 20, "footer=allowed", f'--client subject_tag="{TAG}"'),
            (False, True, 40, f"subject_tag={TAG}", "--client footer=allowed"),
            (False, True, 60, "footer=Another footer.", "bytes follow its text"),
        ],
        ids=["tag", "footer", "another footer"],
    )
    def test_unstated_marks_are_faults_that_name_the_option(
        headcount: Headcount,
        office: MailOffice,
        tags: bool,
        signs: bool,
        first: int,
        stated: str,
        hint: str,
    ) -> None:
        with gateway(office.server.lmtp, tags=tags, signs=signs) as address:
            ended = headcount.run(
                *("run", "mail-medium", *office.target_by(f"smtp://{address}"), *FAST, *LOAD),
                *("--client", f"first_user={first}", "--client", stated),
            )
        assert ended.code == 1, ended
        wrong = altered(level_of(headcount))
        assert any(hint in text for text in wrong), wrong
