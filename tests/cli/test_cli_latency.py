"""What `headcount shares --latency` refuses, and how to write it instead."""

import pytest

from processes import Headcount

LAB = ("--target", "lab:nginx")


@pytest.mark.parametrize(
    ("arguments", "texts"),
    [
        (("--target", "smb://127.0.0.1/data", "--latency", "0,15ms"), ["lab:samba or lab:nginx"]),
        (("--target", "lab:app", "--latency", "0,15ms"), ["lab:samba or lab:nginx"]),
        (("--latency", "0,15ms"), ["lab:samba or lab:nginx"]),
        ((*LAB, "--latency", "0,15"), ['"15"', "15ms or 200us"]),
        ((*LAB, "--latency", "0,far"), ['"far"', "15ms or 200us"]),
        ((*LAB, "--latency", "0,11s"), ['"11s"', "0.1ms to 10s"]),
        ((*LAB, "--latency", "15ms"), ["two or more", "0,15ms,100ms"]),
        ((*LAB, "--latency", "15ms,0.015s"), ["two or more", "0,15ms,100ms"]),
        ((*LAB, "--latency", "0,15ms", "--repeats", "1"), ["--repeats", "two or more"]),
        ((*LAB, "--latency", "0,15ms", "--capacity"), ["--capacity exclude each other"]),
        ((*LAB, "--latency", "0,15ms", "--pid", "1"), ["--pid exclude each other"]),
        ((*LAB, "--latency", "0,15ms", "--shares", "5"), ["--shares exclude each other"]),
        ((*LAB, "--latency", "0,15ms", "--open-files", "5"), ["--open-files exclude each other"]),
        ((*LAB, "--latency", "0,15ms", "--duration", "soon"), ['"soon"']),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_impossible_experiments_are_refused(
    headcount: Headcount, arguments: tuple[str, ...], texts: list[str]
) -> None:
    ended = headcount.run("shares", *arguments)
    assert ended.code == 2, ended
    for text in texts:
        assert text in ended.message
    assert headcount.bundles() == []
    assert headcount.leftovers() == []
