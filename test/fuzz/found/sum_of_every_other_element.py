def compute(b):
    return b[1::2, ::2].sum(), b[::2, 1::2].mean(), (b[:9, ::2] + b[:9, ::2]).sum()


SPEC = {
    "arguments": [["b", "float64", ["n", "n"], ""]],
    "calls": [
        {"n": 33, "m": 7, "seed": 1, "layouts": ["C"], "special": False},
        {"n": 17, "m": 7, "seed": 2, "layouts": ["C"], "special": False},
        {"n": 35, "m": 7, "seed": 3, "layouts": ["F"], "special": False},
    ],
    "dynamic": None,
}
