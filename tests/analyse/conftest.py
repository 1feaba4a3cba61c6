"""Being here puts this folder on the path of imports of the rooms below it."""
