"""Colours can be told apart by everyone, and stand out from what is behind them.

Colour blindness is simulated by the matrices of Machado, Oliveira and Fernandes ("A
Physiologically-based Model for Simulation of Color Vision Deficiency", IEEE TVCG 15(6), 2009) at
severity 1, in linear light; distances are CIEDE2000 (Sharma, Wu and Dalal, 2005).
"""

import itertools

import numpy as np
import pytest

from headcount.report import palette

LEAST_DISTANCE = 10.0
"""About four times what is just noticed side by side; Okabe and Ito's six have 10.9 at worst."""
LEAST_CONTRAST = 4.5
LEAST_STEP = 7.0
"""Between neighbouring shades of the heat map, which touch."""

SIGHT = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
TOGETHER = {
    "throughput": ("throughput", "cpu", "overload", "capacity"),
    "response": ("p50", "p95", "p99", "limit", "capacity"),
    "configurations": ("one", "two", "three", "four", "five", "six"),
    "spectrum": ("five", "one", "four", "limit"),
    "pair": ("one", "two", "capacity"),
    "published": ("one", "users"),
    "gains": ("one", "two", "users"),
}
"""What stands in one figure."""
SCHEMES: tuple[palette.Scheme, ...] = ("light", "dark", "print")
XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)


def light(colour: str) -> np.ndarray:
    """Linear light of an sRGB colour."""
    parts = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(linear: np.ndarray) -> np.ndarray:
    ratios = (XYZ @ np.clip(linear, 0, 1)) / np.array([0.95047, 1.0, 1.08883])
    f = np.where(ratios > 216 / 24389, np.cbrt(ratios), (24389 / 27 * ratios + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def distance(one: np.ndarray, other: np.ndarray) -> float:
    """CIEDE2000 of two Lab colours."""
    mean_c = (np.hypot(*one[1:]) + np.hypot(*other[1:])) / 2
    g = 0.5 * (1 - np.sqrt(mean_c**7 / (mean_c**7 + 25**7)))
    (l1, a1, b1), (l2, a2, b2) = one, other
    a1, a2 = (1 + g) * a1, (1 + g) * a2
    c1, c2 = np.hypot(a1, b1), np.hypot(a2, b2)
    h1, h2 = np.degrees(np.arctan2(b1, a1)) % 360, np.degrees(np.arctan2(b2, a2)) % 360
    turn = h2 - h1
    turn -= 360 * np.sign(turn) if abs(turn) > 180 else 0
    turn = 0 if c1 * c2 == 0 else turn
    big_h = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2))
    mean_l, mean_c2 = (l1 + l2) / 2, (c1 + c2) / 2
    if c1 * c2 == 0:
        mean_h = h1 + h2
    elif abs(h1 - h2) <= 180:
        mean_h = (h1 + h2) / 2
    else:
        mean_h = (h1 + h2 + (360 if h1 + h2 < 360 else -360)) / 2
    t = (
        1
        - 0.17 * np.cos(np.radians(mean_h - 30))
        + 0.24 * np.cos(np.radians(2 * mean_h))
        + 0.32 * np.cos(np.radians(3 * mean_h + 6))
        - 0.20 * np.cos(np.radians(4 * mean_h - 63))
    )
    s_l = 1 + 0.015 * (mean_l - 50) ** 2 / np.sqrt(20 + (mean_l - 50) ** 2)
    s_c, s_h = 1 + 0.045 * mean_c2, 1 + 0.015 * mean_c2 * t
    r_c = 2 * np.sqrt(mean_c2**7 / (mean_c2**7 + 25**7))
    r_t = -np.sin(np.radians(60 * np.exp(-(((mean_h - 275) / 25) ** 2)))) * r_c
    terms = (l2 - l1) / s_l, (c2 - c1) / s_c, big_h / s_h
    return float(np.sqrt(sum(term**2 for term in terms) + r_t * terms[1] * terms[2]))


def seen(colour: str, sight: str) -> np.ndarray:
    return lab(SIGHT[sight] @ light(colour))


def contrast(one: str, other: str) -> float:
    """WCAG 2.2's ratio."""
    lights = [float(np.dot([0.2126, 0.7152, 0.0722], light(colour))) for colour in (one, other)]
    return (max(lights) + 0.05) / (min(lights) + 0.05)


def test_distances_are_those_of_the_published_formula() -> None:
    # Pairs 1, 7 and 17 of the table of Sharma, Wu and Dalal.
    worked = [
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, 0.0, 0.0), (50.0, -1.0, 2.0), 2.3669),
        ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
    ]
    for one, other, wanted in worked:
        assert distance(np.array(one), np.array(other)) == pytest.approx(wanted, abs=1e-4)


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("figure", TOGETHER)
def test_colours_of_one_figure_can_be_told_apart(
    figure: str, scheme: palette.Scheme, sight: str
) -> None:
    colours = palette.drawn(scheme)
    near = [
        (one, other, round(apart, 1))
        for one, other in itertools.combinations(TOGETHER[figure], 2)
        if (apart := distance(seen(colours[one], sight), seen(colours[other], sight)))
        < LEAST_DISTANCE
    ]
    assert near == []


@pytest.mark.parametrize("scheme", SCHEMES)
def test_lines_marks_and_names_stand_out_from_the_card(scheme: palette.Scheme) -> None:
    card = palette.page(scheme)["card"]
    faint = {
        name: round(contrast(colour, card), 2)
        for name, colour in palette.drawn(scheme).items()
        if not name.startswith("heat") and contrast(colour, card) < LEAST_CONTRAST
    }
    assert faint == {}


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_shades_of_the_heat_map_rise_evenly(scheme: palette.Scheme, sight: str) -> None:
    drawn, card = palette.drawn(scheme), palette.page(scheme)["card"]
    shades = [drawn[f"heat{index}"] for index in range(1, 8)]
    from_card = [contrast(shade, card) for shade in shades]
    assert from_card == sorted(from_card)
    assert from_card[0] > 1.1
    assert from_card[4] > 3
    steps = [
        distance(seen(one, sight), seen(other, sight)) for one, other in itertools.pairwise(shades)
    ]
    assert min(steps) > LEAST_STEP
    line = [distance(seen(shade, sight), seen(drawn["two"], sight)) for shade in shades]
    assert min(line) > LEAST_DISTANCE


def test_every_colour_is_defined_in_every_scheme_and_given_to_a_class() -> None:
    text = palette.variables()
    for name, colour in palette.drawn("light").items():
        assert f"--{name}:{colour};" in text or f"--{name}:{colour}}}" in text
        assert f"svg .{name}{{--c:var(--{name})}}" in text
    assert palette.drawn("light").keys() == palette.drawn("dark").keys()
    assert palette.page("light").keys() == palette.page("dark").keys()
