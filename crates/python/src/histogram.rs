//! Durations as Python sees them.

use headcount_load::distribution::Distribution;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Durations in microseconds: an HDR histogram with three significant digits.
#[pyclass(frozen, module = "headcount._engine")]
#[derive(Debug, Clone)]
pub struct Histogram(pub Distribution);

#[pymethods]
impl Histogram {
    /// All durations of all parts; merging loses nothing.
    #[staticmethod]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "the binding hands over the list"
    )]
    fn merge(parts: Vec<PyRef<'_, Histogram>>) -> Self {
        Self(Distribution::merge(parts.iter().map(|part| &part.0)))
    }

    /// Reads the V2 deflate form that `HdrHistogram`'s own tools write.
    #[staticmethod]
    fn decode(data: &[u8]) -> PyResult<Self> {
        let decoded = Distribution::decode(data);
        decoded
            .map(Self)
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// The V2 deflate form.
    fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    /// How many durations it holds.
    #[getter]
    fn count(&self) -> u64 {
        self.0.count()
    }

    /// The mean, in µs; 0 when empty.
    #[getter]
    fn mean_us(&self) -> f64 {
        self.0.mean_us()
    }

    /// The greatest duration, in µs; 0 when empty.
    #[getter]
    fn max_us(&self) -> u64 {
        self.0.max_us()
    }

    /// The duration that this share (0 to 1) of all does not exceed, in µs; 0 when empty.
    fn quantile_us(&self, quantile: f64) -> u64 {
        self.0.quantile_us(quantile)
    }

    /// How many durations exceed the limit, at the histogram's resolution.
    fn count_above(&self, limit_us: u64) -> u64 {
        self.0.count_above(limit_us)
    }

    /// Buckets in use: highest duration in µs and count, ascending.
    fn buckets(&self) -> Vec<(u64, u64)> {
        self.0.buckets().to_vec()
    }
}
