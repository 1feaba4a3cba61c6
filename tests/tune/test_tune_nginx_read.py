"""nginx's configuration as different versions and machines have it; a script poses as nginx."""

from pathlib import Path

import pytest
from tuned import knob, posing

from headcount.tune.host import ThisHost
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
    return Nginx(ThisHost(), posing(f"nginx: master process {program}"))


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
