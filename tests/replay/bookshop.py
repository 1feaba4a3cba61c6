"""A bookshop in Django's admin, which `python tests/replay/bookshop.py FOLDER` serves."""

import sys
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parents[1]))

import django_site

if __name__ == "__main__":
    django_site.main("books")
