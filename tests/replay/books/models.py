"""What the bookshop keeps."""

from django.db import models


class Book(models.Model):
    """A book; several may have the same title."""

    title = models.CharField(max_length=100)
    pages = models.PositiveIntegerField()
    published = models.DateField()

    def __str__(self) -> str:
        """Its title."""
        return self.title
