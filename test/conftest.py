"""Every program that a test compiles has its IR verified after each pass."""

import os

os.environ["QUERNEL_VERIFY_PASSES"] = "1"
