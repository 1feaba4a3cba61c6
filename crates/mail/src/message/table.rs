//! The sizes of messages in the classic benchmarks.
//!
//! `LoadSim`'s are from Microsoft's `BackOffice` Resource Kit ("Using Load Simulator") and Compaq's
//! paper ECG082/0898; KB are 1,024 bytes. That its messages with an attachment have 1 KB of text is
//! ours; so are what fills the attachments and how they compress. Domino's are those of the command
//! `SendMessage` with a profile; KB are 1,000 bytes, which makes the mean IBM's 100 KB.

use super::part::{Kind, Part};

/// Messages of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// How frequent they are, in proportion to the other rows.
    pub weight: u32,
    /// Their parts.
    pub parts: &'static [Part],
}

const fn row(weight: u32, parts: &'static [Part]) -> Row {
    Row { weight, parts }
}

const KIB: u32 = 1024;
const TEXT_1K: &[Part] = &[Part::text(KIB)];
const TEXT_2K: &[Part] = &[Part::text(2 * KIB)];
const TEXT_4K: &[Part] = &[Part::text(4 * KIB)];
const TEXT_FILE_10K: &[Part] = &[Part::text(KIB), Part::new(Kind::TextFile, 10 * KIB)];
const SPREADSHEET_15K: &[Part] = &[Part::text(KIB), Part::new(Kind::Spreadsheet, 15 * KIB)];
const DOCUMENT_16K: &[Part] = &[Part::text(KIB), Part::new(Kind::Document, 16 * KIB)];
const BITMAP_43K: &[Part] = &[Part::text(KIB), Part::new(Kind::Bitmap, 43 * KIB)];

/// `LoadSim` 4.0 and 5.0, light users.
pub const LOADSIM_LIGHT: &[Row] = &[row(9, TEXT_1K), row(1, TEXT_FILE_10K)];

/// `LoadSim` 4.0 and 5.0, medium users.
pub const LOADSIM_MEDIUM: &[Row] = &[row(7, TEXT_1K), row(2, TEXT_2K), row(1, TEXT_FILE_10K)];

/// `LoadSim` 4.0 and 5.0, heavy users.
pub const LOADSIM_HEAVY: &[Row] = &[
    row(6, TEXT_1K),
    row(2, TEXT_2K),
    row(1, TEXT_4K),
    row(1, TEXT_FILE_10K),
];

/// `LoadSim` 5.5's medium users as redefined in 1998 for MMB. The weights sum to 96: what the paper
/// has for the other 4 could not be read.
pub const MMB_1998: &[Row] = &[
    row(60, TEXT_1K),
    row(16, TEXT_2K),
    row(4, TEXT_4K),
    row(6, TEXT_FILE_10K),
    row(4, SPREADSHEET_15K),
    row(4, DOCUMENT_16K),
    row(2, BITMAP_43K),
];

/// Domino's `SendMessage` with a profile, in thousandths.
pub const DOMINO: &[Row] = &[
    row(100, &[Part::text(500)]),
    row(300, &[Part::text(10_000)]),
    row(400, &[Part::text(50_000)]),
    row(
        100,
        &[Part::text(50_000), Part::new(Kind::Document, 50_000)],
    ),
    row(95, &[Part::text(150_000)]),
    row(5, &[Part::text(1000), Part::new(Kind::Archive, 10_000_000)]),
];

/// The mean size of the messages of a table before any encoding, without headers, in bytes.
#[must_use]
pub fn mean_bytes(rows: &[Row]) -> f64 {
    let sizes = rows.iter().map(|row| {
        let bytes = row.parts.iter().map(|part| u64::from(part.bytes));
        u64::from(row.weight) * bytes.sum::<u64>()
    });
    let weights: u64 = rows.iter().map(|row| u64::from(row.weight)).sum();
    sizes.sum::<u64>() as f64 / weights as f64
}
