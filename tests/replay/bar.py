"""Record visits with Chromium, replay them without an edit, and look at the servers for proof.

`PYTHONPATH=tests python tests/replay/bar.py [NAME ...]` prints a line for each of `flows.toml`.
"""

import contextlib
import json
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import quote

import graphql_page
import held_out
import ours
import packaged
from playwright.sync_api import Error, sync_playwright
from visited_site import Flow, Site

from processes import Headcount

HERE = Path(__file__).resolve().parent
CHROMIUM = "/usr/bin/chromium"
USERS = 3
FLOWS: dict[str, Flow] = {
    **ours.FLOWS,
    "graphql": graphql_page.FLOW,
    **packaged.FLOWS,
    **held_out.FLOWS,
}


def record(flow: Flow, site: Site, path: Path) -> None:
    """Visit the site as a user does, and write what the browser saw."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        options: dict[str, Any] = {"record_har_path": path, "record_har_content": "embed"}
        address = site.url
        if site.log_on is not None:
            name, password = map(quote, site.log_on)
            address = address.replace("://", f"://{name}:{password}@")
        context = browser.new_context(**options)
        context.set_default_timeout(15_000)
        page = context.new_page()
        try:
            flow.visit(page, address)
        except Error as error:
            page.screenshot(path=path.with_suffix(".png"))
            path.with_suffix(".html").write_text(page.content(), "utf-8")
            error.add_note(f"{page.url}, shown in {path.parent}")
            raise
        finally:
            context.close()
            browser.close()


def replayed(site: Site, har: Path, headcount: Headcount, duration: str) -> str:
    """Why the recording does not replay; empty where it does.

    One user tries it twice. Then, if a duration is given, several users play it.
    """
    workload = har.with_name("visit.toml")
    done = headcount.run("import", "har", str(har), "-o", str(workload))
    if done.code != 0:
        return f"import: {done.err}"
    print(done.out)
    return tried(site, workload, headcount) or (
        duration and ran(site, workload, headcount, duration)
    )


def given(site: Site, workload: Path) -> tuple[list[str], dict[str, str]]:
    """The target with its user, and what a user exports: no edit of the file."""
    variables = tomllib.loads(workload.read_text("utf-8")).get("variables", {})
    wanted = [one["secret"] for one in variables.values() if isinstance(one, dict)]
    exported = {name: site.secrets[name.rpartition("_")[2]] for name in wanted}
    to = ["--target", site.url]
    if site.log_on is not None:
        to += ["--user", site.log_on[0]]
        exported["HEADCOUNT_PASSWORD"] = site.log_on[1]
    return to, exported


def tried(site: Site, workload: Path, headcount: Headcount) -> str:
    """Why one user cannot play it twice; empty where that works."""
    to, exported = given(site, workload)
    before = site.plays()
    for _ in range(2):
        done = headcount.run("try", str(workload), *to, **exported)
        if done.code != 0:
            return f"try: {done.out[-6000:]}{done.err}"
    proven = site.plays() - before
    # The user of `try` may have begun once more when it ends.
    return "" if proven >= 2 else f"try: {proven} proven of 2\n{done.out}"


def ran(site: Site, workload: Path, headcount: Headcount, duration: str) -> str:
    """Why several users cannot play it at once; empty where that works."""
    to, exported = given(site, workload)
    before = site.plays()
    done = headcount.run(
        *("run", str(workload), *to, "--users", str(USERS), "--no-trial"),
        *("--duration", duration, "--settle", "1s", "--think", "0.2s", "--json"),
        **exported,
    )
    if not done.out:
        return f"run: {done.err}"
    levels = json.loads((Path(done.json["bundle"]) / "levels.json").read_bytes())["levels"]
    (scenario,) = levels[0]["scenarios"]
    completed, failed, proven = scenario["completed"], scenario["failed"], site.plays() - before
    shown = f"{completed} plays, {failed} failed, {proven} proven"
    print(shown)
    is_enough = completed >= 2 * USERS and proven >= completed
    return "" if is_enough and not failed else f"run: {shown}"


def outcome(name: str, folder: Path, duration: str = "") -> str:
    """Why a flow does not replay; empty where it does. Raises what a site or a browser raises."""
    flow = FLOWS[name]
    (folder / "site").mkdir()
    headcount = Headcount(folder / "home")
    with contextlib.closing(headcount), flow.serve(folder / "site") as site:
        har = folder / "visit.har"
        record(flow, site, har)
        if site.plays() != 1:
            return f"recording: {site.plays()} proven of 1"
        return replayed(site, har, headcount, duration)


def main(names: list[str]) -> int:
    """Play the flows named, or all; returns how many did not replay."""
    known = tomllib.loads((HERE / "flows.toml").read_text("utf-8"))
    lines, failed = [], 0
    for name in names or known:
        folder = Path(tempfile.mkdtemp(prefix=f"replay-{name}-"))
        began_s = time.monotonic()
        why = outcome(name, folder, "20s")
        failed += bool(why)
        print(f"== {name}: {why or 'replays'} ({time.monotonic() - began_s:.0f} s, {folder})")
        lines.append(f"{name:14} {'replays' if not why else why.splitlines()[0][:80]}")
    print("\n".join(lines))
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
