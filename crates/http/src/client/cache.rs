//! A user's cache, like a browser's: what need not be fetched again, or only if it has changed (RFC
//! 9111).
//!
//! Contents of resources are not kept, because nobody reads them. A key, a time and the validators
//! are enough, so that thousands of users can have a cache each.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::cookie_date::unix_s;

/// The most resources that a cache holds; then the one that expires first is dropped.
pub const MOST_ENTRIES: usize = 1_000;

/// The longest freshness lifetime: a year. A longer one makes no difference.
const MOST_S: i64 = 366 * 86_400;

/// The heuristic lifetime if the server gives none: the time since the last modification divided by
/// this, as in browsers (RFC 9111, 4.2.2).
const UNSAID: i64 = 10;

#[derive(Debug)]
struct Entry {
    /// The hash of the path.
    key: u64,
    fresh_until_s: i64,
    lifetime_s: u32,
    /// `ETag` and `Last-Modified`, one per line.
    versions: Box<str>,
}

/// The cache of one user.
#[derive(Debug, Default)]
pub struct Cache {
    /// Sorted by key.
    entries: Vec<Entry>,
    scenario: u64,
}

/// What a user knows about a resource.
#[derive(Debug, PartialEq, Eq)]
pub enum Known<'a> {
    /// Nothing.
    Nothing,
    /// It is fresh and need not be requested.
    Fresh,
    /// It must be revalidated with this `ETag` and `Last-Modified`, either of which may be empty.
    Version(&'a str, &'a str),
}

impl Cache {
    /// Begins a page of this scenario. Unless `is_kept`, the cache forgets what earlier scenarios
    /// fetched.
    pub fn begin(&mut self, scenario: u64, is_kept: bool) {
        if !is_kept && scenario != self.scenario {
            self.entries.clear();
        }
        self.scenario = scenario;
    }

    /// How many resources it holds.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it holds none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn place(&self, path: &str) -> Result<usize, usize> {
        let key = key(path);
        self.entries.binary_search_by_key(&key, |entry| entry.key)
    }

    /// What it knows about a resource at `now_s`, in seconds since 1970.
    #[must_use]
    pub fn known(&self, path: &str, now_s: i64) -> Known<'_> {
        let Ok(place) = self.place(path) else {
            return Known::Nothing;
        };
        let entry = &self.entries[place];
        if now_s < entry.fresh_until_s {
            return Known::Fresh;
        }
        let (tag, modified) = entry.versions.split_once('\n').unwrap_or_default();
        if tag.is_empty() && modified.is_empty() {
            return Known::Nothing;
        }
        Known::Version(tag, modified)
    }

    /// Notes the caching headers of an answer. Statuses other than 200 and 304 change nothing.
    pub fn note(&mut self, path: &str, status: u16, policy: &Policy, now_s: i64) {
        let place = self.place(path);
        let old = place.ok().map(|place| &self.entries[place]);
        let (lifetime_s, versions) = match (status, old) {
            (200, _) => (policy.lifetime_s(now_s).unwrap_or(0), policy.versions()),
            (304, Some(old)) => {
                // A header that a 304 omits keeps its value (RFC 9111, 3.2).
                let known = i64::from(old.lifetime_s);
                let lifetime_s = policy.lifetime_s(now_s).unwrap_or(known);
                let is_named = !policy.tag.is_empty();
                let named = is_named.then(|| policy.versions());
                (lifetime_s, named.unwrap_or_else(|| old.versions.clone()))
            }
            _ => return,
        };
        let fresh_s = lifetime_s - policy.age_s;
        let is_useful = fresh_s > 0 || versions.len() > 1;
        let keeps = is_useful && !policy.is_never_kept;
        let entry = Entry {
            key: key(path),
            fresh_until_s: now_s.saturating_add(fresh_s),
            lifetime_s: u32::try_from(lifetime_s).unwrap_or(0),
            versions,
        };
        match place {
            Ok(place) if keeps => self.entries[place] = entry,
            Ok(place) => drop(self.entries.remove(place)),
            Err(_) if !keeps => {}
            Err(place) if self.entries.len() < MOST_ENTRIES => self.entries.insert(place, entry),
            Err(_) => {
                let all = self.entries.iter().enumerate();
                let first = all.min_by_key(|(_, entry)| entry.fresh_until_s);
                if let Some((first, _)) = first {
                    self.entries[first] = entry;
                    self.entries.sort_unstable_by_key(|entry| entry.key);
                }
            }
        }
    }
}

/// Different paths of one user have different keys, except with a probability of 1 in 10^13.
fn key(path: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    hasher.finish()
}

/// The caching headers of an answer.
#[derive(Debug, Default)]
pub struct Policy {
    is_never_kept: bool,
    is_always_asked: bool,
    max_age_s: Option<i64>,
    expires_s: Option<i64>,
    date_s: Option<i64>,
    modified: Box<str>,
    tag: Box<str>,
    age_s: i64,
}

impl Policy {
    /// Notes a header, if it is about caching.
    pub fn note(&mut self, name: &str, value: &[u8]) {
        let Ok(value) = std::str::from_utf8(value) else {
            return;
        };
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "cache-control" => self.note_control(value),
            // An invalid date means the past (RFC 9111, 5.3).
            "expires" => self.expires_s = Some(unix_s(value).unwrap_or(0)),
            "date" => self.date_s = unix_s(value),
            "last-modified" => self.modified = value.into(),
            "etag" => self.tag = value.into(),
            "age" => self.age_s = seconds(value).unwrap_or(0),
            "vary" => self.note_vary(value),
            _ => {}
        }
    }

    fn note_control(&mut self, value: &str) {
        for directive in value.split(',') {
            let (name, value) = directive.split_once('=').unwrap_or((directive, ""));
            match name.trim().to_ascii_lowercase().as_str() {
                "no-store" => self.is_never_kept = true,
                "no-cache" => self.is_always_asked = true,
                // An invalid time means stale (RFC 9111, 4.2.1).
                "max-age" => self.max_age_s = Some(seconds(value).unwrap_or(0)),
                _ => {}
            }
        }
    }

    /// An answer that depends on cookies is always revalidated, because they may have changed. All
    /// other headers of a user are the same each time.
    fn note_vary(&mut self, value: &str) {
        for name in value.split(',').map(str::trim) {
            self.is_never_kept |= name == "*";
            self.is_always_asked |= name.eq_ignore_ascii_case("cookie");
        }
    }

    /// How long the resource is fresh, in seconds; `None` if nothing says so.
    fn lifetime_s(&self, now_s: i64) -> Option<i64> {
        if self.is_always_asked {
            return Some(0);
        }
        let date_s = self.date_s.unwrap_or(now_s);
        let explicit = match (self.max_age_s, self.expires_s) {
            (Some(age), _) => Some(age),
            (None, Some(expires)) => Some(expires.saturating_sub(date_s)),
            (None, None) => None,
        };
        let heuristic = || {
            let modified = unix_s(&self.modified)?;
            Some(date_s.saturating_sub(modified) / UNSAID)
        };
        explicit
            .or_else(heuristic)
            .map(|lifetime| lifetime.clamp(0, MOST_S))
    }

    fn versions(&self) -> Box<str> {
        format!("{}\n{}", self.tag, self.modified).into()
    }
}

/// The seconds in a header; `None` if it is not a number.
fn seconds(text: &str) -> Option<i64> {
    let digits = text.trim().trim_matches('"');
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(MOST_S).min(MOST_S))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Sun, 06 Nov 1994 08:49:37 GMT, the date of RFC 9110.
    const NOW_S: i64 = 784_111_777;
    const DATE: &str = "Date: Sun, 06 Nov 1994 08:49:37 GMT";

    fn policy(lines: &[&str]) -> Policy {
        let mut policy = Policy::default();
        for line in lines {
            let (name, value) = line.split_once(':').unwrap();
            policy.note(name, value.as_bytes());
        }
        policy
    }

    fn cache(lines: &[&str], passed_s: i64) -> Cache {
        let mut cache = Cache::default();
        cache.note("/a", 200, &policy(lines), NOW_S);
        assert_eq!(cache.known("/b", NOW_S), Known::Nothing);
        assert!(cache.len() < 2 && passed_s >= 0);
        cache
    }

    #[test]
    fn resources_are_fresh_as_long_as_the_server_says() {
        for (lines, lifetime_s) in [
            (&["Cache-Control: public, max-age=60"][..], 60),
            (&["cache-control: MAX-AGE=\"60\", immutable"], 60),
            (&["Cache-Control: max-age=60", "Expires: 0"], 60),
            (&["Cache-Control: max-age=60, s-maxage=9"], 60),
            (&["Cache-Control: max-age=60", "Age: 20"], 40),
            (&[DATE, "Expires: Sun, 06 Nov 1994 08:50:37 GMT"], 60),
            (&[DATE, "Last-Modified: Sun, 06 Nov 1994 08:39:37 GMT"], 60),
            (&["Cache-Control: max-age=999999999999999999999"], MOST_S),
        ] {
            let cache = cache(lines, lifetime_s);
            let known = |s| cache.known("/a", NOW_S + s) == Known::Fresh;
            assert!(known(lifetime_s - 1) && !known(lifetime_s), "{lines:?}");
        }
    }

    #[test]
    fn resources_that_are_not_fresh_are_fetched_or_revalidated() {
        let tag = "ETag: \"v1\"";
        for lines in [
            &["Cache-Control: no-store, max-age=60", tag][..],
            &["Cache-Control: max-age=60", "Vary: *", tag],
            &["Cache-Control: max-age=0"],
            &["Cache-Control: max-age=soon"],
            &["Expires: never"],
            &[],
        ] {
            assert_eq!(
                cache(lines, 0).known("/a", NOW_S),
                Known::Nothing,
                "{lines:?}"
            );
        }
        for lines in [
            &["Cache-Control: max-age=60, no-cache", tag][..],
            &["Cache-Control: max-age=60", "Vary: Accept, Cookie", tag],
            &["Expires: -1", tag],
            &[tag],
        ] {
            let cache = cache(lines, 0);
            assert_eq!(cache.known("/a", NOW_S), Known::Version("\"v1\"", ""));
        }
    }

    #[test]
    fn an_unchanged_resource_is_fresh_again() {
        let mut cache = cache(&["Cache-Control: max-age=60", "ETag: \"v1\""], 0);
        cache.note("/a", 503, &policy(&["Cache-Control: no-store"]), NOW_S);
        cache.note("/a", 304, &policy(&[]), NOW_S + 100);
        assert_eq!(cache.known("/a", NOW_S + 159), Known::Fresh);
        assert_eq!(cache.known("/a", NOW_S + 160), Known::Version("\"v1\"", ""));
        cache.note(
            "/a",
            304,
            &policy(&["Cache-Control: max-age=5", "ETag: \"v2\""]),
            NOW_S,
        );
        assert_eq!(cache.known("/a", NOW_S + 5), Known::Version("\"v2\"", ""));
        cache.note("/a", 200, &policy(&["Cache-Control: no-store"]), NOW_S);
        assert!(cache.is_empty());
        cache.note("/a", 304, &policy(&["Cache-Control: max-age=5"]), NOW_S);
        assert!(cache.is_empty());
    }

    #[test]
    fn a_new_visitor_starts_with_an_empty_cache() {
        let mut cache = cache(&["Cache-Control: max-age=60"], 0);
        cache.begin(1, true);
        cache.begin(1, false);
        assert_eq!(cache.len(), 1);
        cache.begin(2, false);
        assert!(cache.is_empty());
    }

    #[test]
    fn only_the_latest_entries_are_kept() {
        let mut cache = Cache::default();
        for age in 1..=1_100 {
            let header = format!("Cache-Control: max-age={age}");
            cache.note(&format!("/{age}"), 200, &policy(&[&header]), NOW_S);
        }
        assert_eq!(cache.len(), MOST_ENTRIES);
        assert_eq!(cache.known("/100", NOW_S), Known::Nothing);
        for age in 101..=1_100 {
            assert_eq!(
                cache.known(&format!("/{age}"), NOW_S),
                Known::Fresh,
                "{age}"
            );
        }
    }

    proptest! {
        #[test]
        fn any_header_is_read(
            name in prop::sample::select(&["Cache-Control", "Expires", "Age", "Vary", "Last-Modified"][..]),
            value in prop::collection::vec(any::<u8>(), 0..40),
            number in any::<u64>(),
        ) {
            let mut all = Policy::default();
            all.note("Age", number.to_string().as_bytes());
            all.note("Cache-Control", format!("max-age={number}").as_bytes());
            all.note(name, &value);
            Cache::default().note("/a", 200, &all, NOW_S);
        }
    }
}
