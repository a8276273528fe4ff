"""The `scentfield` command."""
