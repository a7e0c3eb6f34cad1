def compute(a):
    n = len(a)
    for _ in range(1, -1, -1):
        for _ in range(n // 2):
            w = a
            a[1:-1] = w[:-2] + w[2:]


SPEC = {
    "arguments": [["a", "float64", ["n"], ""]],
    "calls": [
        {"n": 2, "m": 2, "seed": 1, "layouts": ["C"], "special": False},
        {"n": 33, "m": 2, "seed": 2, "layouts": ["C"], "special": False},
    ],
    "dynamic": True,
}
