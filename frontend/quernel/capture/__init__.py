"""Capture: a Python function runs once on traced arrays and becomes a graph."""
