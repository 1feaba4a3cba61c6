"""Files that the user names: checked before the work, written whole, and errors that help."""
