"""PHP-FPM's configuration: read and changed as `php-fpm -tt` and a running one understand it."""

import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from tuned import candidates, posing, put, reload, wait_until

from headcount.errors import InputError
from headcount.lab import keeper
from headcount.tune.change import Configuration
from headcount.tune.host import ThisHost
from headcount.tune.knobs.library import of_server
from headcount.tune.servers.php_fpm import PhpFpm, kind_of
from headcount.tune.servers.php_fpm_text import in_seconds, lines
from headcount.tune.servers.registry import find, find_all
from headcount.tune.servers.server import Setting
from headcount.tune.tunable import NotAccepted, Tunable
from php_site import USER, Site, php_fpm, php_site

KNOBS = {one.name: one for one in of_server("php-fpm").knob}
IDLE = KNOBS["pm.process_idle_timeout"]
HOST = ThisHost()
PAGE = "<?php echo ini_get('realpath_cache_size'), ' ', getmypid();"
DYNAMIC = "pm = dynamic\npm.max_children = 5\npm.min_spare_servers = 1\npm.max_spare_servers = 3\n"


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with php_site(DYNAMIC, PAGE) as made:
        yield made


def server_of(site: Site) -> PhpFpm:
    found = find(HOST, [site.fpm])
    assert isinstance(found, PhpFpm)
    return found


def dumped_settings(site: Site, pool: str = "www") -> Mapping[str, str]:
    """What PHP-FPM itself makes of the files, with its defaults."""
    command = [php_fpm(), "-R", "-y", str(site.folder / "fpm.conf"), "-tt"]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    text = ended.stderr.partition(f"NOTICE: [{pool}]\n")[2].partition("NOTICE:  \n")[0]
    found = re.findall(r"NOTICE: \t(\S+) = (.*)", text)
    return {re.sub(r"^php_admin_value\[(.*)\]$", r"\1", name): value for name, value in found}


def test_lines_are_read_with_their_sections() -> None:
    text = (
        '[global]\n; pm = x\ninclude=/x/*.conf\n [www]\n  pm = "a;b"  \n'
        "pm.process_idle_timeout = 10s;\nphp_admin_flag[opcache.enable] = on ; yes\n"
    )
    assert [(one.section, one.name, one.value) for one in lines(text)] == [
        ("global", "", ""),
        ("global", "include", "/x/*.conf"),
        ("www", "", ""),
        ("www", "pm", "a;b"),
        ("www", "pm.process_idle_timeout", "10s"),
        ("www", "opcache.enable", "on"),
    ]
    for one in lines(text):
        assert text[one.start : one.end].startswith(one.name[:3] if one.name[:2] == "pm" else "")
        assert "\n" not in text[one.start : one.end]
    assert [in_seconds(one) for one in ("2m", "10", "1h", "x")] == ["120", "10", "3600", "x"]


def test_programs_have_the_version_in_their_names() -> None:
    assert {kind_of(one) for one in ("php-fpm8.2", "php-fpm", "php7.4-fpm")} == {"php-fpm"}
    assert kind_of("nginx") == "nginx"


def test_php_fpm_knows_every_default(site: Site) -> None:
    server, known = server_of(site), dumped_settings(site)
    for one in KNOBS.values():
        found = server.setting(one)
        if one == IDLE:
            assert found == Setting(None, is_set=False)
        elif one.where:
            assert found == Setting(one.default, is_set=False, place="php.ini"), one.name
        else:
            value = known[one.name].removesuffix("s") if one.unit == "s" else known[one.name]
            assert found.value == value, one.name
            assert found.is_set == (one.name in DYNAMIC), one.name


def test_every_value_is_taken_and_is_what_php_fpm_reads(site: Site) -> None:
    for one in KNOBS.values():
        for value in candidates(one):
            server = server_of(site)
            others = {KNOBS["pm"]: "ondemand"} if one == IDLE else {}
            with put(server.edited({one: value, **others})):
                fresh = server_of(site)
                assert fresh.test() is None, (one.name, value)
                assert fresh.setting(one).value == value, (one.name, value)
                read = dumped_settings(site)[one.name]
                wanted = one.written(value)
                read = read.removesuffix("s") if one.unit == "s" else read
                assert read == (value if one.unit == "s" else wanted), (one.name, value)
    assert len(KNOBS) >= 18


def test_a_static_pool_has_no_spare_workers(site: Site) -> None:
    server = server_of(site)
    assert server.setting(KNOBS["pm.max_spare_servers"]).value == "3"
    with put(server.edited({KNOBS["pm"]: "static"})):
        fresh = server_of(site)
        for name in ("pm.start_servers", "pm.max_spare_servers", "pm.max_spawn_rate"):
            assert fresh.setting(KNOBS[name]).value is None, name
        assert fresh.setting(KNOBS["pm.max_children"]).value == "5"


def test_dependent_values_follow(site: Site) -> None:
    for changes, expected in (
        ({"pm.max_children": "2"}, ("2", "1", "2")),
        ({"pm.min_spare_servers": "9"}, ("9", "9", "9")),
        ({"pm.start_servers": "4"}, ("5", "1", "4")),
        ({"pm.max_spare_servers": "60"}, ("60", "1", "60")),
        ({"pm.max_children": "20", "pm.min_spare_servers": "4"}, ("20", "4", "4")),
    ):
        server = server_of(site)
        with put(server.edited({KNOBS[name]: value for name, value in changes.items()})):
            assert server_of(site).test() is None, changes
            known = dumped_settings(site)
            names = ("pm.max_children", "pm.min_spare_servers", "pm.max_spare_servers")
            assert tuple(known[one] for one in names) == expected, changes


def test_contradictions_and_nonsense_are_refused(site: Site) -> None:
    for changes, message in (
        ({"pm.max_children": "2", "pm.min_spare_servers": "9"}, "pm.m.*_spare_servers"),
        ({"pm.max_children": "many"}, "max_children"),
        ({"pm": "perhaps"}, "invalid process manager"),
    ):
        server = server_of(site)
        with put(server.edited({KNOBS[name]: value for name, value in changes.items()})):
            assert re.search(message, server_of(site).test() or ""), changes


def test_a_running_server_takes_values_and_goes_back(site: Site, tmp_path: Path) -> None:
    def answers() -> None:
        site.page()

    before = site.conf.read_bytes()
    cache, children, mode = KNOBS["realpath_cache_size"], KNOBS["pm.max_children"], KNOBS["pm"]
    tunable = Tunable(HOST, server_of(site), [cache, children, mode], tmp_path / "j", answers)
    try:
        tunable.apply(Configuration({cache: "8192", children: "7", mode: "static"}, "test"))
        assert site.page().split()[0] == "8192K"
        wait_until(lambda: len(keeper.descendants(site.fpm)) == 7)
        with pytest.raises(NotAccepted, match="process manager"):
            tunable.apply(Configuration({mode: "perhaps"}, "test"))
        assert site.page().split()[0] == "8192K"
    finally:
        assert tunable.close() is None
    assert site.conf.read_bytes() == before
    wait_until(lambda: site.page().split()[0] == "4096K")
    wait_until(lambda: len(keeper.descendants(site.fpm)) < 7)


def test_a_worker_leads_to_the_first_process_beside_nginx(site: Site) -> None:
    worker = min(keeper.descendants(site.fpm))
    found = find_all(HOST, [site.nginx, worker])
    assert [one.name for one in found] == ["nginx", "php-fpm"]
    assert found[1].running.pid == site.fpm


def test_a_reload_keeps_the_backlog(site: Site) -> None:
    def queue() -> str:
        shown = HOST.run(["ss", "-Hltn", f"sport = :{site.pool}"]).output
        return shown.split()[2]

    before = queue()
    backlog = KNOBS["listen.backlog"]
    assert backlog.apply == "restart"
    server = server_of(site)
    with put(server.edited({backlog: "77"})):
        reload(server)
        site.page()
        assert queue() == before != "77"
    reload(server)
    site.page()  # it would not notice its end while it reads its files again


def test_all_pools_and_files_with_links_are_changed(site: Site) -> None:
    other = site.folder / "other.conf"
    mine = site.conf.read_text().replace("[www]", "[www]\n; mine").encode()
    listens = f"listen = {site.folder}/second.sock"
    other.write_text(f"[second]\n{USER}{listens}\n  pm = ondemand ; few\npm.max_children=9")
    link = site.conf.with_name("zz.conf")
    link.symlink_to(other)
    try:
        with put({str(site.conf): mine}):
            server = server_of(site)
            limit = KNOBS["request_terminate_timeout"]
            files = server.edited({KNOBS["pm.max_children"]: "11", limit: "30"})
            text = files[str(other)].decode()
            assert text == (
                f"[second]\nrequest_terminate_timeout = 30s\n{USER}{listens}\n"
                "  pm = ondemand ; few\npm.max_children = 11"
            )
            with put(files):
                assert server_of(site).test() is None
                for pool in ("www", "second"):
                    known = dumped_settings(site, pool)
                    found = known["pm.max_children"], known["request_terminate_timeout"]
                    assert found == ("11", "30s"), pool
        assert link.is_symlink()
    finally:
        link.unlink()
        other.unlink()


def test_the_command_line_is_read_during_a_reload(site: Site) -> None:
    running = server_of(site).running
    for words in (["-y", "fpm.conf"], ["--fpm-config", "fpm.conf"], ["--fpm-config=fpm.conf"]):
        command = ["php-fpm8.2", *words]
        folder = str(site.folder)
        server = PhpFpm(HOST, type(running)(running.pid, running.started, command, folder, {}))
        assert server.setting(KNOBS["pm"]).place == str(site.conf)


def test_without_its_title_it_cannot_be_tuned(site: Site) -> None:
    running = server_of(site).running
    unnamed = type(running)(running.pid, running.started, ["php-fpm8.2"], "/", {})
    with pytest.raises(InputError, match="does not show its configuration"):
        PhpFpm(HOST, unnamed)


def test_the_workers_at_the_start_are_tried_alone(tmp_path: Path) -> None:
    """Their rule of thumb is a formula, and other keys follow its number."""
    file = tmp_path / "fpm.conf"
    file.write_text(f"[www]\n{DYNAMIC}", "utf-8")
    running = posing(f"php-fpm: master process ({file})")
    start = KNOBS["pm.start_servers"]
    tunable = Tunable(HOST, PhpFpm(HOST, running), [start], tmp_path / "journal", lambda: None)
    try:
        assert [*tunable.originals] == [str(file)]
        assert b"pm.start_servers = 40\n" in tunable.files({start: "40"})[str(file)]
    finally:
        assert tunable.close() is None


def test_the_workers_at_the_start_are_not_known_with_a_variable(tmp_path: Path) -> None:
    file = tmp_path / "fpm.conf"
    file.write_text(f"[www]\n{DYNAMIC.replace('= 1', '= ${LEAST}')}", "utf-8")
    server = PhpFpm(HOST, posing(f"php-fpm: master process ({file})"))
    assert server.setting(KNOBS["pm.start_servers"]) == Setting(None, is_set=False)
    assert server.setting(KNOBS["pm.min_spare_servers"]).value == "${LEAST}"
