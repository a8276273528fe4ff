"""Whether all of it helps: figures from the ledger, and each learned layer against its holdout."""
