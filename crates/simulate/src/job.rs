//! A request on its way through the stations.

/// A request under way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Job {
    /// When the user sent it, simulated seconds.
    pub(crate) sent_s: f64,
    /// The kind of station it is at.
    pub(crate) kind: usize,
    /// Visits left at this kind of station, the present one included.
    pub(crate) visits: u32,
    /// Whether it is of the slow class.
    pub(crate) slow: bool,
}
