"""What a call goes through: programs that answer it, from disk or compiled, or NumPy."""
