"""NumPy's own tests, and the array API's, with `quernel.numpy` in NumPy's place."""
