"""What SciPy computes with NumPy alone, whatever it is given: the numbers count, not the type.

These functions read a buffer through ``__array__`` like anything that NumPy can read.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse.linalg
from clients.comparing import Case
from scipy import integrate, interpolate, linalg, optimize, signal, sparse, spatial, stats
from scipy.spatial import distance

_DRAW = np.random.default_rng(31)
MATRIX = _DRAW.normal(size=(4, 4))
DEFINITE = MATRIX @ MATRIX.T + np.eye(4)
VECTOR = _DRAW.normal(size=4)
POINTS = _DRAW.normal(size=(9, 2))
WAVE = _DRAW.normal(size=64)
TIMES = np.arange(64.0)

CASES: dict[str, Case] = {
    "linalg.solve": lambda a: linalg.solve(a(DEFINITE), a(VECTOR)),
    "linalg.svd": lambda a: linalg.svd(a(MATRIX)),
    "linalg.eigh": lambda a: linalg.eigh(a(DEFINITE)),
    "linalg.expm": lambda a: linalg.expm(a(MATRIX)),
    "linalg.lu": lambda a: linalg.lu(a(MATRIX)),
    "linalg.qr": lambda a: linalg.qr(a(MATRIX)),
    "linalg.inv": lambda a: linalg.inv(a(DEFINITE)),
    "linalg.det": lambda a: linalg.det(a(DEFINITE)),
    "linalg.norm": lambda a: linalg.norm(a(DEFINITE)),
    "spatial.distance.cdist": lambda a: distance.cdist(a(POINTS), a(POINTS)),
    "spatial.distance.pdist": lambda a: distance.pdist(a(POINTS)),
    "spatial.distance.squareform": lambda a: distance.squareform(a(distance.pdist(POINTS))),
    "spatial.distance.cosine": lambda a: distance.cosine(a(POINTS[0]), a(POINTS[1])),
    "spatial.KDTree": lambda a: spatial.KDTree(a(POINTS)).query(a(POINTS[:2]), k=2),
    "spatial.ConvexHull": lambda a: spatial.ConvexHull(a(POINTS)).volume,
    "signal.welch": lambda a: signal.welch(a(WAVE), nperseg=16),
    "signal.periodogram": lambda a: signal.periodogram(a(WAVE)),
    "signal.find_peaks": lambda a: signal.find_peaks(a(WAVE))[0],
    "signal.chirp": lambda a: signal.chirp(a(WAVE), 1.0, 2.0, 3.0),
    "signal.decimate": lambda a: signal.decimate(a(WAVE), 2),
    "signal.stft": lambda a: signal.stft(a(WAVE), nperseg=16),
    "stats.linregress": lambda a: tuple(stats.linregress(a(POINTS[:, 0]), a(POINTS[:, 1]))),
    "stats.kendalltau": lambda a: tuple(stats.kendalltau(a(POINTS[:, 0]), a(POINTS[:, 1]))),
    "stats.spearmanr": lambda a: tuple(stats.spearmanr(a(POINTS[:, 0]), a(POINTS[:, 1]))),
    "stats.ks_2samp": lambda a: tuple(stats.ks_2samp(a(WAVE[:20]), a(WAVE[20:]))),
    "stats.boxcox": lambda a: stats.boxcox(a(np.exp(WAVE))),
    "stats.norm": lambda a: (
        stats.norm.pdf(a(WAVE)),
        stats.norm.cdf(a(WAVE), 0.5, a(np.exp(WAVE))),
    ),
    "stats.norm.fit": lambda a: stats.norm.fit(a(WAVE)),
    "stats.gaussian_kde": lambda a: stats.gaussian_kde(a(WAVE))(a(VECTOR)),
    "integrate.simpson": lambda a: integrate.simpson(a(WAVE), dx=0.1),
    "integrate.solve_ivp": lambda a: integrate.solve_ivp(lambda t, y: -y, (0, 1), a(VECTOR)).y,
    "interpolate.interp1d": lambda a: interpolate.interp1d(a(TIMES), a(WAVE))(a([1.5, 2.5])),
    "interpolate.UnivariateSpline": lambda a: interpolate.UnivariateSpline(a(TIMES), a(WAVE))(
        a([1.5, 2.5])
    ),
    "interpolate.griddata": lambda a: interpolate.griddata(
        a(POINTS), a(POINTS[:, 0]), a(POINTS[:2] * 0.5)
    ),
    "optimize.minimize": lambda a: optimize.minimize(optimize.rosen, a(VECTOR)).x,
    "optimize.curve_fit": lambda a: optimize.curve_fit(
        lambda x, p, q: p * x + q, a(POINTS[:, 0]), a(POINTS[:, 1])
    )[0],
    "optimize.least_squares": lambda a: optimize.least_squares(lambda x: x**2 - 1, a(VECTOR)).x,
    "optimize.root": lambda a: optimize.root(lambda x: x**3 - 1, a(VECTOR)).x,
    "optimize.linprog": lambda a: (
        optimize.linprog(a([1.0, 1.0]), A_ub=a([[-1.0, -2.0]]), b_ub=a([-1.0])).x
    ),
    "optimize.linear_sum_assignment": lambda a: optimize.linear_sum_assignment(a(DEFINITE)),
    "sparse.csr_array": lambda a: sparse.csr_array(a(DEFINITE)).toarray(),
    "sparse @ buffer": lambda a: sparse.csr_array(DEFINITE) @ a(VECTOR),
    "sparse.linalg.spsolve": lambda a: scipy.sparse.linalg.spsolve(
        sparse.csc_array(DEFINITE), a(VECTOR)
    ),
}

REFUSED = {
    "cluster.hierarchy": "cut_tree",
    "integrate": """dblquad fixed_quad lebedev_rule newton_cotes nquad quad quad_vec simpson
        solve_bvp solve_ivp tplquad""",
    "signal": """CZT ShortTimeFFT StateSpace TransferFunction ZerosPolesGain ZoomFFT argrelextrema
        argrelmax argrelmin band_stop_obj BadCoefficients check_NOLA chirp closest_STFT_dual_window
        coherence cont2discrete csd czt czt_points dbode decimate dfreqresp dimpulse dlsim dlti
        dstep find_peaks find_peaks_cwt findfreqs firwin_2d freqresp gausspulse invres invresz
        lombscargle lsim lti max_len_seq peak_prominences peak_widths periodogram qspline2d residue
        residuez sawtooth sepfir2d square ss2tf ss2zpk step sweep_poly symiirorder1 symiirorder2
        tf2ss unique_roots unit_impulse welch zoom_fft zpk2ss""",
    "signal.windows": "dpss",
    "stats": """abs anderson anderson_ksamp barnard_exact bayes_mvs binned_statistic
        binned_statistic_2d binned_statistic_dd binomtest boschloo_exact boxcox boxcox_normmax
        boxcox_normplot bws_test chi2_contingency cumfreq dunnett ecdf energy_distance exp expectile
        fisher_exact kendalltau ks_2samp linregress log logrank make_distribution median_test
        multiscale_graphcorr mvsdist obrientransform order_statistic page_trend_test
        percentileofscore pointbiserialr poisson_means_test ppcc_max ppcc_plot probplot
        quantile_test ranksums relfreq scoreatpercentile shapiro siegelslopes sobol_indices somersd
        spearmanr theilslopes tiecorrect trim1 trimboth truncate tukey_hsd wasserstein_distance
        wasserstein_distance_nd weightedtau yeojohnson yeojohnson_normmax yeojohnson_normplot""",
    "stats.contingency": "association expected_freq margins",
}
"""Functions that SciPy says work on NumPy's arrays alone, by module."""
