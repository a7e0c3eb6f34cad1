def compute(c):
    x = int(c[0]) + 2**40
    y = 0 if x > 5 else x * x
    if c[0] > 3:
        z = 1.5
    return y, x < 5 and x * x < 100, z if c[0] > 3 else 2.5


SPEC = {
    "arguments": [
        ["c", "int64", ["n"], "index"],
    ],
    "calls": [
        {"n": 7, "m": 7, "seed": 1, "layouts": ["C"], "special": False},
        {"n": 7, "m": 7, "seed": 2, "layouts": ["C"], "special": False},
        {"n": 7, "m": 7, "seed": 3, "layouts": ["C"], "special": False},
    ],
    "dynamic": None,
}
