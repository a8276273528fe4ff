"""The ground floor: one folder for each state domain, each owned by exactly one actor."""
