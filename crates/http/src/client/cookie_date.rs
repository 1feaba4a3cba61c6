//! The dates of cookies, which servers write in many ways (RFC 6265bis, 5.1.1).

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

/// The seconds since 1970 of a date; `None` if it is invalid.
#[must_use]
pub fn unix_s(text: &str) -> Option<i64> {
    let (mut time, mut day, mut month, mut year) = (None, None, None, None);
    for token in text.split(is_delimiter).filter(|token| !token.is_empty()) {
        if time.is_none() && token.contains(':') {
            time = time_s(token);
            if time.is_some() {
                continue;
            }
        }
        if day.is_none()
            && let Some(found) = number(token, 1, 2)
        {
            day = Some(found);
        } else if month.is_none()
            && let Some(found) = month_of(token)
        {
            month = Some(found);
        } else if year.is_none() {
            year = number(token, 2, 4);
        }
    }
    let year = match year? {
        short @ 70..=99 => short + 1900,
        short @ 0..=69 => short + 2000,
        full => full,
    };
    let (day, month) = (day?, month?);
    if !(1..=31).contains(&day) || year < 1601 {
        return None;
    }
    Some(days_since_1970(year, month, day)? * 86_400 + time?)
}

const fn is_delimiter(sign: char) -> bool {
    matches!(sign, '\t' | ' '..='/' | ';'..='@' | '['..='`' | '{'..='~')
}

/// A number of `least` to `most` digits, followed by anything but a digit.
fn number(token: &str, least: usize, most: usize) -> Option<i64> {
    let digits = token.bytes().take_while(u8::is_ascii_digit).count();
    if !(least..=most).contains(&digits) {
        return None;
    }
    token[..digits].parse().ok()
}

/// Seconds since midnight of hours, minutes and seconds.
fn time_s(token: &str) -> Option<i64> {
    let mut parts = token.splitn(3, ':');
    let mut next = |is_last: bool| {
        let part = parts.next()?;
        let is_whole = part.bytes().all(|byte| byte.is_ascii_digit());
        number(part, 1, 2).filter(|_| is_whole || is_last)
    };
    let (hours, minutes, seconds) = (next(false)?, next(false)?, next(true)?);
    let is_time = hours < 24 && minutes < 60 && seconds < 60;
    is_time.then_some(hours * 3600 + minutes * 60 + seconds)
}

/// The number of a month, from 1, whose name begins with its three letters.
fn month_of(token: &str) -> Option<i64> {
    let start = token.get(..3)?.to_ascii_lowercase();
    let at = MONTHS.iter().position(|month| *month == start)?;
    i64::try_from(at + 1).ok()
}

/// Days from 1 January 1970 to a date; `None` if the month does not have that day.
fn days_since_1970(year: i64, month: i64, day: i64) -> Option<i64> {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    // The year begins in March, so that the leap day is the last.
    let shifted = if month > 2 { year } else { year - 1 };
    let in_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let leap_days = shifted / 4 - shifted / 100 + shifted / 400;
    (day <= length).then_some(shifted * 365 + leap_days + in_year - 719_468)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn dates_are_read_as_servers_write_them() {
        // Seconds are those of `date -u -d DATE +%s`.
        for (text, expected) in [
            ("Thu, 01 Jan 1970 00:00:00 GMT", Some(0)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(784_111_777)),
            ("Sunday, 06-Nov-94 08:49:37 GMT", Some(784_111_777)),
            ("Sun Nov  6 08:49:37 1994", Some(784_111_777)),
            ("29 Feb 2028 1:2:3", Some(1_835_398_923)),
            ("Mon, 29-FEBRUARY-2100 00:00:00", None),
            ("Fri, 31 Dec 9999 23:59:59 GMT", Some(253_402_300_799)),
            ("Wed, 01 Mar 2000 00:00:00", Some(951_868_800)),
            ("06 Nov 08:49:37", None),
            ("06 Nov 1994", None),
            ("32 Nov 1994 08:49:37", None),
            ("06 Nov 1994 24:00:00", None),
            ("06 Nov 1600 08:49:37", None),
            ("0", None),
            ("", None),
        ] {
            assert_eq!(unix_s(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "[0-9A-Za-z:, ä-]{0,40}") {
            let _ = unix_s(&text);
        }
    }
}
