//! Quantiles of the normal distribution.

/// Numerator and denominator of a rational approximation, highest power first.
type Ratio = ([f64; 4], [f64; 4]);

/// AS 241: near the middle, in the tails, and in the far tails.
const MIDDLE: Ratio = (
    [
        59.109_374_72,
        159.291_132_02,
        50.434_271_938,
        3.387_132_717_9,
    ],
    [67.187_563_6, 78.757_757_664, 17.895_169_469, 1.0],
);
const TAIL: Ratio = (
    [0.170_238_21, 1.306_728_481_6, 2.756_815_39, 1.423_437_277_7],
    [0.0, 0.120_211_32, 0.737_001_642_5, 1.0],
);
const FAR: Ratio = (
    [
        0.017_337_203_997,
        0.428_682_948_37,
        3.081_226_386,
        6.657_905_115,
    ],
    [0.0, 0.012_258_202_635, 0.241_978_942_25, 1.0],
);

/// The number of standard deviations below which a share of a normal distribution lies: algorithm
/// AS 241, PPND7 (Wichura, Applied Statistics 37, 1988), accurate to 7 digits.
pub fn normal_quantile(share: f64) -> f64 {
    let ratio = |(above, below): &Ratio, x: f64| {
        let value = |terms: &[f64; 4]| terms.iter().fold(0.0, |sum, term| sum * x + term);
        value(above) / value(below)
    };
    let centred = share - 0.5;
    if centred.abs() <= 0.425 {
        return centred * ratio(&MIDDLE, 0.180_625 - centred * centred);
    }
    let tail = (-share.min(1.0 - share).ln()).sqrt();
    let size = if tail <= 5.0 {
        ratio(&TAIL, tail - 1.6)
    } else {
        ratio(&FAR, tail - 5.0)
    };
    size.copysign(centred)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_normal_distribution() {
        // Abramowitz and Stegun, Handbook of Mathematical Functions, table 26.5 and 26.6.
        for (share, expected) in [
            (0.5, 0.0),
            (0.75, 0.674_489_75),
            (0.95, 1.644_853_63),
            (0.025, -1.959_963_98),
            (0.999, 3.090_232_31),
            (1e-12, -7.034_483_83),
        ] {
            let found = normal_quantile(share);
            assert!((found - expected).abs() < 1e-6, "{share}: {found}");
        }
    }
}
