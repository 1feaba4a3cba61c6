//! What a server may answer to an operation, whatever the protocol.

/// A kind of answer. A program says which one it expects, so "not found" may count as success.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// It is done.
    Done,
    /// There is nothing of this name, or no folder on the way to it.
    Missing,
    /// There is something of this name.
    Exists,
    /// It is not permitted.
    Denied,
    /// Somebody has it open in a way that forbids this, or it is being deleted.
    InUse,
    /// It is a folder.
    Folder,
    /// It is not a folder.
    NoFolder,
    /// The folder has something in it.
    NotEmpty,
    /// Somebody else holds a lock on these bytes.
    Locked,
    /// These bytes are not locked.
    NotLocked,
    /// The file ends before.
    EndOfFile,
    /// The name is not valid.
    BadName,
    /// Anything else, which no program expects.
    Other,
}

/// The statuses that load files may expect, by name and number (MS-ERREF 2.3.1).
const KNOWN: [(&str, u32, Answer); 18] = [
    ("NT_STATUS_OK", 0, Answer::Done),
    ("NT_STATUS_NO_MORE_FILES", 0x8000_0006, Answer::Missing),
    ("NT_STATUS_NO_SUCH_FILE", 0xC000_000F, Answer::Missing),
    ("NT_STATUS_END_OF_FILE", 0xC000_0011, Answer::EndOfFile),
    ("NT_STATUS_ACCESS_DENIED", 0xC000_0022, Answer::Denied),
    (
        "NT_STATUS_OBJECT_NAME_INVALID",
        0xC000_0033,
        Answer::BadName,
    ),
    (
        "NT_STATUS_OBJECT_NAME_NOT_FOUND",
        0xC000_0034,
        Answer::Missing,
    ),
    (
        "NT_STATUS_OBJECT_NAME_COLLISION",
        0xC000_0035,
        Answer::Exists,
    ),
    (
        "NT_STATUS_OBJECT_PATH_NOT_FOUND",
        0xC000_003A,
        Answer::Missing,
    ),
    ("NT_STATUS_SHARING_VIOLATION", 0xC000_0043, Answer::InUse),
    ("NT_STATUS_FILE_LOCK_CONFLICT", 0xC000_0054, Answer::Locked),
    ("NT_STATUS_LOCK_NOT_GRANTED", 0xC000_0055, Answer::Locked),
    ("NT_STATUS_DELETE_PENDING", 0xC000_0056, Answer::InUse),
    ("NT_STATUS_RANGE_NOT_LOCKED", 0xC000_007E, Answer::NotLocked),
    ("NT_STATUS_FILE_IS_A_DIRECTORY", 0xC000_00BA, Answer::Folder),
    (
        "NT_STATUS_DIRECTORY_NOT_EMPTY",
        0xC000_0101,
        Answer::NotEmpty,
    ),
    ("NT_STATUS_NOT_A_DIRECTORY", 0xC000_0103, Answer::NoFolder),
    ("NT_STATUS_CANNOT_DELETE", 0xC000_0121, Answer::Denied),
];

impl Answer {
    /// The answer for an `NTSTATUS` code.
    #[must_use]
    pub fn of_nt_status(code: u32) -> Self {
        let known = KNOWN.iter().find(|(_, known, _)| *known == code);
        known.map_or(Self::Other, |(_, _, answer)| *answer)
    }

    /// The answer for a status of a load file, by name or as a number such as 0xc0000034; `None` if
    /// no program can expect it.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        let number = word.strip_prefix("0x").or(word.strip_prefix("0X"));
        let code = number.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let known = |(name, number, _): &&(&str, u32, Self)| *name == word || Some(*number) == code;
        KNOWN.iter().find(known).map(|(_, _, answer)| *answer)
    }

    /// The words for sentences about an operation with this answer.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Missing => "refused, since there is nothing with this name",
            Self::Exists => "refused, since there is something with this name",
            Self::Denied => "refused, since it is not permitted",
            Self::InUse => "refused, since somebody has it open",
            Self::Folder => "refused, since it is a folder",
            Self::NoFolder => "refused, since it is not a folder",
            Self::NotEmpty => "refused, since the folder is not empty",
            Self::Locked => "refused, since somebody holds a lock",
            Self::NotLocked => "refused, since nothing is locked",
            Self::EndOfFile => "refused, since the file ends before",
            Self::BadName => "refused, since the name is not accepted",
            Self::Other => "refused",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_known_by_name_and_number() {
        for word in [
            "NT_STATUS_OBJECT_NAME_NOT_FOUND",
            "0xc0000034",
            "0xC0000034",
        ] {
            assert_eq!(Answer::of_word(word), Some(Answer::Missing));
        }
        assert_eq!(Answer::of_word("0x00000000"), Some(Answer::Done));
        for word in ["NT_STATUS_CRASHED", "0xc0009999", "SUCCESS", "", "0x"] {
            assert_eq!(Answer::of_word(word), None);
        }
        assert_eq!(Answer::of_nt_status(0xC000_0043), Answer::InUse);
        assert_eq!(Answer::of_nt_status(0xC000_0017), Answer::Other);
    }
}
