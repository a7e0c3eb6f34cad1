"""Writes random programs: `generate.program(kind, seed)`."""
