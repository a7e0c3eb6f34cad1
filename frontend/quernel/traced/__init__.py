"""Values of the program that is captured, and the tracer that records what is done to them."""
