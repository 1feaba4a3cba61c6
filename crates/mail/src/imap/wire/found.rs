//! Parses the results of searches (RFC 9051, 7.3.4; RFC 3501, 7.2.5).

use super::cursor::{Cursor, Wrong};

/// Most messages in one result: more than servers keep in a folder, so a wrong answer cannot use up
/// memory.
const MOST_FOUND: usize = 1 << 22;

/// Parses the numbers of a SEARCH.
pub fn read_search(mut cursor: Cursor<'_>, found: &mut Vec<u32>) -> Result<(), Wrong> {
    while !cursor.is_at_end() {
        // CONDSTORE adds the highest MODSEQ at the end.
        if cursor.peek() == Some(b'(') {
            cursor.value()?;
        } else {
            if found.len() >= MOST_FOUND {
                return Err("fewer messages");
            }
            found.push(cursor.number()?);
        }
        if !cursor.take(b' ') && !cursor.is_at_end() {
            return Err("a space");
        }
    }
    Ok(())
}

/// Parses the ranges of an ESEARCH for ALL.
pub fn read_esearch(mut cursor: Cursor<'_>, found: &mut Vec<u32>) -> Result<(), Wrong> {
    if cursor.peek() == Some(b'(') {
        cursor.value()?; // the tag of its command
        cursor.take(b' ');
    }
    while !cursor.is_at_end() {
        let name = cursor.atom()?;
        if name.eq_ignore_ascii_case(b"UID") {
            cursor.take(b' ');
            continue;
        }
        cursor.expect(b' ')?;
        if name.eq_ignore_ascii_case(b"ALL") {
            each_range(&mut cursor, &mut |first, last| {
                if u64::from(last - first) + found.len() as u64 >= MOST_FOUND as u64 {
                    return Err("fewer messages");
                }
                found.extend(first..=last);
                Ok(())
            })?;
        } else {
            cursor.value()?;
        }
        cursor.take(b' ');
    }
    Ok(())
}

/// The number of messages in a set.
pub fn count(mut cursor: Cursor<'_>) -> Result<u64, Wrong> {
    let mut count = 0;
    each_range(&mut cursor, &mut |first, last| {
        count += u64::from(last - first) + 1;
        Ok(())
    })?;
    Ok(count)
}

/// Parses a set: `1:5,7`. The ends of a range may come in any order.
fn each_range(
    cursor: &mut Cursor<'_>,
    each: &mut dyn FnMut(u32, u32) -> Result<(), Wrong>,
) -> Result<(), Wrong> {
    loop {
        let first = cursor.number()?;
        let last = if cursor.take(b':') {
            cursor.number()?
        } else {
            first
        };
        each(first.min(last), first.max(last))?;
        if !cursor.take(b',') {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn esearch(text: &str) -> Result<Vec<u32>, Wrong> {
        let mut found = Vec::new();
        read_esearch(Cursor::new(text.as_bytes()), &mut found).map(|()| found)
    }

    #[test]
    fn numbers_and_ranges_are_read() {
        let mut found = Vec::new();
        read_search(Cursor::new(b"2 3 6 (MODSEQ 917)"), &mut found).unwrap();
        assert_eq!(found, [2, 3, 6]);
        assert_eq!(
            read_search(Cursor::new(b"2 x"), &mut found),
            Err("a number")
        );
        assert_eq!(
            esearch("(TAG \"a5\") UID COUNT 3 ALL 4:6,9,12:11").unwrap(),
            [4, 5, 6, 9, 11, 12]
        );
        assert_eq!(esearch("(TAG \"a5\") UID").unwrap(), [0u32; 0]);
        assert_eq!(esearch("").unwrap(), [0u32; 0]);
        assert_eq!(esearch("UID ALL 1:4294967295"), Err("fewer messages"));
        assert_eq!(esearch("UID ALL 1:"), Err("a number"));
        assert_eq!(count(Cursor::new(b"41,43:116,118")), Ok(76));
    }
}
