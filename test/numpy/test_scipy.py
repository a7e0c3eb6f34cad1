"""Functions of SciPy for which there are sources of ours."""

from __future__ import annotations

import linecache
from pathlib import Path

import numpy as np
import pytest
import scipy.fft
import scipy.integrate
import scipy.linalg
import scipy.ndimage
import scipy.signal
import scipy.spatial.distance
import scipy.special
import scipy.stats
from support import module_of

import quernel as qn

RANDOM = np.random.default_rng(0)
S = RANDOM.random((5, 5)) + 5 * np.eye(5)
ARGUMENTS = {
    "s": S,
    "p": S @ S.T,
    "v": RANDOM.random(5),
    "x": RANDOM.random(20),
    "m": RANDOM.random((12, 14)),
    "z": S + 1j * (S @ S.T),
}
IMPORTS = """import numpy as np
import scipy.fft
import scipy.integrate
import scipy.linalg
import scipy.ndimage
import scipy.signal
import scipy.spatial.distance
"""
CALLS = """
scipy.linalg.solve(s, v)
scipy.linalg.solve(z, s)
scipy.linalg.solve(s, m[:5], transposed=True)
scipy.ndimage.maximum_filter(m, 3)
scipy.ndimage.minimum_filter(m, (2, 5), mode='constant', cval=0.5)
scipy.ndimage.maximum_filter((9 * m).astype('i4'), 4, origin=-1)
scipy.ndimage.median_filter(m, 3)
scipy.ndimage.median_filter(x, 4, mode='wrap')
scipy.ndimage.uniform_filter(m, 3)
scipy.ndimage.uniform_filter(m.astype('f4'), (1, 4), mode='nearest')
scipy.ndimage.uniform_filter1d(m, 5, axis=0, origin=1)
scipy.signal.convolve(x, v)
scipy.signal.convolve(x, v, 'same')
scipy.signal.convolve(v, x, mode='valid')
scipy.signal.convolve(np.arange(9), np.arange(4), 'same')
scipy.signal.fftconvolve(x, v)
scipy.signal.fftconvolve(x[None], v[:, None], 'valid')
scipy.signal.convolve2d(s[:3, :3], m, 'valid')
scipy.signal.fftconvolve(m, s, 'same')
scipy.signal.fftconvolve(m, z, mode='valid')
scipy.linalg.pinv(m)
scipy.linalg.pinv(z, rtol=0.5)
scipy.linalg.pinv((9 * s).astype(int))
scipy.linalg.inv(s)
scipy.linalg.cholesky(p)
scipy.linalg.cholesky(p,lower=True)
scipy.linalg.cho_factor(p)
scipy.linalg.cho_factor(p,lower=True)
scipy.linalg.cho_solve(scipy.linalg.cho_factor(p),v)
scipy.linalg.cho_solve(scipy.linalg.cho_factor(p,True),s)
scipy.linalg.qr(m)
scipy.linalg.qr(m,mode='economic')
scipy.linalg.qr(m,mode='r')
scipy.linalg.block_diag(s,[1,2],p)
scipy.linalg.solve_triangular(z,v)
scipy.linalg.solve_triangular(z,s,trans=2,lower=True)
scipy.linalg.solve_triangular(s,v,trans=1,unit_diagonal=True)
scipy.linalg.solve_triangular(s.astype('f4'),v.astype('f4'))
scipy.linalg.lu(s)
scipy.linalg.lu(m)
scipy.linalg.lu(m.T)
scipy.linalg.lu(z,permute_l=True)
scipy.linalg.lu((9*s).astype(int),p_indices=True)
scipy.linalg.lu_factor(m)
scipy.linalg.lu_factor(p.astype('f4'))
scipy.linalg.lu_solve(scipy.linalg.lu_factor(s),v)
scipy.linalg.lu_solve(scipy.linalg.lu_factor(z),s,trans=2)
scipy.linalg.lu_solve(scipy.linalg.lu_factor(s),m[:5],trans=1)
scipy.linalg.det(z)
scipy.linalg.svd(m,full_matrices=False)
scipy.linalg.svd(m,compute_uv=False)
scipy.linalg.norm(z,1)
scipy.linalg.toeplitz(v,x[:3])
scipy.linalg.toeplitz(z[0])
scipy.linalg.hankel(v,x[:4])
scipy.linalg.hankel(v)
scipy.linalg.circulant(v)
scipy.linalg.inv(z)
scipy.linalg.inv(np.arange(1,5).reshape(2,2))
scipy.fft.fft(x,8)
scipy.fft.fft(m,axis=0,norm='ortho')
scipy.fft.ifft(z)
scipy.fft.rfft(m.astype('f4'))
scipy.fft.irfft(z,7)
scipy.fft.fft2(m,(8,16))
scipy.fft.ifft2(z)
scipy.fft.ifft2(m)
scipy.fft.ifft(m,7,axis=0,norm='forward')
scipy.fft.fft2(m,(5,-1))
scipy.fft.ifftn(m,(-1,),(0,),norm='ortho')
scipy.fft.fftn(m,axes=(1,0))
scipy.fft.rfft2(m)
scipy.fft.irfft2(z)
scipy.fft.fftn(m,(4,))
scipy.fft.ifftn(z)
scipy.fft.rfftn(m,axes=(0,))
scipy.fft.irfftn(z)
scipy.fft.hfft(z[0])
scipy.fft.ihfft(x)
scipy.fft.fft(x,workers=2)
scipy.fft.fft(np.arange(6))
scipy.signal.hilbert(x)
scipy.ndimage.convolve(m,s[:3,:3])
scipy.ndimage.convolve(m,s[:3,:3],mode='wrap')
scipy.ndimage.convolve(m,s[:3,:5],mode='constant',cval=2.0)
scipy.ndimage.correlate(m,s[:2,:4],mode='nearest')
scipy.ndimage.correlate(m,s[:3,:3],mode='mirror')
scipy.ndimage.convolve1d(m,v,axis=0)
scipy.ndimage.convolve1d(m,v[:4],mode='nearest')
scipy.ndimage.correlate1d(m,v[:4],origin=1)
scipy.ndimage.convolve1d(m,v[:4],origin=-1)
scipy.ndimage.gaussian_filter(m,1.5)
scipy.ndimage.gaussian_filter(m,(1,2),mode='constant')
scipy.ndimage.gaussian_filter1d(x,2,truncate=2)
scipy.ndimage.gaussian_filter((m*100).astype(int),1.0)
scipy.ndimage.convolve((m*9).astype('i4'),np.ones((3,3),int))
scipy.ndimage.gaussian_filter(m.astype('f4'),1.0)
scipy.ndimage.correlate(x,v)
scipy.signal.convolve2d(m,s[:3,:2])
scipy.signal.convolve2d(m,s[:3,:2],'same')
scipy.signal.convolve2d(m,s[:4,:4],mode='valid')
scipy.signal.convolve2d(m,s[:4,:4],mode='same',fillvalue=1.5)
scipy.signal.lfilter([1.,.5],[1.,-.3,.1],x)
scipy.signal.lfilter(v,[2.0],m,axis=0)
scipy.signal.lfilter([.2],[1.,-.8],m)
scipy.integrate.trapezoid(m,dx=.5)
scipy.integrate.cumulative_trapezoid(x)
scipy.integrate.cumulative_trapezoid(m,axis=0,initial=0)
scipy.integrate.cumulative_trapezoid(x,np.cumsum(x))
scipy.spatial.distance.cdist(m,m)
scipy.spatial.distance.cdist(m,s[:,:1]+m[:5],'cityblock')
scipy.spatial.distance.cdist(m,m,'sqeuclidean')
scipy.spatial.distance.cdist(m,m,'chebyshev')
scipy.spatial.distance.cdist(m,m,'cosine')
scipy.spatial.distance.pdist(m)
scipy.spatial.distance.pdist(np.round(m*3),'hamming')
scipy.spatial.distance.pdist(m.astype('f4'),'correlation')
scipy.spatial.distance.squareform(scipy.spatial.distance.pdist(m,'cityblock'))
scipy.spatial.distance.squareform(scipy.spatial.distance.cdist(s,s),checks=False)
scipy.spatial.distance.squareform(s+s.T-np.diag(2*np.diag(s)))
scipy.spatial.distance.euclidean(x,v[0]*x)
scipy.ndimage.convolve(m,s[:2,:2])
scipy.ndimage.convolve(m,s[:4,:3],mode='constant',origin=(1,0))
scipy.ndimage.correlate(m,s[:3,:4],mode='mirror',origin=-1)
scipy.ndimage.gaussian_filter(m, 9.0, truncate=3.0)
scipy.ndimage.correlate(m, np.ones((9, 9)))
"""


def function_of(call: str, path: Path):
    text = f"{IMPORTS}\n\ndef call({', '.join(ARGUMENTS)}):\n    return {call}\n"
    function = module_of(path / "called.py", text).call
    linecache.checkcache(str(path / "called.py"))
    return function


def assert_near(got, want):
    assert type(got) is type(want)
    if isinstance(want, tuple):
        assert len(got) == len(want)
        for pair in zip(got, want, strict=True):
            assert_near(*pair)
        return
    got, want = np.asarray(got), np.asarray(want)
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    np.testing.assert_allclose(got, want, 1e-5 if want.dtype in ("f4", "c8") else 1e-9, 1e-12)


@pytest.mark.parametrize("call", CALLS.split("\n")[1:-1])
def test_answers_are_scipys(call, tmp_path):
    function = function_of(call, tmp_path)
    given = ARGUMENTS.values()
    want = function(*(x.copy() for x in given))
    assert_near(qn.compile(function, fullgraph=True)(*(x.copy() for x in given)), want)


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda x: scipy.signal.lfilter([1.0], [1.0], x, zi=x[:0]), "zi= of lfilter, in SciPy"),
        (
            lambda x: scipy.linalg.solve_triangular(x[None, :, None] * x, x),
            "batches of triangular systems",
        ),
        (lambda x: scipy.linalg.toeplitz(x[None]), "batches of matrices"),
        (lambda x: scipy.linalg.lu(x[None, None]), "batches of matrices"),
        (lambda x: scipy.linalg.lu_factor(x[None, None]), "batches of matrices"),
        (lambda x: scipy.linalg.lu(x[None]), "matrices of one row or column"),
        (lambda x: scipy.linalg.lu_solve((x[None, None], x), x), "batches of systems"),
        (lambda x: scipy.linalg.hankel(x) @ scipy.linalg.circulant(x[None]), "batches of matrices"),
        (lambda x: scipy.fft.fft(x, plan=1), "plan= of scipy.fft"),
        (lambda x: scipy.linalg.inv(x[:, None], assume_a="pos"), "assume_a= of inv"),
        (lambda x: scipy.linalg.solve(x[:, None] * x, x, assume_a="pos"), "assume_a= of solve"),
        (lambda x: scipy.linalg.solve(x[:, None, None], x), "batches of systems"),
        (lambda x: scipy.ndimage.maximum_filter(x, 2, axes=0), "footprint=, output= and axes= of"),
        (lambda x: scipy.ndimage.uniform_filter1d(x > 1, 2), "images of other dtypes than floats"),
        (lambda x: scipy.signal.convolve(x[None], x[None]), "convolutions of several axes, and of"),
        (lambda x: scipy.signal.fftconvolve(x, x, axes=0), "axes= of fftconvolve, and arrays of"),
        (lambda x: scipy.signal.fftconvolve(x.astype(int), x), "convolutions of integers by"),
        (lambda x: scipy.linalg.pinv(x[:, None], atol=1), "atol= and return_rank= of pinv"),
        (lambda x: scipy.linalg.qr(x[:, None], pivoting=True), "pivoting and modes of qr"),
        (lambda x: scipy.spatial.distance.cdist(x[:, None], x[:, None], "dice"), "a distance of"),
        (lambda x: scipy.spatial.distance.pdist(x[:, None] * 1j), "distances of complex numbers"),
        (lambda x: scipy.spatial.distance.squareform(x[:, None] * x), "matrices of no distances"),
        (
            lambda x: scipy.spatial.distance.squareform(x[None, None]),
            "squareform of more than two axes",
        ),
        (lambda x: scipy.stats.skew(x, nan_policy="other"), "an unknown nan_policy"),
        (lambda x: scipy.stats.skew(x[None], axis=0.0), "axes that aren't integers"),
        (lambda x: scipy.stats.skew(np.log(x - 1)), "NaN in samples"),
        (lambda x: scipy.spatial.distance.euclidean(x, x, x), "weights of distances"),
        (
            lambda x: scipy.ndimage.correlate1d(x, [1], output=x),
            "output= of filters, and images of",
        ),
        (lambda x: scipy.ndimage.gaussian_filter1d(x, 1, order=1), "derivatives of gaussian"),
        (lambda x: scipy.ndimage.gaussian_filter(x, 1, axes=(0,)), "axes= of filters"),
        (lambda x: scipy.ndimage.correlate(x, [1], origin=1), "origins outside of the weights"),
        (lambda x: scipy.ndimage.correlate(x, [1], output=x), "output= and axes= of filters, and"),
        (
            lambda x: scipy.signal.convolve2d(x[None], x[None], boundary="wrap"),
            "boundaries of convolutions",
        ),
        (lambda x: scipy.signal.lfilter([1.0], [1.0], x * 1j), "filters of complex numbers"),
        (lambda x: scipy.signal.lfilter([1], [1], x > 0), "filters of integers"),
        (lambda x: scipy.linalg.det(x[:, None] > x), "matrices of bools, and of integers of 8"),
        (lambda x: scipy.special.softmax(x > 1), "softmax of bools, and of integers of 8 and"),
    ],
)
def test_what_is_left_to_scipy(call, reason):
    with pytest.raises(qn.errors.UnsupportedError) as raised:
        qn.compile(call, fullgraph=True)(np.arange(4.0))
    assert str(raised.value).find(f"{reason}") >= 0


@pytest.mark.parametrize(
    "call",
    [
        lambda x: scipy.linalg.det(np.log(x - x)[:, None] * x),
        lambda x: scipy.linalg.solve_triangular(x[:, None] * 0 * x, x),
        lambda x: scipy.linalg.solve_triangular(x[:, None] * x[:2], x),
        lambda x: scipy.linalg.lu_solve((x[:, None] * x, [0, 1, 2, 3]), x[:2]),
        lambda x: scipy.signal.convolve2d(x[None], x[None], "most"),
        lambda x: scipy.signal.convolve2d(x[None], x[:, None], "valid"),
        lambda x: scipy.signal.fftconvolve(x[:2, None] * x, x[:, None] * x[:2], "valid"),
        lambda x: scipy.spatial.distance.cdist(x, x),
        lambda x: scipy.spatial.distance.cdist(x[None], x[:, None]),
        lambda x: scipy.spatial.distance.pdist(x) + 1,
        lambda x: scipy.spatial.distance.squareform(x) + 1,
        lambda x: scipy.spatial.distance.squareform(x[None]),
        lambda x: scipy.spatial.distance.squareform(x, "tovector"),
        lambda x: scipy.spatial.distance.squareform(x[None], "tomatrix"),
        lambda x: scipy.integrate.cumulative_trapezoid(x, initial=3),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_what_scipy_refuses(call):
    x = np.arange(1.0, 5.0)
    with pytest.raises(Exception) as wanted:  # noqa: PT011
        call(x)
    with pytest.raises(type(wanted.value)) as raised:
        qn.compile(call, fullgraph=True)(x)
    assert str(raised.value) == str(wanted.value)
