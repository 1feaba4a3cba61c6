//! The messages that are not work: small JSON bodies, which later versions may extend.

use serde::{Deserialize, Serialize};

use crate::block::UNIT_BYTES;
use crate::frame::MAX_PAYLOAD_BYTES;

/// The version of the wire protocol; both sides must speak the same.
pub const PROTOCOL: u16 = 1;
/// Most files in a data set.
pub const MAX_FILES: u32 = 1_000_000;

/// `ServerBench`'s "Disk Test Data File" of 20 MB for each client.
pub const FILE_BYTES: u64 = 20 << 20;
/// `ServerBench`'s "Disk Test File I/O Range" of 10 MB.
pub const RANGE_BYTES: u64 = 10 << 20;

/// What the server says about itself when a connection opens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hello {
    /// The protocol version it speaks.
    pub protocol: u16,
    /// Version of the server program.
    pub version: String,
    /// Processors it may use.
    pub processors: usize,
    /// Most service threads it will use.
    pub threads: usize,
    /// How it writes: `buffered`, `dsync` or `direct`.
    pub write_mode: String,
    /// Its process.
    pub pid: u32,
    /// The number of this session, greater than that of every earlier one.
    pub session: u64,
    /// The data set, if one is prepared.
    pub data_set: Option<DataSet>,
}

/// What all files of a data set share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    /// The seed their contents derive from.
    pub seed: u64,
    /// Bytes of each file.
    pub file_bytes: u64,
    /// Reads and writes stay within this many bytes from the start.
    pub range_bytes: u64,
}

impl Shape {
    /// Checks that such files can be made; the error is a sentence.
    pub fn check(&self) -> Result<(), String> {
        let unit = u64::from(UNIT_BYTES);
        let Self {
            file_bytes,
            range_bytes,
            ..
        } = *self;
        if !file_bytes.is_multiple_of(unit) || !range_bytes.is_multiple_of(unit) {
            Err(format!(
                "file_bytes ({file_bytes}) and range_bytes ({range_bytes}) must be multiples of \
                 {UNIT_BYTES}"
            ))
        } else if range_bytes == 0 || range_bytes > file_bytes {
            Err(format!(
                "range_bytes ({range_bytes}) must lie between {UNIT_BYTES} and file_bytes \
                 ({file_bytes})"
            ))
        } else if file_bytes > MAX_FILE_BYTES {
            Err(format!(
                "file_bytes ({file_bytes}) must not exceed {MAX_FILE_BYTES} (64 GiB)"
            ))
        } else {
            Ok(())
        }
    }
}

const MAX_FILE_BYTES: u64 = 64 << 30;
const _: () = assert!(MAX_PAYLOAD_BYTES.is_multiple_of(UNIT_BYTES));

/// The data set the server holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataSet {
    /// The shape of its files.
    #[serde(flatten)]
    pub shape: Shape,
    /// How many files it has.
    pub files: u32,
}

/// Asks for the files `first..=last`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// Number of the first file.
    pub first: u32,
    /// Number of the last file.
    pub last: u32,
    /// Their shape.
    #[serde(flatten)]
    pub shape: Shape,
    /// Whether to read existing files through and repair damaged ones, instead of looking at their
    /// length and ends only.
    pub read_through: bool,
}

impl Order {
    /// Checks that the order can be carried out; the error is a sentence.
    pub fn check(&self) -> Result<(), String> {
        if self.first > self.last || self.last >= MAX_FILES {
            return Err(format!(
                "files {}..={} cannot be prepared: numbers go from 0 to {}, the first must not \
                 exceed the last",
                self.first,
                self.last,
                MAX_FILES - 1
            ));
        }
        self.shape.check()
    }

    /// How many files are asked for.
    #[must_use]
    pub const fn files(&self) -> u32 {
        self.last - self.first + 1
    }
}

/// Progress of a preparation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Progress {
    /// Files that are ready.
    pub files_done: u32,
    /// Files asked for.
    pub files: u32,
    /// Bytes written so far.
    pub written_bytes: u64,
}

/// What a preparation did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Prepared {
    /// Files that were missing and were created.
    pub created: u32,
    /// Files that existed and were right.
    pub kept: u32,
    /// Files that existed but were damaged, and were rewritten.
    pub repaired: u32,
    /// Bytes written.
    pub written_bytes: u64,
}

/// What a clean-up deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Cleaned {
    /// Files deleted.
    pub files: u32,
    /// Bytes they held.
    pub bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_orders_are_refused_with_their_figures() {
        let shape = Shape {
            seed: 1,
            file_bytes: FILE_BYTES,
            range_bytes: RANGE_BYTES,
        };
        let order = Order {
            first: 0,
            last: 59,
            shape,
            read_through: false,
        };
        assert_eq!(order.check(), Ok(()));
        let sentence = |order: Order| order.check().unwrap_err();
        let with = |shape| Order { shape, ..order };
        assert!(sentence(Order { first: 60, ..order }).contains("60..=59"));
        assert!(
            sentence(Order {
                last: MAX_FILES,
                ..order
            })
            .contains("999999")
        );
        assert!(
            sentence(with(Shape {
                file_bytes: 5000,
                ..shape
            }))
            .contains("multiples of 4096")
        );
        assert!(
            sentence(with(Shape {
                range_bytes: 0,
                ..shape
            }))
            .contains("between")
        );
        assert!(
            sentence(with(Shape {
                range_bytes: 21 << 20,
                ..shape
            }))
            .contains("between")
        );
        assert!(
            sentence(with(Shape {
                file_bytes: 1 << 40,
                ..shape
            }))
            .contains("64 GiB")
        );
    }

    #[test]
    fn messages_survive_json_and_ignore_unknown_fields() {
        let shape = Shape {
            seed: u64::MAX,
            file_bytes: FILE_BYTES,
            range_bytes: RANGE_BYTES,
        };
        let order = Order {
            first: 1,
            last: 2,
            shape,
            read_through: true,
        };
        let mut json = serde_json::to_value(order).unwrap();
        json["added_later"] = true.into();
        assert_eq!(serde_json::from_value::<Order>(json).unwrap(), order);
    }
}
