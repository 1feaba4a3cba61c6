"""Servers' own views: of nginx, Apache, HAProxy, Redis, PHP-FPM, JVMs and others.

``kinds`` registers the kinds of views, ``find`` looks for those that a server has, ``source``
samples them.
"""

from headcount.counters.views.find import Doubt, View, asked_views, find_views
from headcount.counters.views.source import ViewSource

__all__ = ["Doubt", "View", "ViewSource", "asked_views", "find_views"]
