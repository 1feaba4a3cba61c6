//! The statistics behind the disk mix: counts over the trace of `NetBench` that Debian's dbench
//! plays (version 4.0-2, 458,344 operations in 129 repeats of eight applications' scripts), and our
//! own shares where nothing was counted.

/// Operations of one repeat of the eight scripts.
pub const REPEAT_OPERATIONS: f64 = 458_344.0 / 129.0;

/// Bytes of the reads with which a file is copied.
pub const COPY_READ_BYTES: u32 = 61_440;
/// Bytes of the writes with which a file is copied.
pub const COPY_WRITE_BYTES: u32 = 65_536;

/// What a script can do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is what its name says")]
pub enum Kind {
    /// Opens a file that exists.
    Open,
    /// Opens a folder, or a file without saying that it is one.
    OpenEither,
    /// Opens a file that does not exist.
    OpenMissing,
    /// Makes a file.
    Create,
    Close,
    Read,
    Write,
    Flush,
    QueryPath,
    /// Asks about a name that does not exist.
    QueryMissing,
    QueryFile,
    QueryFs,
    SetFile,
    Find,
    /// Looks for names that do not exist.
    FindNone,
    Unlink,
    Rename,
    /// Locks a byte, and unlocks it.
    Lock,
}

/// How often each is done in the trace.
pub const OPERATIONS: [(Kind, f64); 18] = [
    (Kind::Open, 38_551.0), // 75.2% of 79,230 creates, less those that find nothing
    (Kind::OpenEither, 3645.0), // 4.6% of creates
    (Kind::OpenMissing, 21_030.0), // 26.5% of creates
    (Kind::Create, 16_084.0), // 20.3% of creates
    (Kind::Close, 58_200.0),
    (Kind::Read, 124_199.0),
    (Kind::Write, 39_502.0),
    (Kind::Flush, 5553.0),
    (Kind::QueryPath, 47_429.0),
    (Kind::QueryMissing, 24_385.0), // 34.0% of 71,814
    (Kind::QueryFile, 12_585.0),
    (Kind::QueryFs, 13_168.0),
    (Kind::SetFile, 6454.0),
    (Kind::Find, 13_437.0),
    (Kind::FindNone, 14_328.0), // 51.6% of 27,765
    (Kind::Unlink, 16_000.0),
    (Kind::Rename, 3355.0),
    (Kind::Lock, 258.0),
];

/// Bytes of reads, and their shares in percent. The last is ours: what was not counted, of a size
/// that gives the mean of 11.9 KB.
pub const READ_SIZES: [(u32, f64); 8] = [
    (4096, 67.0),
    (COPY_READ_BYTES, 13.4),
    (2048, 3.7),
    (8192, 3.7),
    (16_384, 1.6),
    (1024, 3.6), // up to 1 KB: 7.2% in all, the sizes are ours
    (512, 3.6),
    (6144, 3.4),
];

/// Bytes of writes, and their shares in percent. The last two are ours: what was not counted, of
/// sizes that give the mean of 25.6 KB.
pub const WRITE_SIZES: [(u32, f64); 7] = [
    (COPY_WRITE_BYTES, 31.9),
    (4096, 25.2),
    (1, 18.8),
    (2048, 4.3),
    (8192, 3.0),
    (32_768, 8.4),
    (6144, 8.4),
];

/// The shares of reads that continue where the last transfer of the open file ended, and of the
/// others.
pub const READS_ON: [f64; 2] = [0.499, 0.501];
/// The shares of writes that do, and of the others.
pub const WRITES_ON: [f64; 2] = [0.293, 0.707];

/// A script: what it imitates, and its share of the operations in percent.
#[derive(Debug, Clone, Copy)]
pub struct Application {
    /// The folder it works in.
    pub name: &'static str,
    /// The share of the trace's operations in the folder of the application it imitates. Operations
    /// outside those folders are spread over all scripts.
    pub share: f64,
}

/// The eight scripts.
pub const SCRIPTS: [Application; 8] = [
    Application {
        name: "tables",
        share: 23.6,
    }, // Paradox
    Application {
        name: "letters",
        share: 14.3,
    }, // Word Pro
    Application {
        name: "slides",
        share: 10.0,
    }, // PowerPoint
    Application {
        name: "sheets",
        share: 8.4,
    }, // Excel
    Application {
        name: "layout",
        share: 8.3,
    }, // PageMaker
    Application {
        name: "texts",
        share: 6.3,
    }, // Word
    Application {
        name: "drawings",
        share: 6.1,
    }, // Corel Draw
    Application {
        name: "records",
        share: 2.0,
    }, // Access
];
