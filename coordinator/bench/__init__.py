"""Measurements that anybody can repeat, each beside a reference in the same run."""
