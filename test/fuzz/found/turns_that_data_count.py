def compute(a, c):
    x = 5
    for _ in range(int(c[0])):
        x = a[1]
    y = a
    for _ in range(int(c[1]) - 9):
        y = a[:]
    return x, y


SPEC = {
    "arguments": [["a", "float64", ["n"], ""], ["c", "int64", ["n"], "index"]],
    "calls": [
        {"n": 2, "m": 7, "seed": 1, "layouts": ["C", "C"], "special": False},
        {"n": 2, "m": 7, "seed": 2, "layouts": ["C", "C"], "special": False},
        {"n": 2, "m": 7, "seed": 4, "layouts": ["C", "C"], "special": False},
        {"n": 2, "m": 7, "seed": 5, "layouts": ["C", "C"], "special": False},
    ],
    "dynamic": None,
}
