"""Stores without their actors: backups, restoring them, exports, and repairs."""
