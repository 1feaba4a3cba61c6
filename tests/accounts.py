"""A workload of people who log on to the shop as themselves, and the file of their accounts."""

from collections.abc import Sequence
from pathlib import Path

WORKLOAD = """
name = "accounts"
title = "People with accounts"
protocol = "http"
criteria = ["errors<1%"]
pace = { kind = "closed", time = { draw = "fixed", mean = "200ms" } }
run = { duration = "2s", settle = "0s", ramp = "0s" }

[[setup]]
name = "form"
op = "get"
path = "/"
capture = { csrf = { css = "input[name=csrf]", attribute = "value" } }

[[setup]]
name = "log-in"
op = "post"
path = "/login"
form = { user = "{username}", password = "{password}", csrf = "{csrf}" }
check = [{ lacks = "wrong password" }, { css = "h1", equals = "Hello {username}" }]

[[scenarios]]
name = "look"
weight = 1
limit = "2s"
steps = [{ name = "products", op = "get", path = "/products", check = [{ contains = "Thing" }] }]
"""
NAMES = ("augusta", "bertrand", "celestine", "dorothea")


def logins(folder: Path) -> Path:
    """The file of all of them, and beside it the workload."""
    (folder / "accounts.toml").write_text(WORKLOAD, "utf-8")
    return written(folder / "people.csv", NAMES)


def written(file: Path, names: Sequence[str]) -> Path:
    """A file of these people, whose passwords are their names backwards."""
    rows = "".join(f"{name[::-1]},{name},x\n" for name in names)
    file.write_text(f"password,username,note\n{rows}", "utf-8")
    file.chmod(0o600)
    return file
