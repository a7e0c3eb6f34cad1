"""Random programs of whole functions, held against NumPy in everything that they do."""
