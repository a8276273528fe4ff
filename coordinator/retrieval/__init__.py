"""Finds the passages of a tree that answer a question: an index by words and by meaning, kept up to date."""
