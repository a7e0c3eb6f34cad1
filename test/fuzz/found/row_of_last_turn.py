def compute(b, c):
    for x in b:
        y = x
        if x[0] > 2:
            break
    for i in range(len(b)):
        r = b[::-1][i]
        b += 1
    r[:] = 0
    s = b[0]
    for k in range(int(c[0])):
        s = b[k]
    if c[1] > 1:
        t = b[int(c[1]) % 2]
        t[0] = 7
    else:
        t = b[0]
    t[1] = 9
    return x, y, r, s, t


SPEC = {
    "arguments": [["b", "float64", ["m", "n"], ""], ["c", "int64", ["n"], "index"]],
    "calls": [
        {"n": 2, "m": 7, "seed": 1, "layouts": ["C", "C"], "special": False},
        {"n": 2, "m": 7, "seed": 2, "layouts": ["F", "C"], "special": False},
        {"n": 7, "m": 7, "seed": 3, "layouts": ["reversed", "C"], "special": False},
        {"n": 3, "m": 7, "seed": 4, "layouts": ["C", "C"], "special": False},
    ],
    "dynamic": None,
}
