"""Ctrl-C while a program waits for the emulated device."""

import sys
import textwrap

from emulated_device import run_to_its_end

SCRIPT = """
import os, signal, threading, time
import numpy as np
import quernel as qn

@qn.compile(device="cuda", fullgraph=True)
def many(x, n: int):
    x = x * 1.0
    for _ in range(n):
        x = np.sin(x) + 1.0
    return x

x = qn.to_device(np.ones(20000))
many(x, 3)
asked = many(x, 3000)  # nothing of it is done before somebody waits
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
begun = time.perf_counter()
try:
    asked.to_host()
except KeyboardInterrupt:
    print("interrupted")
assert 0.3 < time.perf_counter() - begun < 20
expected = np.sin(np.sin(np.ones(20000)) + 1.0) + 1.0
np.testing.assert_allclose(many(x, 2).to_host(), expected)
print("done")
"""


def test_a_wait_is_interrupted(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT))
    environment = {"EMULATOR_STREAMS": "late", "QUERNEL_CACHE_DIR": str(tmp_path / "programs")}
    run_to_its_end([sys.executable, str(script)], sys.path, environment)
