"""What NumPy's functions, and indexing, are made of: operations of the graph on traced arrays."""
