import numpy as np
from program import run, same

rng = np.random.default_rng(0)
a, which = rng.random(12), np.array([2, 0, 3, 1])
x, y, flags = rng.normal(size=32), rng.random(32).astype(np.float32), rng.random(32) < 0.5
lanes, scale = rng.random(20), np.array(3.0)
out, count = np.zeros(36), np.zeros(32, np.int32)
buffers = [a, which, x.copy(), y.copy(), flags.copy(), lanes.copy(), scale, out, count]
assert run("program", buffers, (3,)) == 0

same(out[:4], a[:8:2])
same(out[4:8], a[3::-1])
same(out[8:12], a[1::3])
same(out[12:16], a[::3])
same(out[16:20], a[[3, 1, 0, 2]])
same(out[20:28:2], a[1:8:2])
same(out[21:28:2], np.zeros(4))
same(out[28:32], np.where(which > 1, a[which], 0))
same(out[32:36][which], a[:4])

same(buffers[2], np.where(x < 0, -x, 0))
same(buffers[3], np.where(x < 0, y * np.float32(0.5), y))
same(count[8:], (flags | (x < 0)).astype(np.int32)[8:])
same(count[:8], (buffers[3].reshape(4, 8) > 0.5).any(0).astype(np.int32))
same(buffers[4], ~(flags | (x < 0)))

total = lanes[:4] * 3 + lanes[4:8] * 3 + lanes[8:12] * 3
same(buffers[5][:4], np.array([total[1], total[0], 3.0, total[0] + total[0]]))
same(buffers[5][4:8], np.array([3.0, total[3], 3.0, 2.0]))
same(buffers[5][12:], buffers[5][:8].reshape(2, 4).T.reshape(-1))
