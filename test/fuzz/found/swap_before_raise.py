def compute(b, w):
    n = len(b)
    if w[0] > 0:
        t = b.copy()
        for _ in range(2):
            t[1:-1] = (b[:-2] + b[2:]) * 0.5
            t, b = b, t
        if n != 0:
            raise IndexError("too much")
    return b + w


SPEC = {
    "arguments": [["b", "float64", ["n"], ""], ["w", "float64", ["n"], ""]],
    "calls": [
        {"n": 7, "m": 7, "seed": 1, "layouts": ["C", "C"], "special": False},
        {"n": 7, "m": 7, "seed": 2, "layouts": ["C", "C"], "special": False},
        {"n": 7, "m": 7, "seed": 3, "layouts": ["C", "C"], "special": False},
    ],
    "dynamic": None,
}
