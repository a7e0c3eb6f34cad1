import numpy as np
from program import run, same

X, at = np.array([1.0, 2.0, 3.0]), np.array([1, 2, 0])
assert run("steps", [np.array(2), X, at], (3,)) == 0
same(X, np.array([2.0, 3.0, 1.0]))
# Ctrl-C in the third turn, with memory held in every turn.
X = np.array([1.0, 2.0, 3.0])
assert run("steps", [np.array(5), X, at], (3,), polls=3) == 2
same(X, np.array([2.0, 3.0, 1.0]))
# A check fails in a kernel, in one thread and in one of many.
for threads in (1, 3):
    numbers: list[int] = []
    at = np.array([1, 7, 0])
    assert run("steps", [np.array(2), X, at], (3,), threads=threads, numbers=numbers) == 16
    assert numbers == [7, 3]

count = np.zeros(1, np.int64)
assert run("collatz", [np.array(27), count]) == 0
assert count[0] == 111
# 0 never gets to 1.
assert run("collatz", [np.array(0), count], polls=1000) == 2

found = np.zeros(1)
assert run("find", [np.array([1.0, 2.0, 5.0, 3.0]), np.array(2.0), found]) == 0
same(found, np.array([2.0]))
assert run("find", [np.array([1.0, -2.0]), np.array(-3.0), found]) == 0
same(found, np.array([1.0]))
assert run("find", [np.array([-1.0, -2.0]), np.array(-3.0), found]) == 17
