"""Texts as vectors: which model, where its files are, how texts become batches, and whether it is ready."""
