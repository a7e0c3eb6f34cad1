"""The tests of other people's packages, run with every function of theirs compiled."""
