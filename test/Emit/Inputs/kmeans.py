import numpy as np
from program import run, same

rng = np.random.default_rng(0)
means = rng.integers(0, 10, (4, 2))
for n in (2, 7, 8, 9, 1000, 100_003):
    for threads in (1, 2, 3):
        X = rng.random((n, 2)) * 10
        out = np.full(n, -1)
        assert run("kmeans", [X, means, out], (n,), threads) == 0
        same(out, np.argmin(np.linalg.norm(X - means[:, None], axis=2), axis=0))
