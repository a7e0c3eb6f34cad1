import numpy as np
from program import run, same

X, by, unused = np.arange(1.0, 8.0), np.array(3.0), np.zeros(1, np.int64)
for flag in (True, False):
    n, out = 4, np.zeros((4, 4))
    buffers = [X, by, np.array(flag), unused, out]
    assert run("program", buffers, (n, 2)) == 0
    factor = 0.5 if flag else 1.0
    scaled = X[::2] * 3 * factor
    same(out, np.outer(scaled, scaled) * 3 * factor)

# Out of memory at the first temporary and at the second one: an error code, and nothing is kept.
assert run("program", buffers, (n, 2), memory=8) == 1
assert run("program", buffers, (n, 2), memory=8 * n) == 1

# The inverse is transposed, and scaled by its first element; a singular matrix is the program's own matter.
X = np.array([[7.0, 7, 7], [2, 1, 0], [0, 4, 1], [1, 0, 3]])
out = np.zeros((3, 3))
assert run("invert", [X, out], (3,)) == 0
inverse = np.linalg.inv(X[1:]).T
same(out, inverse * inverse[0, 0])
X[1] = 0
assert run("invert", [X, out], (3,)) == 0
