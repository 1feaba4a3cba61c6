"""Files of strangers: what is read, what is refused, and that the refusal says which and why."""

import gzip
import json
import os
import random
from pathlib import Path

import pytest

from headcount.errors import InputError
from headcount.foreign.file import content, lines, opened, text_lines, unpacked
from headcount.foreign.json_text import DEEPEST, check_depth, json_value


def test_a_file_is_read_whole_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"12345")
    assert content(path, 5) == b"12345"
    with pytest.raises(InputError, match=r"a has 5 bytes, more than 4"):
        content(path, 4)
    with pytest.raises(InputError, match="the plan cannot be read: No such file"):
        content(tmp_path / "b", 4, what="the plan")


def test_nothing_but_a_regular_file_is_opened(tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to("file")
    (tmp_path / "file").write_text("x")
    for path in (pipe, Path("/dev/zero"), tmp_path):
        with pytest.raises(InputError, match=f"{path} cannot be read: it is a [a-z]+, not a file$"):
            content(path, 9)
    assert content(link, 9) == b"x"
    with pytest.raises(OSError, match="it is a symbolic link"):
        opened(link, follow=False)


def test_a_file_of_the_kernel_is_read_though_it_has_no_size() -> None:
    assert content(Path("/proc/self/comm"), 100)
    with pytest.raises(InputError, match="more than 2;"):
        content(Path("/proc/self/comm"), 2)


def test_the_length_of_lines_is_limited(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"one\ntwo\n\nlast")
    assert list(lines(path, 99, 4)) == [b"one\n", b"two\n", b"\n", b"last"]
    with pytest.raises(InputError, match="a is damaged: line 1 has more than 3 bytes"):
        list(lines(path, 99, 3))


@pytest.mark.parametrize("encoding", ["ascii", "utf-8-sig", "cp1252", "utf-16"])
def test_lines_of_a_text_are_those_that_python_reads(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "a"
    path.write_bytes(
        "one\ntwo\r\n\r\nmac\rand\r\nodd\r\r\n\0\x0c\u2028\nlast".encode(encoding, "replace")
    )
    with path.open(encoding=encoding, errors="replace") as file:
        assert list(text_lines(path, encoding, 99, 20)) == list(file)
    with pytest.raises(InputError, match=r"line 1 has more than 2 (characters|bytes)"):
        list(text_lines(path, encoding, 99, 2))


def test_compressed_data_that_is_too_large_or_torn_is_refused() -> None:
    assert unpacked(gzip.compress(b"12345"), 5) == b"12345"
    with pytest.raises(ValueError, match="unpacks to more than 4 bytes"):
        unpacked(gzip.compress(b"12345"), 4)
    for torn in (gzip.compress(b"12345")[:-1], b"12345"):
        with pytest.raises(ValueError, match=r".+"):
            unpacked(torn, 9)


@pytest.mark.parametrize(
    "text",
    [
        '{"a":[1,2.5,-3e5,null,true,"]]]]"]}',
        json.dumps('\\"[' * 500),
        json.dumps(["\\", "\\\\", '"', "[" * 900, "e1234", "9" * 90]),
        json.dumps({"at": 0.00012345678901234567, "sha256": "e123" * 16, "big": 10**25 - 1}),
        "[" * DEEPEST + "]" * DEEPEST,
        "[-0,-0.0,1e99,5e-324,2.2250738585072014e-308,0.1,123456789012345678901234,1E5]",
        '["["," ]",{"]":"[\\"]"},""]',
        '"\\ud83d\\ude00"',
    ],
)
def test_json_is_read_as_the_standard_library_reads_it(text: str) -> None:
    assert json_value(text.encode()) == json.loads(text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"[" * 100_000, "nested too deeply"),
        (b"[" * (DEEPEST + 1) + b"]" * (DEEPEST + 1), "nested too deeply"),
        (b'{"a":' * 80 + b"1" + b"}" * 80, "nested too deeply"),
        (b'"' + b"[" * 100_000, "not closed|Unterminated"),
        (b"[" + b"9" * 5000 + b"]", "a number of 5,000 digits"),
        (b"-" + b"9" * 26, "digits"),
        (b"[1e400]", "too large"),
        (b"[-1.5E+100]", "too large"),
        (b"NaN", "NaN is not a number"),
        (b"[-Infinity]", "-Infinity is not a number"),
        (b'"\\ud800"', "surrogates"),
        (b'"\xff"', "utf-8"),
        (b"", "Expecting value"),
        (b"{}\0", "Extra data"),
    ],
)
def test_malicious_json_is_refused(text: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        json_value(text)


def test_the_depth_is_that_of_brackets_outside_strings() -> None:
    chance = random.Random(5)

    def nested(depth: int) -> object:
        if depth == 0:
            return "".join(chance.choice('[]{}"\\a') for _ in range(chance.randint(0, 12)))
        inner = [nested(depth - 1), "}]"]
        return inner if chance.random() < 0.5 else {'k"[': inner[0], "\\": 1}

    for depth in range(1, 12):
        for _ in range(20):
            check_depth(json.dumps(nested(depth)).encode())
