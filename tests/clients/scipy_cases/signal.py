"""`scipy.signal`: convolution, filters and their design."""

from __future__ import annotations

import numpy as np
from clients.comparing import Case, Maker, Plain
from scipy import signal

_DRAW = np.random.default_rng(13)
WAVE = np.sin(np.arange(64) * 0.3) + 0.2 * _DRAW.normal(size=64)
WAVES = _DRAW.normal(size=(3, 40))
TAPS = [0.2, 0.5, 0.25, 0.05]
IMAGE = _DRAW.normal(size=(24, 30))
KERNEL = [[0.0, 1.0], [2.0, -0.5]]
NUMERATOR, DENOMINATOR = [0.05, 0.1, 0.08], [1.0, -1.2, 0.5]
SECTIONS = [[0.1, 0.2, 0.1, 1.0, -0.6, 0.2], [1.0, -1.0, 0.0, 1.0, -0.3, 0.5]]
ZEROS, POLES, GAIN = [-1.0, -0.5], [0.5 + 0.2j, 0.5 - 0.2j], 0.3
LOW_NUMERATOR, LOW_DENOMINATOR = [1.0], [1.0, 1.4, 1.0]

CONVOLUTIONS = ("convolve", "correlate", "fftconvolve", "oaconvolve")
PROTOTYPES: dict[str, tuple[object, ...]] = {
    "besselap": (4,),
    "buttap": (4,),
    "cheb1ap": (4, 1.0),
    "cheb2ap": (4, 30.0),
    "ellipap": (4, 1.0, 30.0),
}
DESIGNS: dict[str, tuple[object, ...]] = {
    "bessel": (3,),
    "butter": (3,),
    "cheby1": (3, 1.0),
    "cheby2": (3, 30.0),
    "ellip": (3, 1.0, 30.0),
}
ORDERS = ("buttord", "cheb1ord", "cheb2ord", "ellipord")
CHANGES = {"lp2bp": (1.5, 0.5), "lp2bs": (1.5, 0.5), "lp2hp": (1.5,), "lp2lp": (1.5,)}
ONE_ARRAY: dict[str, tuple[object, ...]] = {
    "cspline1d": (),
    "detrend": (),
    "envelope": ((1, 8),),
    "gauss_spline": (3,),
    "hilbert": (),
    "medfilt": (5,),
    "qspline1d": (),
    "resample": (48,),
    "resample_poly": (3, 2),
    "savgol_filter": (7, 2),
    "wiener": (5,),
}


def convolved(name: str) -> Case:
    """Both precisions, each mode, along all axes."""

    def case(a: Maker) -> list[object]:
        function = getattr(signal, name)
        return [
            function(a(WAVE), a(TAPS)),
            function(a(WAVE, "float32"), a(TAPS, "float32"), mode="same"),
            function(a(IMAGE), a(KERNEL), mode="valid"),
        ]

    return case


def designed(name: str) -> Case:
    """A low pass, and a band pass in each form."""

    def case(a: Maker) -> list[object]:
        function, more = getattr(signal, name), DESIGNS[name]
        return [
            function(*more, a(0.3)),
            function(*more, a([0.2, 0.5]), btype="bandpass"),
            function(*more, a([0.2, 0.5]), btype="bandstop", output="zpk"),
            function(*more, a(0.3), output="sos"),
            function(*more, a(2.0), analog=True),
        ]

    return case


def ordered(name: str) -> Case:
    """The order that a low pass and a band pass need."""

    def case(a: Maker) -> list[object]:
        function = getattr(signal, name)
        return [
            function(a(0.2), a(0.3), 3, 40),
            function(a([0.2, 0.5]), a([0.1, 0.6]), 3, 40),
        ]

    return case


def changed(name: str) -> Case:
    """A low pass turned into another filter, by coefficients."""

    def case(a: Maker) -> object:
        return getattr(signal, name)(a(LOW_NUMERATOR), a(LOW_DENOMINATOR), *CHANGES[name])

    return case


def changed_zpk(name: str) -> Case:
    """A low pass turned into another filter, by zeros and poles."""

    def case(a: Maker) -> object:
        return getattr(signal, f"{name}_zpk")(a(ZEROS), a(POLES), GAIN, *CHANGES[name])

    return case


def of_one(name: str) -> Case:
    """A function of a wave, in both precisions."""

    def case(a: Maker) -> list[object]:
        function, more = getattr(signal, name), ONE_ARRAY[name]
        return [function(a(WAVE), *more), function(a(WAVE, "float32"), *more)]

    return case


def prototype(name: str) -> Case:
    """An analogue prototype of a namespace."""
    return lambda a: getattr(signal, name)(*PROTOTYPES[name], xp=a.xp)


CASES: dict[str, Case] = {
    f"signal.{name}": build(name)
    for build, names in (
        (convolved, CONVOLUTIONS),
        (designed, DESIGNS),
        (ordered, ORDERS),
        (changed, CHANGES),
        (of_one, ONE_ARRAY),
        (prototype, PROTOTYPES),
    )
    for name in names
}
CASES |= {f"signal.{name}_zpk": changed_zpk(name) for name in CHANGES}


def filters(a: Maker) -> tuple[object, object]:
    """The coefficients of a filter."""
    return a(NUMERATOR), a(DENOMINATOR)


CASES |= {
    "signal.abcd_normalize": lambda a: signal.abcd_normalize(
        a([[1.0, 2.0], [3.0, 4.0]]), a([[1.0], [0.0]]), a([[0.0, 1.0]]), a([[0.5]])
    ),
    "signal.bilinear": lambda a: signal.bilinear(a(LOW_NUMERATOR), a(LOW_DENOMINATOR), 2.0),
    "signal.bilinear_zpk": lambda a: signal.bilinear_zpk(a(ZEROS), a(POLES), GAIN, 2.0),
    "signal.bode": lambda a: signal.bode(
        (a(LOW_NUMERATOR), a(LOW_DENOMINATOR)), w=a([0.1, 1.0, 10.0])
    ),
    "signal.choose_conv_method": lambda a: signal.choose_conv_method(a(WAVE), a(TAPS)),
    "signal.convolve2d": lambda a: signal.convolve2d(a(IMAGE), a(KERNEL), boundary="symm"),
    "signal.correlate2d": lambda a: signal.correlate2d(a(IMAGE), a(KERNEL), mode="same"),
    "signal.cspline1d_eval": lambda a: signal.cspline1d_eval(
        a(WAVE[:10]), a([0.5, 2.25, 7.0, -1.0]), dx=1.0, x0=0.0
    ),
    "signal.cspline2d": lambda a: Plain(signal.cspline2d(a(IMAGE))),
    "signal.deconvolve": lambda a: signal.deconvolve(a(np.convolve(WAVE, TAPS)), a(TAPS)),
    "signal.filtfilt": lambda a: [
        signal.filtfilt(*filters(a), a(WAVE)),
        signal.filtfilt(*filters(a), a(WAVES), method="gust"),
    ],
    "signal.firls": lambda a: signal.firls(7, a([0.0, 0.3, 0.5, 1.0]), a([1.0, 1.0, 0.0, 0.0])),
    "signal.firwin": lambda a: [
        signal.firwin(9, a(0.3)),
        signal.firwin(9, a([0.2, 0.5]), pass_zero=False, window=("kaiser", 5.0)),
    ],
    "signal.firwin2": lambda a: signal.firwin2(9, a([0.0, 0.5, 1.0]), a([1.0, 0.8, 0.0])),
    "signal.freqs": lambda a: signal.freqs(
        a(LOW_NUMERATOR), a(LOW_DENOMINATOR), worN=a([0.5, 1.0, 2.0])
    ),
    "signal.freqs_zpk": lambda a: signal.freqs_zpk(
        a(ZEROS), a(POLES), GAIN, worN=a([0.5, 1.0, 2.0])
    ),
    "signal.freqz": lambda a: [
        signal.freqz(*filters(a), worN=16),
        signal.freqz(a(TAPS), worN=a([0.1, 0.2, 0.3])),
        signal.freqz(a(TAPS, "float32"), worN=8, whole=True),
    ],
    "signal.freqz_sos": lambda a: signal.freqz_sos(a(SECTIONS), worN=16),
    "signal.freqz_zpk": lambda a: signal.freqz_zpk(a(ZEROS), a(POLES), GAIN, worN=16),
    "signal.gammatone": lambda a: [
        signal.gammatone(440, "iir", fs=16000, xp=a.xp),
        signal.gammatone(440, "fir", numtaps=20, fs=16000, xp=a.xp),
    ],
    "signal.get_window": lambda a: signal.get_window(("kaiser", 4.0), 9, xp=a.xp),
    "signal.group_delay": lambda a: signal.group_delay(filters(a), w=16),
    "signal.hilbert2": lambda a: signal.hilbert2(a(IMAGE)),
    "signal.iircomb": lambda a: signal.iircomb(50.0, 30.0, ftype="peak", fs=200.0, xp=a.xp),
    "signal.iirdesign": lambda a: [
        signal.iirdesign(a(0.2), a(0.3), 1, 40),
        signal.iirdesign(a([0.2, 0.5]), a([0.1, 0.6]), 1, 40, ftype="butter", output="sos"),
    ],
    "signal.iirfilter": lambda a: signal.iirfilter(3, a([0.2, 0.5]), rp=1, rs=40, ftype="ellip"),
    "signal.iirnotch": lambda a: signal.iirnotch(0.3, 30.0, xp=a.xp),
    "signal.iirpeak": lambda a: signal.iirpeak(0.3, 30.0, xp=a.xp),
    "signal.impulse": lambda a: [
        Plain(part)
        for part in signal.impulse(
            (a([[0.0, 1.0], [-1.0, -1.4]]), a([[0.0], [1.0]]), a([[1.0, 0.0]]), a([[0.0]])),
            T=a([0.0, 0.5, 1.0, 1.5]),
        )
    ],
    "signal.lfilter": lambda a: [
        signal.lfilter(*filters(a), a(WAVES)),
        signal.lfilter(*filters(a), a(WAVE), zi=a([0.5, -0.1])),
        signal.lfilter(
            a(NUMERATOR, "float32"), a(DENOMINATOR, "float32"), a(WAVES, "float32"), axis=0
        ),
        signal.lfilter(a(TAPS), 1.0, a(WAVES)),
    ],
    "signal.lfilter_zi": lambda a: signal.lfilter_zi(*filters(a)),
    "signal.lfiltic": lambda a: signal.lfiltic(*filters(a), a([0.5, 0.25]), a([1.0, 2.0])),
    "signal.medfilt2d": lambda a: signal.medfilt2d(a(IMAGE), 3),
    "signal.minimum_phase": lambda a: [
        signal.minimum_phase(a([0.1, 0.3, 0.5, 0.3, 0.1])),
        signal.minimum_phase(a([0.1, 0.3, 0.5, 0.3, 0.1]), method="hilbert"),
    ],
    "signal.normalize": lambda a: signal.normalize(a([1.0, 2.0]), a([2.0, 1.0, 0.5])),
    "signal.order_filter": lambda a: signal.order_filter(a(IMAGE), a(np.ones((3, 3))), 4),
    "signal.place_poles": lambda a: (
        signal.place_poles(
            a([[0.0, 1.0], [-2.0, -3.0]]), a([[0.0], [1.0]]), a([-4.0, -5.0])
        ).gain_matrix
    ),
    "signal.qspline1d_eval": lambda a: signal.qspline1d_eval(
        a(WAVE[:10]), a([0.5, 2.25, 7.0, -1.0])
    ),
    "signal.remez": lambda a: signal.remez(9, a([0.0, 0.2, 0.3, 0.5]), a([1.0, 0.0]), fs=1.0),
    "signal.savgol_coeffs": lambda a: signal.savgol_coeffs(7, 2, deriv=1, xp=a.xp),
    "signal.sos2tf": lambda a: signal.sos2tf(a(SECTIONS)),
    "signal.sos2zpk": lambda a: signal.sos2zpk(a(SECTIONS)),
    "signal.sosfilt": lambda a: [
        signal.sosfilt(a(SECTIONS), a(WAVES)),
        signal.sosfilt(a(SECTIONS), a(WAVE), zi=a([[0.1, 0.2], [0.0, -0.1]])),
    ],
    "signal.sosfilt_zi": lambda a: signal.sosfilt_zi(a(SECTIONS)),
    "signal.sosfiltfilt": lambda a: signal.sosfiltfilt(a(SECTIONS), a(WAVES)),
    "signal.sosfreqz": lambda a: signal.sosfreqz(a(SECTIONS), worN=16),
    "signal.spline_filter": lambda a: signal.spline_filter(a(IMAGE), 2.0),
    "signal.tf2sos": lambda a: signal.tf2sos(*filters(a)),
    "signal.tf2zpk": lambda a: signal.tf2zpk(*filters(a)),
    "signal.upfirdn": lambda a: [
        signal.upfirdn(a(TAPS), a(WAVE), up=3, down=2),
        signal.upfirdn(a(TAPS, "float32"), a(WAVES, "float32"), axis=0),
    ],
    "signal.vectorstrength": lambda a: [
        signal.vectorstrength(a([0.1, 1.2, 1.9, 3.05]), a(1.0)),
        signal.vectorstrength(a([0.1, 1.2, 1.9, 3.05]), a([1.0, 2.0])),
    ],
    "signal.zpk2sos": lambda a: signal.zpk2sos(a(ZEROS), a(POLES), GAIN),
    "signal.zpk2tf": lambda a: signal.zpk2tf(a(ZEROS), a(POLES), GAIN),
}

WINDOWS: dict[str, tuple[object, ...]] = {
    "barthann": (),
    "bartlett": (),
    "blackman": (),
    "blackmanharris": (),
    "bohman": (),
    "boxcar": (),
    "chebwin": (60.0,),
    "cosine": (),
    "exponential": (),
    "flattop": (),
    "gaussian": (2.0,),
    "general_gaussian": (1.5, 2.0),
    "general_hamming": (0.6,),
    "hamming": (),
    "hann": (),
    "kaiser": (8.0,),
    "lanczos": (),
    "nuttall": (),
    "parzen": (),
    "taylor": (),
    "triang": (),
    "tukey": (),
}


def windowed(name: str) -> Case:
    """A window of odd and one of even length, symmetric and periodic."""

    def case(a: Maker) -> list[object]:
        function, more = getattr(signal.windows, name), WINDOWS[name]
        return [
            function(9, *more, xp=a.xp),
            function(8, *more, sym=False, xp=a.xp),
            function(1, *more, xp=a.xp),
        ]

    return case


CASES |= {f"signal.windows.{name}": windowed(name) for name in WINDOWS}
CASES |= {
    "signal.windows.general_cosine": lambda a: signal.windows.general_cosine(9, a([0.5, 0.3, 0.2])),
    "signal.windows.get_window": lambda a: signal.windows.get_window("hann", 9, xp=a.xp),
    "signal.windows.kaiser_bessel_derived": lambda a: signal.windows.kaiser_bessel_derived(
        8, 4.0, xp=a.xp
    ),
}
