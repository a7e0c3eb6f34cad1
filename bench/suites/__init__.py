"""Runs the programs of other people's suites, unmodified, from a checkout of theirs."""
