"""What the admin shows of books."""

from django.contrib import admin

from books.models import Book

admin.site.register(Book, list_display=["title", "pages"], search_fields=["title"])
