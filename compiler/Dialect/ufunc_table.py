"""Turns the ufunc rows of a TableGen JSON dump into a list of macro calls.

Each is QUERNEL_UFUNC(name, arity, kinds, predicate, ulp, combiner).
"""

import json
import sys

source, target = sys.argv[1:]
with open(source) as file:
    records = json.load(file)
rows = [records[name] for name in records["!instanceof"]["Ufunc"]]
lines = [
    f'QUERNEL_UFUNC("{row["ufuncName"]}", {row["ufuncArity"]}, "{row["ufuncKinds"]}", '
    f"{int(row['ufuncResult'] == 'bool')}, {row['ufuncUlp']}, "
    f'"{row["ufuncCombiner"]}")'
    for row in sorted(rows, key=lambda row: row["ufuncName"])
]
with open(target, "w") as file:
    file.write("\n".join(lines) + "\n")
