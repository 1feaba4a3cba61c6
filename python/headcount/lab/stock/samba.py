"""Samba as Debian ships it."""

from headcount.lab.stock.files import Stock
from headcount.lab.stock.rewrite import Rewrite
from headcount.lab.stock.shipped import Shipped

MAIN = "smb.conf"
USERSHARES = "usershares"
"""The folder of shares that users make: every Debian has one."""
MODE = 0o1770
"""Samba ignores it without the sticky bit."""
HOME = "each run has folders of its own"
ADDRESS = "only users of the run come to it"
OWN = """\
[global]
   smb ports = $port
   multicast dns register = no
   private dir = $home/private
   lock directory = $home/lock
   state directory = $home/state
   cache directory = $home/cache
   pid directory = $home/pid
   ncalrpc dir = $home/ncalrpc
   winbindd socket directory = $home/winbindd
   usershare path = $home/usershares
   passdb backend = smbpasswd:$home/private/smbpasswd
   username map = $home/usermap"""
SHARE = """\
[data]
   path = $home/data
   read only = no"""

STOCK = Stock(
    "lab:samba",
    Shipped(("samba-common",), "/usr/share/samba", (MAIN,)),
    (
        Rewrite(
            MAIN,
            "[global]",
            OWN,
            "a free port that is not announced, folders of the run's own, and its users, who all "
            "have the rights of one",
        ),
        Rewrite(MAIN, ";   interfaces = 127.0.0.0/8 eth0", "   interfaces = $host", ADDRESS),
        Rewrite(MAIN, ";   bind interfaces only = yes", "   bind interfaces only = yes", ADDRESS),
        Rewrite(MAIN, "log file = /var/log/samba/log.%m", "log file = $home/log/log.%m", HOME),
        Rewrite(MAIN, "", SHARE, "the share with the data set"),
    ),
)
"""From this file the package makes /etc/samba/smb.conf."""
