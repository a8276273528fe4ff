"""The languages that files are cut into units by: one small table of rules each, and one walk for all of them."""
