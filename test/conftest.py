"""What a test compiles has its IR verified after each pass, and tests can be interrupted."""

import os
import signal

os.environ["QUERNEL_VERIFY_PASSES"] = "1"

# A shell has its background jobs ignore SIGINT, and Python inherits that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
