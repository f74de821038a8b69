//! The sections that a wing can have.

use crate::generate::naca0012;
use crate::generate::spline::Spline;

/// A symmetric section of chord 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    /// The NACA0012, whose trailing edge is closed.
    Naca0012,
    /// That of the ONERA M6 wing.
    M6,
}

/// Logarithm of the ratio of M6's last step to the first in the logarithm of rings' radii.
const CROWDING: f64 = 1.5;

/// The height of the M6 wing's section at x, in chords.
///
/// Source: V. Schmitt, F. Charpin, Pressure distributions on the ONERA-M6-wing at transonic Mach numbers, AGARD AR-138
/// (1979), B1, as in <https://www.grc.nasa.gov/www/wind/valid/m6wing/m6wing.html>.
#[rustfmt::skip]
const M6: [[f64; 2]; 72] = [
    [0.0, 0.0], [0.0000165, 0.0006914], [0.0000696, 0.0014416], [0.0001675, 0.0022554],
    [0.0003232, 0.0031382], [0.0005508, 0.0040959], [0.0008657, 0.0051343], [0.0012868, 0.0062598],
    [0.0018364, 0.0074784], [0.0025441, 0.0087958], [0.0034428, 0.0102163], [0.0045704, 0.0117419],
    [0.0059751, 0.0133708], [0.0077112, 0.0150951], [0.0098413, 0.0168984], [0.0124479, 0.0187537],
    [0.0156171, 0.020622], [0.0194609, 0.0224545], [0.0241067, 0.0242004], [0.0297008, 0.0258245],
    [0.0364261, 0.0273317], [0.0444852, 0.0287912], [0.0541248, 0.0303278], [0.0656303, 0.0320138],
    [0.0793366, 0.0338372], [0.0956354, 0.0357742], [0.1149796, 0.0377923], [0.1378963, 0.0398522],
    [0.1649976, 0.0419089], [0.1919327, 0.0436214], [0.2187096, 0.0450507], [0.245331, 0.0462358],
    [0.2717978, 0.0471987], [0.2981113, 0.0479494], [0.3242726, 0.0484902], [0.350283, 0.0488183],
    [0.3761446, 0.0489296], [0.4018567, 0.0488202], [0.4274223, 0.0484833], [0.4528441, 0.0479351],
    [0.4781197, 0.0471661], [0.5032514, 0.0461903], [0.5282426, 0.0450209], [0.5530937, 0.0436741],
    [0.5778043, 0.0421684], [0.6023757, 0.0405241], [0.6268104, 0.0387613], [0.6511093, 0.036899],
    [0.6752726, 0.0349542], [0.6993027, 0.0329402], [0.7231995, 0.0308662], [0.7469658, 0.0287365],
    [0.7705998, 0.0265505], [0.7941055, 0.0243027], [0.8174828, 0.0219842], [0.8407324, 0.0195838],
    [0.8638564, 0.0170915], [0.8868235, 0.0145051], [0.9061905, 0.0122389], [0.9225336, 0.0102727],
    [0.9363346, 0.0085827], [0.9479946, 0.0071423], [0.9578511, 0.0059224], [0.966186, 0.0048907],
    [0.9732361, 0.004018], [0.979202, 0.0032796], [0.9842508, 0.0026547], [0.9885252, 0.0021257],
    [0.9921438, 0.0016778], [0.995208, 0.0012985], [0.997803, 0.0009773], [1.0, 0.0007052],
];

impl Section {
    /// Half the smaller axis of the ellipse of length 1 that has the nose radius: half of a in y = a sqrt(x) near the nose.
    pub(super) const fn ellipse(self) -> f64 {
        match self {
            Section::Naca0012 => 0.5 * 0.594689181 * 0.298222773,
            Section::M6 => 0.5 * 0.1745,
        }
    }

    /// Where the ring at a share of all rings is between the section, 0, and the far field, 1, by the logarithm of its radius.
    pub(super) fn outward(self, share: f64) -> f64 {
        match self {
            Section::Naca0012 => share,
            Section::M6 => libm::expm1(CROWDING * share) / libm::expm1(CROWDING),
        }
    }

    /// Half the thickness as a function of x from 0 to 1; 0 at both ends.
    ///
    /// M6's is a spline in the square root of x. Its trailing edge, 0.0014 chords thick, is closed: x times half of that is
    /// subtracted.
    pub(super) fn half_thickness(self) -> Box<dyn Fn(f64) -> f64> {
        match self {
            Section::Naca0012 => Box::new(naca0012::half_thickness),
            Section::M6 => {
                let [_, edge] = M6[M6.len() - 1];
                let (x, y) = M6.map(|[x, y]| (x.sqrt(), y - edge * x)).into_iter().unzip();
                let spline = Spline::not_a_knot(x, y);
                Box::new(move |x| spline.at(x.sqrt()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Between the points the section has neither waves nor a flat nose.
    #[test]
    fn the_section_of_m6_is_smooth_and_9_8_percent_thick() {
        let half = Section::M6.half_thickness();
        assert_eq!(half(0.0), 0.0);
        assert!(half(1.0).abs() < 1e-17);
        let heights: Vec<f64> = (0..=400).map(|k| half((f64::from(k) / 400.0).powi(2))).collect();
        let thickest = heights.iter().copied().fold(0.0, f64::max);
        assert!((thickest - 0.0487).abs() < 1e-4, "{thickest}");
        let rises: Vec<bool> = heights.windows(2).map(|pair| pair[1] > pair[0]).collect();
        let top = rises.iter().position(|rises| !rises).unwrap();
        assert!(rises[top..].iter().all(|rises| !rises), "one place is the thickest");
        // y^2 / 2 x is the nose radius, 0.0152.
        let nose = half(1e-5) / 1e-5f64.sqrt();
        assert!((nose / (2.0 * Section::M6.ellipse()) - 1.0).abs() < 0.04, "{nose}");
        for [x, y] in M6 {
            assert!((half(x) + 0.0007052 * x - y).abs() < 1e-15);
        }
    }
}
