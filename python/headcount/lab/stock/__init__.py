"""The profile `stock`: a server as Debian ships it, with only paths and ports rewritten."""

from headcount.lab.stock.files import Stock
from headcount.lab.stock.rewrite import Rewrite
from headcount.lab.stock.shipped import Shipped

__all__ = ["Rewrite", "Shipped", "Stock"]
