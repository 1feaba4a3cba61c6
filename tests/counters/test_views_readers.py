"""Each reader of a server's view, on what the real server answered when it was asked."""

import struct
from pathlib import Path

import pytest

from headcount.counters.catalogue import lookup
from headcount.counters.views import haproxy, jvm, lighttpd, php_fpm, redis
from headcount.counters.views.reading import Reading, growth

CAPTURED = Path(__file__).parent / "views"
"""lighttpd 1.4.69 with 40 connections at most; HAProxy 2.6 with 7 users on a server with maxconn 5;
Redis 7.0, idle; OpenJDK 17 under load, with the entries that hold paths and versions left out."""
LIGHTTPD = (CAPTURED / "lighttpd.txt").read_text("ascii")
HAPROXY = (CAPTURED / "haproxy.csv").read_text("ascii")
REDIS = (CAPTURED / "redis.txt").read_bytes().decode("ascii")
JVM = (CAPTURED / "parallel.hsperf").read_bytes()
FPM = (
    b"\x01\x06\x00\x01\x01\xa7\x01\x00Expires: Thu, 01 Jan 1970 00:00:00 GMT\r\nCache-Control: "
    b"no-cache, no-store, must-revalidate, max-age=0\r\nContent-Type: application/json\r\n\r\n"
    b'{"pool":"www","process manager":"static","start time":1795541590,"start since":5,'
    b'"accepted conn":1,"listen queue":0,"max listen queue":0,"listen queue len":0,'
    b'"idle processes":2,"active processes":1,"total processes":3,"max active processes":1,'
    b'"max children reached":0,"slow requests":0}'
    b"\x00\x01\x03\x00\x01\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
)
"""PHP-FPM 8.2 with three children, of which one answers."""


def test_haproxys_servers_and_queue() -> None:
    reading = haproxy.figures(HAPROXY)
    assert reading.gauges["haproxy.queue"] == 2
    assert reading.gauges["haproxy.sessions.limited"] == 5
    assert reading.gauges["haproxy.sessions.limit"] == 5
    assert reading.gauges["haproxy.connections"] == 7
    assert reading.gauges["haproxy.connections.limit"] == 2000
    assert reading.gauges["haproxy.response.duration"] == 310
    assert reading.totals == {"haproxy.errors": 0, "haproxy.denied": 0}


def haproxy_text(*rows: str) -> str:
    """Statistics with these rows: proxy, server, queue, sessions, their limit, status, backup."""
    return "\n".join(["# pxname,svname,qcur,scur,slim,status,bck", *rows]) + "\n"


def test_haproxys_places_are_those_of_servers_that_get_requests() -> None:
    text = haproxy_text(
        "b,one,0,10,10,UP,0",
        "b,two,0,0,10,DOWN 1/2,0",
        "b,three,0,0,10,MAINT,0",
        "b,spare,0,0,20,no check,1",
        "b,BACKEND,4,10,200,UP,1",
    )
    gauges = haproxy.figures(text).gauges
    assert (gauges["haproxy.sessions.limited"], gauges["haproxy.sessions.limit"]) == (10, 10)
    gauges = haproxy.figures(text.replace("10,UP,0", "10,DOWN,0")).gauges
    assert (gauges["haproxy.sessions.limited"], gauges["haproxy.sessions.limit"]) == (0, 20)


def test_free_places_of_another_backend_of_haproxy_do_not_count() -> None:
    text = haproxy_text(
        "app,one,0,10,10,UP,0",
        "app,BACKEND,4,10,200,UP,0",
        "files,one,0,1,100,UP,0",
        "files,BACKEND,0,1,200,UP,0",
    )
    gauges = haproxy.figures(text).gauges
    assert gauges["haproxy.queue"] == 4
    assert (gauges["haproxy.sessions.limited"], gauges["haproxy.sessions.limit"]) == (10, 10)


def test_lighttpds_connections_and_their_limit() -> None:
    reading = lighttpd.figures(LIGHTTPD)
    assert reading.gauges == {"web.connections": 1, "web.connections.limit": 40}
    assert reading.totals == {"web.requests": 1}


@pytest.mark.parametrize("text", ["", "<html>Total Accesses: 1</html>", "BusyServers: many\n"])
def test_text_that_is_not_a_status_of_lighttpd_gives_nothing(text: str) -> None:
    assert not lighttpd.figures(text)


def test_sockets_and_pages_of_haproxys_configuration() -> None:
    text = "global\n  stats socket /run/haproxy.sock mode 600\nlisten s\n  stats uri /figures\n"
    assert haproxy.sockets(text) == ["/run/haproxy.sock"]
    assert haproxy.pages(text) == ["/figures"]
    assert haproxy.sockets("# stats socket /no") == []


def test_redis_counts_the_time_of_its_command_thread() -> None:
    reading = redis.figures(REDIS)
    fields = dict(line.split(":", 1) for line in REDIS.splitlines() if ":" in line[1:])
    wanted = float(fields["used_cpu_sys_main_thread"]) + float(fields["used_cpu_user_main_thread"])
    assert reading.totals["redis.cpu.utilization"] == pytest.approx(wanted)
    assert reading.gauges["redis.clients.limit"] == 10_000
    assert reading.gauges["redis.clients"] == 1
    assert reading.gauges["redis.saving"] == 0
    assert reading.gauges["redis.slow_log.length"] == 0


@pytest.mark.parametrize("text", ["-NOAUTH Authentication required.\r\n", "HTTP/1.1 400 Bad\r\n"])
def test_text_that_is_not_an_answer_of_redis_gives_nothing(text: str) -> None:
    assert not redis.figures(text)


def test_a_pool_of_php_fpm() -> None:
    reading = php_fpm.figures(php_fpm.content(FPM))
    assert reading.gauges["php_fpm.processes.active"] == 1
    assert reading.gauges["php_fpm.processes.idle"] == 2
    assert reading.totals == {
        "php_fpm.requests": 1,
        "php_fpm.limit_reached": 0,
        "php_fpm.slow_requests": 0,
    }


def test_a_request_to_php_fpm_is_four_records_of_fastcgi() -> None:
    text, kinds = php_fpm.request("/status"), []
    while text:
        version, kind, request, length, padding = struct.unpack_from(">BBHHB", text)
        assert (version, request) == (1, 1)
        kinds.append((kind, text[8 : 8 + length]))
        text = text[8 + length + padding :]
    assert [kind for kind, _ in kinds] == [1, 4, 4, 5]
    assert b"\x0e\x03REQUEST_METHODGET" in kinds[1][1]
    assert b"SCRIPT_NAME/status" in kinds[1][1]
    assert kinds[2][1] == b""


@pytest.mark.parametrize(
    "text",
    [
        "; as Fedora has it\ninclude=php-fpm.d/*.conf\n[global]\npid = /run/php.pid\n",
        "[global]\npid = /run/php.pid\n[api]\npm = static\ninclude=php-fpm.d/*.conf\n",
    ],
)
def test_pools_of_php_fpm_are_included_anywhere(tmp_path: Path, text: str) -> None:
    (tmp_path / "php-fpm.d").mkdir()
    (tmp_path / "php-fpm.d" / "www.conf").write_text("[www]\nlisten = /run/fpm.sock\n")
    (tmp_path / "php-fpm.conf").write_text(text)
    assert [pool.listen for pool in php_fpm.pools(tmp_path / "php-fpm.conf")] == ["/run/fpm.sock"]


def test_the_pools_of_php_fpms_configuration(tmp_path: Path) -> None:
    (tmp_path / "pool.d").mkdir()
    (tmp_path / "pool.d" / "www.conf").write_text(
        "[www]\nuser = www-data\nlisten = /run/php/$pool.sock ; where\npm.max_children = 5\n"
        "pm.status_path = /status\nphp_admin_value[memory_limit] = 32M\n"
        "[api]\nlisten = 9001\npm.max_children = 20\n"
    )
    main = tmp_path / "php-fpm.conf"
    main.write_text("[global]\npid = /run/php.pid\ninclude=pool.d/*.conf\n")
    www, api = php_fpm.pools(main)
    assert www == php_fpm.Pool("www", "/run/php/www.sock", "/status", 5)
    assert api == php_fpm.Pool("api", "127.0.0.1:9001", "", 20)


def test_a_jvm_counts_contended_monitors() -> None:
    """Eight threads in one monitor; `jcmd` printed 274 a moment before, and 290 after."""
    reading = jvm.figures((CAPTURED / "monitor.hsperf").read_bytes())
    assert 274 <= reading.totals["jvm.monitors.contended"] <= 290
    assert "jvm.monitors.contended" not in jvm.figures(JVM).totals


def test_a_jvms_counts_are_those_that_jcmd_printed() -> None:
    """`jcmd PID PerfCounter.print` of the same moment."""
    found = jvm.counters(JVM)
    assert found["sun.gc.collector.0.time"][0] == 189_884_483
    assert found["sun.gc.collector.1.time"][0] == 311_328_406
    assert found["sun.gc.collector.1.invocations"][0] == 4
    assert found["sun.gc.generation.1.space.0.used"][0] == 89_435_928
    assert found["java.threads.live"][0] == 18
    reading = jvm.figures(JVM)
    assert reading.gauges == {
        "jvm.memory.used": 89_435_928,
        "jvm.memory.limit": 89_653_248,
        "jvm.thread.count": 18,
    }
    assert reading.totals["jvm.gc.share"] == pytest.approx(0.501212889)
    assert reading.totals["jvm.safepoint.share"] == pytest.approx(0.502217213)
    assert reading.totals["jvm.gc.collections"] == 7


def test_a_collector_that_works_beside_the_program_does_not_stop_it() -> None:
    """Shenandoah of OpenJDK 17 counted 2.1 s of collections; it stopped the program for 0.23 s."""
    time = struct.Struct("<q")
    data = JVM.replace(time.pack(311_328_406), time.pack(9_000_000_000))
    assert jvm.counters(data)["sun.gc.collector.1.time"][0] == 9_000_000_000
    reading = jvm.figures(data)
    assert reading.totals["jvm.gc.share"] == reading.totals["jvm.safepoint.share"]


@pytest.mark.parametrize("data", [b"", b"\0" * 64, JVM[:900]])
def test_a_file_that_is_not_a_jvms_is_an_error(data: bytes) -> None:
    with pytest.raises(ValueError, match="performance data"):
        jvm.figures(data)


def test_every_figure_has_a_meaning() -> None:
    readings = (
        haproxy.figures(HAPROXY),
        redis.figures(REDIS),
        php_fpm.figures(php_fpm.content(FPM)),
        jvm.figures(JVM),
    )
    names = {name for one in readings for name in (*one.gauges, *one.totals)} | {php_fpm.LIMIT}
    assert {name for name in names if lookup(name) is None} == set()


def test_growth_is_per_second_and_absent_after_a_restart() -> None:
    assert growth(2.0, {"a": 1.0, "b": 5.0}, {"a": 4.0, "b": 5.0}) == {"a": 1.5, "b": 0.0}
    assert growth(2.0, {"a": 4.0}, {"a": 1.0}) == {}
    assert not Reading()
