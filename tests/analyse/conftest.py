"""Puts this folder on the import path of the folders below it."""
