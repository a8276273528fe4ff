"""Runnable stories that use only the public interface."""
