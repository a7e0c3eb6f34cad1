"""What a call hands over, as the compiler sees it: leaves, and patterns of what programs take."""
