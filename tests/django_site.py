"""A site of Django with its admin and users, which `python tests/django_site.py FOLDER` serves.

It prints its address once it serves, and ends when its standard input does. The file `requests.log`
in the folder has the path of each request.
"""

import sys
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import django
from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.contrib.staticfiles.views import serve
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest
from django.http.response import HttpResponseBase

import wsgi_site

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

PASSWORDS = {"editor": "an editor's word", "reader": "a reader's word"}
"""Users and their passwords; only the editor may use the admin."""


def configured(folder: Path, *applications: str) -> None:
    """Set Django up with a database in the folder, and applications beside the admin."""
    settings.configure(
        SECRET_KEY="of a site that lives for one test",  # noqa: S106 - it keeps nothing
        DEBUG=False,
        ALLOWED_HOSTS=["127.0.0.1"],
        ROOT_URLCONF="django_site_urls",
        DATABASES={
            "default": {
                "ENGINE": "django.db.backends.sqlite3",
                "NAME": folder / "site.sqlite3",
                "OPTIONS": {"timeout": 30, "transaction_mode": "IMMEDIATE"},
            }
        },
        INSTALLED_APPS=[
            "django.contrib.admin",
            "django.contrib.auth",
            "django.contrib.contenttypes",
            "django.contrib.sessions",
            "django.contrib.messages",
            *applications,
        ],
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.middleware.common.CommonMiddleware",
            "django.middleware.csrf.CsrfViewMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
            "django.contrib.messages.middleware.MessageMiddleware",
        ],
        TEMPLATES=[
            {
                "BACKEND": "django.template.backends.django.DjangoTemplates",
                "APP_DIRS": True,
                "OPTIONS": {
                    "context_processors": [
                        "django.template.context_processors.request",
                        "django.contrib.auth.context_processors.auth",
                        "django.contrib.messages.context_processors.messages",
                    ]
                },
            }
        ],
        PASSWORD_HASHERS=["django.contrib.auth.hashers.PBKDF2PasswordHasher"],
        STATIC_URL="/static/",
        USE_TZ=True,
    )
    django.setup()
    call_command("migrate", verbosity=0, run_syncdb=True)


class Files(StaticFilesHandler):
    """The site with its style sheets and scripts."""

    def serve(self, request: HttpRequest) -> HttpResponseBase:
        """A file of an application."""
        return serve(request, self.file_path(request.path), insecure=True)


def logged(application: "WSGIApplication", path: Path) -> "WSGIApplication":
    """The same application, with the path of each request in a file."""

    def noted(environ: "WSGIEnvironment", start: "StartResponse") -> Iterable[bytes]:
        with path.open("a", encoding="utf-8") as file:
            file.write(environ["PATH_INFO"] + "\n")
        return application(environ, start)

    return noted


def main(*applications: str) -> None:
    """Serve until standard input ends."""
    folder = Path(sys.argv[1])
    configured(folder, *applications)
    users = get_user_model().objects
    for name, password in PASSWORDS.items():
        make = users.create_superuser if name == "editor" else users.create_user
        make(name, password=password)
    site = logged(Files(get_wsgi_application()), folder / "requests.log")
    with wsgi_site.served(site) as url:
        print(url, flush=True)
        ended = threading.Thread(target=sys.stdin.read)
        ended.start()
        ended.join()


if __name__ == "__main__":
    main()
