"""nginx's configuration as different versions and machines have it; a script poses as nginx."""

from pathlib import Path

import pytest
from tuned import PosingHost, knob, posing

from headcount.tune.servers.nginx import Nginx

POSING = """#!/bin/sh
for one in "$@"; do
    if [ "$one" = -e ] && [ -n "{is_old}" ]; then echo 'nginx: invalid option: "e"'; exit 1; fi
done
for one in {folder}/*.conf; do echo "# configuration file $one:"; cat "$one"; done
"""


def nginx(folder: Path, text: str, *, is_old: bool = False) -> Nginx:
    """An nginx with this configuration."""
    (folder / "nginx.conf").write_text(text, "utf-8")
    program = folder / "nginx"
    program.write_text(POSING.format(folder=folder, is_old="1" if is_old else ""), "utf-8")
    program.chmod(0o755)
    return Nginx(PosingHost(str(program)), posing("nginx: master process sbin/nginx"))


def edited(server: Nginx, folder: Path, **changes: str) -> str:
    """Its configuration with other values of knobs."""
    values = {knob("nginx", name.replace("__", " ")): value for name, value in changes.items()}
    return server.edited(values)[str(folder / "nginx.conf")].decode()


@pytest.mark.parametrize("is_old", [False, True])
def test_an_nginx_before_1_19_5_has_no_option_for_its_log(tmp_path: Path, is_old: bool) -> None:
    server = nginx(tmp_path, "events { }\nhttp { sendfile on; }\n", is_old=is_old)
    assert server.setting(knob("nginx", "sendfile")).value == "on"
    assert server.test() is None


def test_a_port_of_http_3_keeps_its_udp_socket_as_it_is(tmp_path: Path) -> None:
    udp = "listen 443 quic reuseport;"
    text = f"http {{ server {{ {udp} listen 443 ssl; listen [::]:443 quic; }} }}\n"
    server = nginx(tmp_path, text)
    assert not server.setting(knob("nginx", "listen reuseport")).is_set
    after = edited(server, tmp_path, listen__reuseport="on", listen__backlog="1024")
    assert after == text.replace("443 ssl;", "443 ssl reuseport backlog=1024;")


@pytest.mark.parametrize("address", ["8080", "*:8080", "0.0.0.0:8080"])
def test_options_of_an_address_stay_in_one_listen(tmp_path: Path, address: str) -> None:
    first = f"server {{ listen {address}; }}"
    text = f"http {{ {first} server {{ listen *:8080 default_server backlog=600; }} }}\n"
    server = nginx(tmp_path, text)
    assert server.setting(knob("nginx", "listen backlog")).value == "600"
    after = edited(server, tmp_path, listen__backlog="1024")
    assert after == text.replace("backlog=600", "backlog=1024")


def test_a_server_with_a_value_of_its_own_gets_the_change_too(tmp_path: Path) -> None:
    inner = "server { sendfile off; keepalive_timeout 5; location / { gzip on; } }"
    text = f"http {{ sendfile on; {inner} server {{ keepalive_timeout 75; }} }}\n"
    server = nginx(tmp_path, text)
    timeout, sendfile = knob("nginx", "keepalive_timeout"), knob("nginx", "sendfile")
    assert (server.setting(timeout).value, server.setting(timeout).is_set) == ("5", True)
    assert server.setting(sendfile).value == "on"
    after = edited(server, tmp_path, sendfile="on", keepalive_timeout="65")
    wanted = text.replace("off", "on").replace("timeout 5;", "timeout 65;")
    wanted = wanted.replace("timeout 75;", "timeout 65;")
    assert after == wanted.replace("http {", "http {\nkeepalive_timeout 65;")


def test_a_file_that_two_servers_include_changes_once(tmp_path: Path) -> None:
    (tmp_path / "own.conf").write_text("gzip on;\n", "utf-8")
    one = f"server {{ include {tmp_path}/own.conf; }}"
    server = nginx(tmp_path, f"http {{ {one} {one} }}\n")
    changed = server.edited({knob("nginx", "gzip"): "off"})
    assert changed[str(tmp_path / "own.conf")] == b"gzip off;\n"


def test_logs_of_servers_get_the_buffer(tmp_path: Path) -> None:
    logs = ("a.log;", "syslog:server=unix:/dev/log;", "off;")
    servers = " ".join(f"server {{ access_log {one} }}" for one in logs)
    text = f"http {{ access_log off; {servers} }}\n"
    after = edited(nginx(tmp_path, text), tmp_path, access_log__buffer="64k")
    assert after == text.replace("a.log", "a.log combined buffer=64k flush=5s")


def test_an_nginx_without_a_log_has_no_buffer_for_it(tmp_path: Path) -> None:
    found = nginx(tmp_path, "http { }\n").setting(knob("nginx", "access_log buffer"))
    assert found.value is None
