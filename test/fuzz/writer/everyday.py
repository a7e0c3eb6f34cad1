"""What people write every day, with holes for names.

`{x}`, `{y}`: arrays of n elements, `{f}` of floats; `{b}`: a matrix; `{c}`: positions; `{L}` a
number, `{S}` a comparison. A capital letter and a digit is a new name: `{I1}` a Python integer,
`{F1}` a float, `{E1}` an element of `{x}`, `{V1}` an array like `{x}`, `{W1}` one of floats, `{T1}`
anything that isn't used afterwards; of a matrix `{V9}` is a row, and `{W2}` a column, of sums.
"""

IDIOMS = (
    """
{I1} = -1
for {T1}, {T2} in enumerate({x}):
    if {T2} > {L}:
        {I1} = {T1}
        break
""",
    """
for {T1} in {x}:
    if {T1} {S} {L}:
        break
""",
    """
for {T1} in range(len({x})):
    if {x}[{T1}] {S} {L}:
        break
else:
    {T1} = -1
{I1} = {T1}
""",
    """
{I1} = 0
for {T1} in {x}:
    if {T1} {S} {L}:
        {I1} += 1
""",
    """
{I1} = 0
while {I1} < len({x}) and {x}[{I1}] {S} {L}:
    {I1} += 1
""",
    """
{I1} = 0
{I2} = len({x}) - 1
while {I1} < {I2}:
    {x}[{I1}], {x}[{I2}] = {x}[{I2}], {x}[{I1}]
    {I1} += 1
    {I2} -= 1
""",
    """
{V1} = {x}.copy()
for {T1} in range(1, len({V1})):
    {V1}[{T1}] += {V1}[{T1} - 1]
""",
    """
{V1} = {x}.copy()
for {T1} in range(len({V1})):
    for {T2} in range(len({V1}) - 1 - {T1}):
        if {V1}[{T2}] > {V1}[{T2} + 1]:
            {V1}[{T2}], {V1}[{T2} + 1] = {V1}[{T2} + 1], {V1}[{T2}]
""",
    """
for {T1} in range(1, len({x})):
    {T2} = {x}[{T1}]
    {T3} = {T1} - 1
    while {T3} >= 0 and {x}[{T3}] > {T2}:
        {x}[{T3} + 1] = {x}[{T3}]
        {T3} -= 1
    {x}[{T3} + 1] = {T2}
""",
    """
{F1} = 0.0
for {T1}, {T2} in zip({x}, {f}):
    {F1} += {T1} * {T2}
""",
    """
{W1} = np.zeros(n)
for {T1} in range(1, n - 1):
    {W1}[{T1}] = ({f}[{T1} - 1] + {f}[{T1}] + {f}[{T1} + 1]) / 4
""",
    """
for {T1} in range(3):
    {W1} = {f}.copy()
    {f}[1:-1] = ({W1}[:-2] + {W1}[2:]) * 0.5
""",
    """
{f} -= {f}.mean()
if {f}.max() > 0:
    {f} /= {f}.max()
""",
    """
{W1} = np.where({x} {S} {L}, {f}, 0.0)
""",
    """
{V1} = {x}[np.argsort({y}, kind="stable")]
""",
    """
{x}[{x} {S} {L}] = 1
""",
    """
{T1} = {x}
{T1}[0] = 1
{V1} = {T1} + {x}
""",
    """
{F1}, {I1} = -1.0, 0
for {T1} in range(len({f})):
    if abs({f}[{T1}]) > {F1}:
        {F1} = abs({f}[{T1}])
        {I1} = {T1}
""",
    """
{I1}, {I2} = 0, len({x})
while {I1} < {I2}:
    {T1} = ({I1} + {I2}) // 2
    if {x}[{T1}] < {L}:
        {I1} = {T1} + 1
    else:
        {I2} = {T1}
""",
    """
{F1} = 1.0
for {T1} in range(20):
    {T2} = {F1}
    {F1} = 0.5 * ({F1} + 2.0 / {F1})
    if abs({F1} - {T2}) < 1e-3:
        break
""",
    """
{W1} = np.zeros(len({f}))
for {T1} in range(len({f})):
    for {T2} in range({T1} + 1):
        {W1}[{T1}] = max({W1}[{T1}], {f}[{T2}])
""",
    """
{T1}, {T2} = {f}.copy(), {f} * 2
for {T3} in range(3):
    {T1}, {T2} = {T2}, {T1} + {T2} * 0.5
{W1} = {T1} - {T2}
""",
    """
{I1} = 0
for {T1} in {c}:
    if {T1} < 0:
        continue
    {I1} += int({T1})
    if {I1} > 9:
        break
""",
    """
{V1} = {x} + 1 if n > 3 else {x} * 1
""",
    """
if {f}[0] {S} {L}:
    {W1} = {f} * 2
else:
    {W1} = {f}[::-1] + 1
""",
    """
{W1} = np.zeros(n)
for {T1} in range(n):
    {W1}[{T1} % 3 if n > 2 else 0] += {f}[{T1}]
""",
    """
{W1} = np.zeros(n)
for {T1} in range(n):
    {W1}[{c}[{T1}]] += 1
""",
    """
for {T1} in reversed(range(len({x}))):
    if {x}[{T1}] {S} {L}:
        {x}[{T1}] = 0
        break
""",
    """
{T1} = [{f} + 1, {f} - 1]
{W1} = {T1}[0] * 0.5
for {T2} in {T1}:
    {W1} += {T2}
""",
    """
{T1} = []
for {T2} in range(3):
    {T1}.append({f} * {T2})
{W1} = {T1}[-1]
""",
    """
def {T1}(i, by=2):
    return {x}[i] * by
{E1} = {T1}(0)
{x}[-1] = {T1}(0, 1)
""",
    """
{E1} = sum({x})
""",
    """
{I1} = sum(1 if {T1} {S} {L} else 0 for {T1} in {x})
""",
    """
{T1} = {{"old": {f}, "new": {f} * 2}}
{T1}["old"][0] = 1
{W1} = {T1}["new"] - {T1}["old"]
""",
    """
{I1} = 0
while True:
    if {I1} >= len({x}) or {x}[{I1}] {S} {L}:
        break
    {I1} += 1
""",
    """
{E1} = {x}[0]
for {T1} in {x}[1:]:
    if {T1} > {E1}:
        {E1} = {T1}
""",
    """
{E1} = max({x}[0], {L})
for {T1} in {y}:
    {E1} = max({E1}, {T1})
""",
    """
{W1} = {f}
for {T1} in range(2):
    {W1} = {W1} * 0.5 + {T1}
""",
    """
{W1} = {f}
if {W1}[0] {S} {L}:
    {W1} = {W1}.copy()
{W1} += 1
""",
    """
{V1} = np.zeros_like({x})
{V1}[1:] = {x}[:-1]
{V1}[0] = {x}[-1]
""",
    """
{W1} = np.empty(n)
{W1}[::2] = 0
{W1}[1::2] = {f}[1::2]
""",
    """
{W1} = np.full(n, np.inf)
for {T1} in range(n):
    {W1}[{T1}] = min({W1}[{T1}], {f}[{T1}] + 1)
""",
    """
{I1}, {I2} = 0, 0
while {I1} < len({x}) and {I2} < len({y}):
    if {x}[{I1}] < {y}[{I2}]:
        {I1} += 1
    else:
        {I2} += 1
""",
    """
{f}[:], {x} = {f}[::-1].copy(), {x} + 1
""",
    """
{W1} = np.clip({f}, -1, 1)
{W1}[{W1} == 1] = 0
{F1} = float({W1}.sum())
""",
    """
{T1} = {f} > {L}
{I1} = int({T1}.sum())
if {T1}.any():
    {f}[{T1}] -= 1
""",
    """
for {T1} in range(1, n):
    if {f}[{T1}] < {f}[{T1} - 1]:
        {f}[{T1} - 1], {f}[{T1}] = {f}[{T1}], {f}[{T1} - 1]
        continue
    {f}[{T1}] -= 1
""",
)
MATRICES = (
    """
{W2} = {b} @ np.ones({b}.shape[1])
""",
    """
for {T1} in range({b}.shape[0]):
    for {T2} in range({b}.shape[1]):
        if {b}[{T1}, {T2}] {S} {L}:
            break
    else:
        continue
    {b}[{T1}] = 0
""",
    """
{T1} = {b}[0]
for {T2} in range(1, {b}.shape[0]):
    {T1} = {T1} + {b}[{T2}]
{T1}[0] = 1
""",
    """
for {T1} in range({b}.shape[0]):
    {b}[{T1}] = {b}[{T1}] * 2
""",
    """
{F1} = 0.0
for {T1} in range({b}.shape[0]):
    for {T2} in range({b}.shape[1]):
        {F1} += {b}[{T1}, {T2}]
""",
    """
for {T1} in {b}:
    {T1} *= 2
""",
    """
for {T1}, {T2} in enumerate({b}):
    if {T2}[0] {S} {L}:
        {T2}[:] = {T1}
""",
    """
for {T1} in range(1, {b}.shape[0]):
    for {T2} in range(1, {b}.shape[1]):
        {b}[{T1}, {T2}] = ({b}[{T1} - 1, {T2}] + {b}[{T1}, {T2} - 1]) * 0.5
""",
    """
{V9} = {b}.sum(axis=0)
""",
    """
{T1} = {b}.copy()
for {T2} in range(2):
    {T1}[1:-1, 1:-1] = ({b}[:-2, 1:-1] + {b}[2:, 1:-1]) * 0.5
    {T1}, {b} = {b}, {T1}
""",
    """
{T1} = {b}.T
{T1}[0] = 0
""",
)
