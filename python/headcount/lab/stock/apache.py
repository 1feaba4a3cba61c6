"""Apache httpd as Debian ships it."""

from headcount.lab.installed import Packages
from headcount.lab.stock.files import Stock
from headcount.lab.stock.rewrite import Rewrite
from headcount.lab.stock.shipped import Shipped

PACKAGES = Packages("apache2")
"""The package with the configuration, which `apache2-bin` lacks."""
MAIN, ENVIRONMENT, PORTS, SITE = "apache2.conf", "envvars", "ports.conf", "000-default.conf"
MPM = "mods-available/mpm_event.conf"
LOG, STATUS = "error.log", "/server-status"
HOME = "each run has folders of its own"
PAGES = "the pages of the data set"
PORT = "a free port of this machine only"
_LOADED = (
    *("access_compat", "alias", "auth_basic", "authn_core", "authn_file", "authz_core"),
    *("authz_host", "authz_user", "autoindex", "deflate", "dir", "env", "filter", "mime"),
    *("mpm_event", "negotiation", "reqtimeout", "setenvif", "status"),
)
_CONFIGURED = (
    *("alias", "autoindex", "deflate", "dir", "mime", "mpm_event", "negotiation", "reqtimeout"),
    *("setenvif", "status"),
)
_CONFIGURATIONS = (
    *("charset", "localized-error-pages", "other-vhosts-access-log", "security"),
    "serve-cgi-bin",
)
_ENABLED = (
    *(("mods", f"{name}.load") for name in _LOADED),
    *(("mods", f"{name}.conf") for name in _CONFIGURED),
    *(("conf", f"{name}.conf") for name in _CONFIGURATIONS),
    ("sites", SITE),
)
"""What the package enables when it is installed (its postinst)."""

STOCK = Stock(
    "lab:apache",
    Shipped((PACKAGES.debian,), "/etc/apache2"),
    (
        *(
            Rewrite(ENVIRONMENT, f"export {name}={shipped}", f"export {name}=$home{written}", HOME)
            for name, shipped, written in (
                ("APACHE_PID_FILE", "/var/run/apache2$SUFFIX/apache2.pid", "/run/apache2.pid"),
                ("APACHE_RUN_DIR", "/var/run/apache2$SUFFIX", "/run"),
                ("APACHE_LOCK_DIR", "/var/lock/apache2$SUFFIX", "/run"),
                ("APACHE_LOG_DIR", "/var/log/apache2$SUFFIX", ""),
            )
        ),
        Rewrite(MAIN, "<Directory /var/www/>", "<Directory $home/pages/>", PAGES),
        Rewrite(PORTS, "Listen 80", "Listen $host:$port", PORT),
        Rewrite(f"sites-available/{SITE}", "<VirtualHost *:80>", "<VirtualHost *:$port>", PORT),
        Rewrite(
            f"sites-available/{SITE}",
            "DocumentRoot /var/www/html",
            "DocumentRoot $home/pages",
            PAGES,
        ),
    ),
    links={f"{room}-enabled/{name}": f"../{room}-available/{name}" for room, name in _ENABLED},
    folders=("mods-enabled", "conf-enabled", "sites-enabled"),
)
"""It omits what other packages or people have enabled in /etc/apache2."""
