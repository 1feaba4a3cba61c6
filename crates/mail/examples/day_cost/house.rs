//! The mailboxes of the stand-in, in memory.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::rc::Rc;

/// Old messages of each folder of a user's own; the medium users of `LoadSim` have five.
const OLD: usize = 5;

/// A message in a folder.
#[derive(Debug, Clone)]
pub struct Letter {
    pub uid: u32,
    pub is_seen: bool,
    pub is_deleted: bool,
    pub text: Rc<[u8]>,
}

/// A folder.
#[derive(Debug, Default)]
pub struct Folder {
    pub last_uid: u32,
    pub letters: Vec<Letter>,
}

impl Folder {
    /// Adds a message, and returns its UID.
    pub fn add(&mut self, text: Rc<[u8]>, is_seen: bool) -> u32 {
        self.last_uid += 1;
        self.letters.push(Letter {
            uid: self.last_uid,
            is_seen,
            is_deleted: false,
            text,
        });
        self.last_uid
    }

    /// Removes the messages for which `leaves` holds. Returns them with their numbers in EXPUNGE,
    /// in order.
    pub fn take(&mut self, leaves: impl Fn(&Letter) -> bool) -> (Vec<usize>, Vec<Letter>) {
        let (mut numbers, mut taken) = (Vec::new(), Vec::new());
        let mut index = 0;
        while index < self.letters.len() {
            if leaves(&self.letters[index]) {
                numbers.push(index + 1);
                taken.push(self.letters.remove(index));
            } else {
                index += 1;
            }
        }
        (numbers, taken)
    }
}

/// All mailboxes. Users and folders are created on first use.
#[derive(Debug)]
pub struct House {
    /// The contents of all old messages, and of the marker.
    old: Rc<[u8]>,
    users: HashMap<Box<str>, HashMap<Box<str>, Folder>>,
}

impl House {
    /// Mailboxes whose old messages have these contents.
    pub fn new(old: &[u8]) -> Self {
        let (old, users) = (old.into(), HashMap::new());
        Self { old, users }
    }

    /// A folder of a user.
    pub fn folder(&mut self, user: &str, name: &str) -> &mut Folder {
        if !self.users.contains_key(user) {
            self.users.insert(user.into(), HashMap::new());
        }
        let Self { old, users } = self;
        let folders = users.get_mut(user).unwrap();
        if !folders.contains_key(name) {
            let mut folder = Folder::default();
            let count = match name {
                "Headcount" => 1,
                _ if name.starts_with('f') => OLD,
                _ => 0,
            };
            for _ in 0..count {
                folder.add(Rc::clone(old), true);
            }
            folders.insert(name.into(), folder);
        }
        folders.get_mut(name).unwrap()
    }
}

/// A set of UIDs as it is written, such as `1:3,7` or `9:*`.
pub fn set(text: &str) -> Vec<RangeInclusive<u32>> {
    let number = |text: &str| text.parse().unwrap_or(u32::MAX); // `*`
    let range = |range: &str| {
        let (first, last) = range.split_once(':').unwrap_or((range, range));
        number(first)..=number(last)
    };
    text.split(',').map(range).collect()
}
