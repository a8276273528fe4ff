"""`scentfield guard`: git asks, before it keeps or sends changes, whether they go over the claims of others.

What git calls starts at once: no Ray, no pydantic; one subprocess or a few, and one request over loopback.
"""
