"""The hidden names of an environment that say which jump is under way, and what is returned."""

from __future__ import annotations

RETURNED, BROKE, CONTINUED, RESULT = "%returned", "%broke", "%continued", "%result"
FLAGS = (RETURNED, BROKE, CONTINUED)
JUMPS = (BROKE, RETURNED)  # those that leave a loop
HIDDEN = (*FLAGS, RESULT)
