"""Steps that are done, a line of JSON each, so that a proof that was cut off goes on."""

import json
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from headcount.errors import HeadcountError
from headcount.tune.tunable import NotAccepted

FILE = "steps.ndjson"
Record = Mapping[str, Any]


class Log:
    """The file of a proof."""

    def __init__(self, folder: Path) -> None:
        """Read what is there; a line that was cut off stays, and the next begins below it."""
        self.folder = folder
        self._file = folder / FILE
        text = self._file.read_text("utf-8") if self._file.exists() else ""
        self._begin = "\n" if text and not text.endswith("\n") else ""
        self._done = {(one["name"], one["step"]): one for one in records(folder)}

    @property
    def is_empty(self) -> bool:
        """Whether nothing has been done yet."""
        return not self._done

    @property
    def runs(self) -> Path:
        """The folder of bundles."""
        return self.folder / "runs"

    def relative(self, bundle: Path) -> str:
        """A bundle as steps name it, so that the folder can be moved."""
        return str(bundle.resolve().relative_to(self.folder.resolve()))

    def same_run(self, options: Record) -> bool:
        """Whether what is there was played with the same options; notes those of the first run."""
        if self.is_empty:
            self.step("all", "options", lambda: options)
        noted = self._done["all", "options"]
        return {key: noted[key] for key in options} == dict(options)

    def step(self, name: str, step: str, make: Callable[[], Record]) -> Record:
        """The result of a step: from the file, or by running it, and then written."""
        done = self._done.get((name, step))
        if done is None:
            done = {"name": name, "step": step, **make()}
            self._done[name, step] = done
            self.folder.mkdir(parents=True, exist_ok=True)
            with self._file.open("a", encoding="utf-8") as file:
                file.write(f"{self._begin}{json.dumps(done)}\n")
            self._begin = ""
            print(f"{name}: {step}: {_text(done)}", flush=True)
        return done


def records(folder: Path) -> Iterator[Record]:
    """All steps of a folder; what was being written when it was cut off is left out."""
    file = folder / FILE
    if not file.exists():
        return
    for line in file.read_text("utf-8").splitlines():
        try:
            yield json.loads(line)
        except json.JSONDecodeError:
            continue


def tried(name: str, play: Callable[[], object]) -> bool:
    """Whether a part of a proof was completed; prints why not."""
    try:
        play()
    except (HeadcountError, OSError, NotAccepted, subprocess.TimeoutExpired) as error:
        print(f"{name}: no answer: {error}", flush=True)
        return False
    return True


def _text(record: Record) -> str:
    shown = {key: value for key, value in record.items() if key not in ("name", "step", "bundle")}
    return json.dumps(shown)
