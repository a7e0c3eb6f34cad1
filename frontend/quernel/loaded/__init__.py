"""Functions of the user's own C++ texts: what they take and give, and what a call of one is."""
