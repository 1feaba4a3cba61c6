"""Record visits with Chromium, replay them without an edit, and look at the servers for proof.

`PYTHONPATH=tests python tests/replay/bar.py [NAME ...]` prints a line for each of `flows.toml`;
with `--proxy` it records through `headcount record`.
"""

import contextlib
import json
import os
import signal
import sys
import tempfile
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

from headcount.lab import port
from processes import Ended, Headcount

HERE = Path(__file__).resolve().parent
CHROMIUM = "/usr/bin/chromium"
TOOLS = HERE.parents[1] / ".tools" / "mitmproxy" / "bin"
"""Where `make test` installs mitmproxy, whose packages do not fit beside those of Headcount."""
USERS = 3
FLOWS: dict[str, Flow] = {
    **ours.FLOWS,
    "graphql": graphql_page.FLOW,
    **packaged.FLOWS,
    **held_out.FLOWS,
}


def visit_site(flow: Flow, site: Site, folder: Path, **options: Any) -> None:
    """Visit the site as a user does; a failure is shown in the folder."""
    address = site.url
    if site.log_on is not None:
        name, password = map(quote, site.log_on)
        address = address.replace("://", f"://{name}:{password}@")
    proxy = options.pop("proxy", None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"], proxy=proxy
        )
        context = browser.new_context(**options)
        context.set_default_timeout(15_000)
        page = context.new_page()
        try:
            flow.visit(page, address)
        except Error as error:
            page.screenshot(path=folder / "visit.png")
            (folder / "visit.html").write_text(page.content(), "utf-8")
            error.add_note(f"{page.url}, shown in {folder}")
            raise
        finally:
            context.close()
            browser.close()


def record_by_browser(flow: Flow, site: Site, workload: Path, headcount: Headcount) -> Ended:
    """Visit the site, and import what the browser saw."""
    har = workload.with_suffix(".har")
    visit_site(flow, site, har.parent, record_har_path=har, record_har_content="embed")
    return headcount.run("import", "har", str(har), "-o", str(workload))


def record_by_proxy(flow: Flow, site: Site, workload: Path, headcount: Headcount) -> Ended:
    """Visit the site through the proxy of `headcount record`, and end it as a user does."""
    number = port.free()
    options = ("--target", site.url, "-o", str(workload), "--port", str(number))
    tools = {"PATH": f"{TOOLS}:{os.environ['PATH']}"}
    command = headcount.start("record", *options, **tools)
    command.reach(lambda: "Ctrl-C ends it" in command.err)
    proxy = {"server": f"http://127.0.0.1:{number}", "bypass": "<-loopback>"}
    visit_site(flow, site, workload.parent, proxy=proxy)
    command.send(signal.SIGINT)
    return command.ended()


def target_and_secrets(site: Site, workload: Path) -> tuple[list[str], dict[str, str]]:
    """The target with its user, and what a user exports: no edit of the file."""
    variables = tomllib.loads(workload.read_text("utf-8")).get("variables", {})
    wanted = [one["secret"] for one in variables.values() if isinstance(one, dict)]
    exported = {name: site.secrets[name.rpartition("_")[2]] for name in wanted}
    to = ["--target", site.url]
    if site.log_on is not None:
        to += ["--user", site.log_on[0]]
        exported["HEADCOUNT_PASSWORD"] = site.log_on[1]
    return to, exported


def failure_of_try(site: Site, workload: Path, headcount: Headcount) -> str:
    """Why one user cannot play it twice; empty where that works."""
    to, exported = target_and_secrets(site, workload)
    before = site.plays()
    for _ in range(2):
        done = headcount.run("try", str(workload), *to, **exported)
        if done.code != 0:
            return f"try: {done.out[-6000:]}{done.err}"
    proven = site.plays() - before
    return "" if proven == 2 else f"try: {proven} proven of 2\n{done.out}"


def failure_of_run(site: Site, workload: Path, headcount: Headcount, duration: str) -> str:
    """Why several users cannot play it at once; empty where that works."""
    to, exported = target_and_secrets(site, workload)
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


def outcome(name: str, folder: Path, duration: str = "", *, by_proxy: bool = False) -> str:
    """Why a flow does not replay; empty where it does. Raises what a site or a browser raises.

    One user tries it twice. Then, if a duration is given, several users play it.
    """
    flow = FLOWS[name]
    (folder / "site").mkdir()
    headcount, workload = Headcount(folder / "home"), folder / "visit.toml"
    record = record_by_proxy if by_proxy else record_by_browser
    with contextlib.closing(headcount), flow.serve(folder / "site") as site:
        done = record(flow, site, workload, headcount)
        if done.code != 0:
            return f"recording: {done.err}"
        print(done.out)
        if site.plays() != 1:
            return f"recording: {site.plays()} proven of 1"
        why = failure_of_try(site, workload, headcount)
        return why or (failure_of_run(site, workload, headcount, duration) if duration else "")


def main(arguments: list[str]) -> int:
    """Play the flows named, or all; returns how many did not replay."""
    by_proxy = "--proxy" in arguments
    names = [one for one in arguments if one != "--proxy"]
    lines, failed = [], 0
    for name in names or tomllib.loads((HERE / "flows.toml").read_text("utf-8")):
        folder = Path(tempfile.mkdtemp(prefix=f"replay-{name}-"))
        why = outcome(name, folder, "20s", by_proxy=by_proxy)
        failed += bool(why)
        print(f"== {name}: {why or 'replays'} ({folder})")
        lines.append(f"{name:14} {'replays' if not why else why.splitlines()[0][:80]}")
    print("\n".join(lines))
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
