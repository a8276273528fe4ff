"""`scentfield hook`: coding agents ask before they write a file. Starts at once, as the guard does."""
