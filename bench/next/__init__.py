"""Checks whether the limit that a diagnosis expects next binds once the first one is gone."""
