"""How a protocol's targets are prepared, checked, cleaned up and disclosed."""

from headcount.controller.access.access import Access, Prepared, Progress
from headcount.controller.access.secrets import Secrets

__all__ = ["Access", "Prepared", "Progress", "Secrets"]
