import numpy as np
from program import run, same

rng = np.random.default_rng(0)
for n, steps, threads in ((9, 3, 1), (80, 4, 3), (500, 5, 2)):
    fibonacci = np.zeros(n, np.int64)
    straight, pair, clip, field = rng.random(n), rng.random(2), rng.random(n) * 4, rng.random(n)
    rows = rng.random((n, 16))
    buffers = [
        fibonacci,
        straight.copy(),
        pair.copy(),
        clip.copy(),
        field.copy(),
        field.copy(),
        rows.copy(),
    ]
    assert run("program", buffers, (n, steps), threads) == 0

    expected = np.ones(n, np.int64)
    with np.errstate(over="ignore"):
        for i in range(2, n):
            expected[i] = expected[i - 1] + expected[i - 2]
    same(fibonacci, expected)
    same(buffers[1], straight[::-1])
    same(buffers[2], pair[::-1] if steps % 2 else pair)
    clipped = np.where(clip > 1, 1, clip * 0.5)
    clipped[0] = 7
    same(buffers[3], clipped)
    for _ in range(steps):
        field[1:-1] = (field[:-2] + field[2:]) / float(n)
    same(buffers[4], field)
    sums = np.zeros(n)
    for column in rows.T:
        sums = sums + column
    expected = np.repeat(sums[:, None], 16, 1)
    expected[0, :4] = 0
    same(buffers[6], expected)
