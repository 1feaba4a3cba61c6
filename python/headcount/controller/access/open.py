"""From a plan to the access to its target."""

from headcount.controller.access.access import Access
from headcount.controller.access.app import AppAccess
from headcount.controller.access.files import FilesAccess
from headcount.controller.access.http import HttpAccess, Site
from headcount.controller.access.mail import MailAccess, lab_office, target_office
from headcount.controller.access.secrets import Secrets
from headcount.controller.access.smb import Place, SmbAccess
from headcount.controller.access.sql import Database, SqlAccess
from headcount.errors import InputError
from headcount.lab import Server
from headcount.lab.app import AppServer
from headcount.lab.files import FilesServer
from headcount.lab.mail import MailServer
from headcount.lab.postgresql import PostgresqlServer
from headcount.lab.samba import SambaServer
from headcount.lab.web import WebServer
from headcount.plan import target as targets
from headcount.plan.client import http_client, smb_client
from headcount.plan.plan import Plan


def lab_access(plan: Plan, server: Server) -> Access:
    """Speak to a lab server, with the credentials that it was started with."""
    if isinstance(server, SambaServer):
        user = smb_client(plan.client).user  # every name can log on
        where = (server.address, server.share, server.shares)
        most = int(server.settings.get("max_processes", "0"))
        place = Place(*where, user, server.password, server.status, most)
        return SmbAccess(plan, place)
    if isinstance(server, WebServer):
        site = Site(server.url, server.data, server.authority, server.status_url, server.most)
        return HttpAccess(plan, site)
    if isinstance(server, MailServer):
        return MailAccess(plan, lab_office(plan, server))
    if isinstance(server, FilesServer):
        return FilesAccess(plan, server.address)
    if isinstance(server, PostgresqlServer):
        host = server.address.rpartition(":")[0]
        names = (server.address, host, server.database, server.password, server.user)
        return SqlAccess(plan, Database(*names, server.authority))
    token = server.token if isinstance(server, AppServer) else None
    return AppAccess(plan, server.address, Secrets(token=token))


def target_access(plan: Plan, address: str, secrets: Secrets) -> Access:
    """Speak to somebody's server at `ip:port`."""
    target = targets.parse(plan.target)
    if target.protocol == "app":
        return AppAccess(plan, address, secrets)
    if target.protocol == "http":
        user = http_client(plan.client).user
        if user and secrets.password is None:
            raise InputError(f"{plan.target} needs the password of its users")
        return HttpAccess(plan, Site(target.text, user=user, password=secrets.password))
    if target.protocol == "mail":
        if secrets.password is None:
            raise InputError(f"{plan.target} needs the password of its users")
        return MailAccess(plan, target_office(plan, target, address, secrets.password))
    if target.database is not None:
        host = target.host or ""
        return SqlAccess(plan, Database(address, host, target.database, secrets.password))
    if target.share is None or secrets.password is None:
        raise InputError(f"{plan.target} needs a share and the password of its users")
    client = smb_client(plan.client)
    place = Place(address, target.share, client.shares, client.user, secrets.password)
    return SmbAccess(plan, place)
