"""nginx as Debian ships it."""

from headcount.lab.stock.files import Stock
from headcount.lab.stock.rewrite import Rewrite
from headcount.lab.stock.shipped import Shipped
from headcount.lab.web import ACCESS_LOG, LOG

MAIN, SITE = "nginx.conf", "sites-available/default"
TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
"""Folders that nginx makes at compiled-in places by default."""
HOME = "each run has folders of its own"
WHERE = "the shipped files are copied into the run's folder"

STOCK = Stock(
    "lab:nginx",
    Shipped(("nginx-common",), "/etc/nginx"),
    (
        Rewrite(MAIN, "pid /run/nginx.pid;", "pid $home/run/pid;", HOME),
        Rewrite(
            MAIN,
            "error_log /var/log/nginx/error.log;",
            f"error_log $home/{LOG};",
            HOME,
        ),
        Rewrite(
            MAIN,
            "access_log /var/log/nginx/access.log;",
            f"access_log $home/{ACCESS_LOG};",
            HOME,
        ),
        *(
            Rewrite(MAIN, f"include /etc/nginx/{what};", f"include $home/etc/{what};", WHERE)
            for what in ("modules-enabled/*.conf", "mime.types", "conf.d/*.conf", "sites-enabled/*")
        ),
        Rewrite(
            MAIN,
            "http {",
            "\n".join(["http {", *(f"\t{one}_temp_path $home/run/{one};" for one in TEMPORARY)]),
            "folders that are built into nginx are those of this machine's own",
        ),
        Rewrite(
            SITE,
            "listen 80 default_server;",
            "listen $host:$port default_server;",
            "a free port of this machine only",
        ),
        Rewrite(SITE, "listen [::]:80 default_server;", "", "users come over IPv4"),
        Rewrite(SITE, "root /var/www/html;", "root $home/pages;", "the pages of the data set"),
    ),
    links={"sites-enabled/default": "../sites-available/default"},
    folders=("conf.d", "modules-enabled", "sites-enabled"),
)
"""What else is in /etc/nginx, from other packages or by hand, is not copied."""
