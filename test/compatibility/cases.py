"""A call of each public function of NumPy, ufunc, module of functions and method of arrays.

`x` and `y` are vectors of six elements, `m` is a matrix of 4 by 5, `s` a regular one of 4 by 4,
`p` a positive definite one, `q` a 2 by 2 by 2 by 2 array, all of the dtype that is asked for; `i`
and `j` are indices below 4, `b` is a mask of six elements. What is marked by `!` gives values that
NumPy doesn't promise; what is marked by `-` isn't called, since it is about the interpreter or
about files.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

DTYPES = (
    *("bool", "uint8", "int32", "int64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
)

FUNCTIONS = """
abs(x)
all(m, axis=1)
allclose(x, y)
amax(m, axis=0)
amin(m)
angle(x)
any(m, axis=0)
append(x, y)
apply_along_axis(np.sum, 0, m)
apply_over_axes(np.sum, m, [0, 1])
arange(2, 20, 3)
argmax(m, axis=1)
argmin(m)
argpartition(x, 2)
argsort(m, axis=0)
argwhere(x)
around(x, 1)
array([x, y])
array2string(x)
array_equal(x, y)
array_equiv(x, y)
array_repr(x)
array_split(x, 4)
array_str(x)
asanyarray(x)
asarray(m)
asarray_chkfinite(x)
ascontiguousarray(m)
asfortranarray(m)
asmatrix(m)
astype(m, np.float32)
atleast_1d(x[0], y)
atleast_2d(x)
atleast_3d(m)
average(m, axis=0, weights=i[:4])
bartlett(6)
base_repr(5)
binary_repr(5)
bincount(i)
blackman(6)
block([[m, m], [m, m]])
bmat([[s, s]])
broadcast_arrays(x, m[:, :1])
broadcast_shapes((3, 1), (1, 4))
broadcast_to(x, (3, 6))
busday_count('2024-01-01', '2024-02-01')
busday_offset('2024-01-01', 3)
can_cast(x.dtype, float)
choose(i % 2, [x[:4], y[:4]])
clip(x, y[0], y[1])
column_stack((x, y))
common_type(x, y)
compress(b, x)
concat((x, y))
concatenate((m, m), axis=1)
convolve(x, y[:3])
copy(m)
copyto(x, y)
corrcoef(m)
correlate(x, y, 'full')
count_nonzero(m, axis=0)
cov(m)
cross(m[0, :3], m[1, :3])
cumprod(m, axis=1)
cumsum(m)
cumulative_prod(x)
cumulative_sum(x)
datetime_as_string(np.datetime64('2024-01-01'))
datetime_data(np.dtype('M8[D]'))
delete(x, 2)
diag(s)
diag_indices(4)
diag_indices_from(s)
diagflat(x)
diagonal(m, 1)
diff(m)
digitize(x, np.array([1, 3, 5]))
dot(m, m.T)
dsplit(m.reshape(2, 2, 5)[:, :, :4], 2)
dstack((x, y))
ediff1d(x)
einsum('ij,kj->ik', m, m)
einsum_path('ij,kj->ik', m, m)
empty(3) !
empty_like(m) !
expand_dims(x, 0)
extract(b, x)
eye(4, 5, 1)
fill_diagonal(s, x[0])
fix(x)
flatnonzero(x)
flip(m)
fliplr(m)
flipud(m)
format_float_positional(1.5)
format_float_scientific(1.5)
from_dlpack(x)
fromfile('nowhere') -
frombuffer(x)
fromfunction(lambda r, c: r + c, (3, 3))
fromiter(x, float)
frompyfunc(lambda a: a, 1, 1)(x)
fromregex('nowhere', 'x', float) -
fromstring('1 2', sep=' ')
full((2, 3), 1.5)
full_like(m, 2)
genfromtxt(['1 2'])
geomspace(1.0, 9.0, 5)
get_include()
get_printoptions()
getbufsize()
geterr()
geterrcall()
gradient(x)
hamming(6)
hanning(6)
histogram(x, 5)
histogram2d(x, y, 4)
histogram_bin_edges(x, 5)
histogramdd(m, 3)
hsplit(m[:, :4], 2)
hstack((x, y))
i0(x)
identity(4)
imag(x)
indices((3, 3))
info(np.sum) -
inner(x, y)
insert(x, 2, y[0])
interp(x, np.array([1.0, 3.0, 6.0]), np.array([2.0, 0.0, 5.0]))
intersect1d(x, y)
is_busday('2024-01-01')
isclose(x, y)
iscomplex(x)
iscomplexobj(x)
isdtype(x.dtype, 'real floating')
isfortran(m)
isin(x, y)
isneginf(x)
isposinf(x)
isreal(x)
isrealobj(x)
isscalar(x)
issubdtype(x.dtype, np.floating)
iterable(x)
ix_(i, j)
kaiser(6, 2.0)
kron(s, s)
lexsort((x, y))
linspace(0, 1, 5)
load('nowhere') -
loadtxt(['1 2'])
logspace(0, 1, 5)
mask_indices(4, np.triu)
matrix_transpose(m)
max(m, axis=1, keepdims=True)
may_share_memory(x, x[1:])
mean(m, axis=0)
median(m, axis=1)
meshgrid(x, y)
min(m)
min_scalar_type(5)
mintypecode(['f', 'd'])
moveaxis(m, 0, 1)
nan_to_num(x)
nanargmax(m, axis=0)
nanargmin(m)
nancumprod(x)
nancumsum(m, axis=1)
nanmax(m, axis=1)
nanmean(m, axis=0)
nanmedian(m)
nanmin(m)
nanpercentile(m, 30)
nanprod(m, axis=0)
nanquantile(m, 0.3)
nanstd(m)
nansum(m, axis=1)
nanvar(m, axis=0)
ndim(m)
nested_iters(x, [[0]]) -
nonzero(x)
ones((2, 3))
ones_like(m)
outer(x, y)
packbits(b)
pad(x, 2)
partition(x, 2)
percentile(m, 30)
permute_dims(m, (1, 0))
piecewise(x, [x < 2, x >= 2], [1, lambda v: v + 1])
place(x, b, y)
poly(x)
polyadd(x, y)
polyder(x)
polydiv(x, y[:3])
polyfit(x, y, 2)
polyint(x)
polymul(x, y)
polysub(x, y)
polyval(x, y)
printoptions()
prod(m, axis=0)
promote_types(x.dtype, np.int64)
ptp(m, axis=0)
put(x, i, y[:4])
put_along_axis(x, i, y[0], 0)
putmask(x, b, y)
quantile(m, 0.3)
ravel(m)
ravel_multi_index((i, j), (4, 5))
real(x)
real_if_close(x)
repeat(x, 3)
require(x)
reshape(m, (5, 4))
resize(x, (3, 3))
result_type(x, i)
roll(m, 2, axis=1)
rollaxis(m, 1)
roots(x)
rot90(m)
round(x, 1)
row_stack((x, y))
save('nowhere/at/all', x) -
savetxt('nowhere/at/all', x) -
savez('nowhere/at/all', x) -
savez_compressed('nowhere/at/all', x) -
searchsorted(np.sort(x), y)
select([x < 2, x >= 4], [x, y])
set_printoptions()
setbufsize(8192)
setdiff1d(x, y)
seterr()
seterrcall(None)
setxor1d(x, y)
shape(m)
shares_memory(x, x[1:])
show_config() -
show_runtime() -
sinc(x)
size(m)
sort(m, axis=0)
sort_complex(x)
split(x, 3)
squeeze(m[None])
stack((x, y), axis=1)
std(m, axis=1)
sum(m, axis=0)
swapaxes(m, 0, 1)
take(m, i, axis=0)
take_along_axis(x, i, 0)
tensordot(s, s)
test() -
tile(x, 2)
trace(m)
transpose(m)
trapezoid(x)
tri(4, 5, 1)
tril(m)
tril_indices(4)
tril_indices_from(s)
trim_zeros(x)
triu(m, 1)
triu_indices(4)
triu_indices_from(s)
typename('d')
union1d(x, y)
unique(x)
unique_all(x)
unique_counts(x)
unique_inverse(x)
unique_values(x)
unpackbits(i.astype(np.uint8))
unravel_index(i, (4, 5))
unstack(m)
unwrap(x)
vander(x[:4])
var(m, axis=0)
vdot(x, y)
vectorize(lambda v: v + 1)(x)
vsplit(m, 2)
vstack((x, y))
where(b, x, y)
zeros((2, 3))
zeros_like(m)
"""

LINALG = """
cholesky(p)
cond(s)
cross(m[0, :3], m[1, :3])
det(s)
diagonal(m)
eig(s)
eigh(p)
eigvals(s)
eigvalsh(p)
inv(s)
lstsq(m, x[:4])
matmul(s, s)
matrix_norm(m)
matrix_power(s, 3)
matrix_rank(s)
matrix_transpose(m)
multi_dot([s, s, s])
norm(m)
outer(x, y)
pinv(s)
qr(m)
slogdet(s)
solve(s, x[:4])
svd(m)
svdvals(m)
tensordot(s, s)
tensorinv(q)
tensorsolve(q, s[:2, :2])
trace(m)
vecdot(x, y)
vector_norm(x)
"""

FFT = """
fft(m)
fft2(m)
fftfreq(6)
fftn(m)
fftshift(x)
hfft(x)
ifft(x)
ifft2(m)
ifftn(m)
ifftshift(x)
ihfft(x)
irfft(x)
irfft2(m)
irfftn(m)
rfft(x)
rfft2(m)
rfftfreq(6)
rfftn(m)
"""

METHODS = """
T
all(axis=0)
any()
argmax(axis=1)
argmin()
argpartition(2)
argsort()
astype(np.float32)
base
byteswap()
choose([1, 2])
clip(1, 3)
compress([True, False, True], axis=0)
conj()
conjugate()
copy()
ctypes
cumprod()
cumsum(axis=1)
data
device
diagonal()
dot(m.T)
dtype
dump('nowhere/at/all') -
dumps()
fill(1)
flags.c_contiguous
flat
flatten()
getfield(np.uint8) ^ 1
imag
item(3)
itemsize
mT
max(axis=0)
mean(axis=1)
min()
nbytes
ndim
nonzero()
partition(2)
prod()
put([1, 2], 1)
ravel()
real
repeat(2)
reshape(5, 4)
resize(4, 5)
round(1)
searchsorted(3)
setfield(1, np.uint8)
setflags(write=False)
shape
size
sort()
squeeze()
std()
strides
sum(axis=0)
swapaxes(0, 1)
take([1, 2], axis=1)
to_device('cpu')
tobytes()
tofile('nowhere/at/all') -
tolist()
trace()
transpose()
var()
view(np.uint8) ^ 1
"""

SCIPY = {
    "scipy.fft": """
fft(m)
fft2(m)
fftn(m)
fftfreq(6)
fftshift(x)
hfft(x)
ifft(x)
ifft2(m)
ifftn(m)
ihfft(x)
irfft(x)
irfft2(m)
irfftn(m)
rfft(x)
rfft2(m)
rfftn(m)
dct(x)
""",
    "scipy.linalg": """
block_diag(s, m)
cho_factor(p)
cho_solve((p, True), x[:4])
cholesky(p)
circulant(x)
det(s)
eigh(p)
expm(s)
hankel(x, y)
inv(s)
lu(s)
lu_factor(s)
lu_solve((s, np.arange(4)), x[:4])
norm(m)
pinv(s)
qr(m)
solve(s, x[:4])
solve_banded((1, 1), m[:3], x[:5])
solve_triangular(s, x[:4])
solveh_banded(np.stack((9 * np.abs(x) + 9, y)), x, lower=True)
svd(m)
svdvals(m)
toeplitz(x)
""",
    "scipy.linalg.lapack": """
dgtsv(x[1:], y + 9, y[1:], x)
dptsv(9 * np.abs(x) + 9, y[1:], x)
sgtsv(x[1:], y + 9, y[1:], x)
sptsv(9 * np.abs(x) + 9, y[1:], x)
""",
    "scipy.integrate": """
cumulative_trapezoid(m)
simpson(x)
trapezoid(m)
""",
    "scipy.ndimage": """
convolve(m, s[:3, :3])
convolve1d(m, [1, 2, 1])
correlate(m, s[:3, :3])
correlate1d(m, [1, 2])
gaussian_filter(m, 1.0)
gaussian_filter1d(m, 1.0)
label(b)
maximum_filter(m, 3)
median_filter(m, 3)
uniform_filter(m, 3)
""",
    "scipy.signal": """
convolve(x, y)
convolve2d(m, s[:3, :3])
fftconvolve(x, y)
find_peaks(x)
hilbert(x)
lfilter([1, 2], [1, 3], x)
""",
    "scipy.spatial.distance": """
cdist(m, m)
euclidean(x, y)
pdist(m)
""",
    "scipy.special": """
betainc(2.0, 3.0, x)
erf(x)
erfc(x)
erfinv(x)
expit(x)
gamma(x)
gammaln(x)
j0(x)
kv(1.5, x)
logit(x)
logsumexp(x)
softmax(m)
xlogy(x, y)
""",
}

# Ufuncs whose operands aren't all of one dtype, or of another shape.
UFUNCS = {
    "isnat": "np.isnat(np.array(['2024-01-01'], 'M8[D]'))",
    "ldexp": "np.ldexp(x, i[0])",
    "matmul": "np.matmul(s, s)",
    "matvec": "np.matvec(s, x[:4])",
    "vecmat": "np.vecmat(x[:4], s)",
}
# Forms that each ufunc of one result has; `{0}` is its name.
UNARY = [
    "{0}(x)",
    "{0}(m, where=m > 2, out=np.zeros_like(m))",
    "{0}(x, dtype=np.float64)",
]
BINARY = [
    "{0}(x, y)",
    "{0}(m, x[:5], out=np.zeros_like(m), casting='unsafe')",
    "{0}(x, y, where=b, out=np.zeros_like(x))",
    "{0}.reduce(m)",
    "{0}.reduce(m, axis=1, keepdims=True)",
    "{0}.accumulate(m, axis=1)",
    "{0}.outer(x, y[:3])",
    "{0}.reduceat(x, [0, 3, 1])",
    "at({0}, x, y)",
]


@dataclass(frozen=True)
class Case:
    """A public name, and the expressions that are tried for it."""

    name: str
    expressions: tuple[str, ...]
    compared: bool = True
    called: bool = True

    @property
    def dtypes(self) -> tuple[str, ...]:
        """The dtypes of its arrays; one where it has none."""
        variables = r"\b[xymspq]\b"
        has_any = any(re.search(variables, text) for text in self.expressions)
        return DTYPES if has_any else ("float64",)


def _listed(text: str, prefix: str) -> list[Case]:
    found = []
    for line in filter(None, text.splitlines()):
        call = line.removesuffix(" !").removesuffix(" -")
        name = re.match(r"\w+", call).group()
        found.append(Case(prefix + name, (prefix + call,), line[-1] != "!", line[-1] != "-"))
    return found


def _ufuncs() -> list[Case]:
    found = []
    for name in sorted(np.__all__):
        ufunc = getattr(np, name)
        if not isinstance(ufunc, np.ufunc):
            continue
        public = f"np.{name}"
        if name in UFUNCS:
            forms = [UFUNCS[name]]
        elif ufunc.nin == 1 and ufunc.nout == 1:
            forms = UNARY
        elif ufunc.nin == 2 and ufunc.nout == 1 and ufunc.signature is None:
            forms = BINARY
        else:
            forms = ["{0}(x, y)" if ufunc.nin == 2 else "{0}(x)"]
        found.append(Case(public, tuple(form.format(public) for form in forms)))
    return found


def _methods() -> list[Case]:
    found = []
    for line in filter(None, METHODS.splitlines()):
        call = line.removesuffix(" -")
        name = re.match(r"\w+", call).group()
        array = "m[0]" if name == "searchsorted" else "m"
        expression = f"of({array}, lambda m: m.{call})"
        found.append(Case(f"ndarray.{name}", (expression,), called=line[-1] != "-"))
    return found


CASES = [
    *_ufuncs(),
    *_listed(FUNCTIONS, "np."),
    *_listed(LINALG, "np.linalg."),
    *_listed(FFT, "np.fft."),
    *_methods(),
    *(case for module, text in SCIPY.items() for case in _listed(text, f"{module}.")),
]
