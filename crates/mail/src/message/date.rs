//! Dates as mail (RFC 5322, 3.3) and calendars (RFC 5545, 3.3.5) write them.

/// A date and time in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Date {
    year: u64,
    month: u64,
    day: u64,
    weekday: u64,
    second: u64,
}

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];
const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];

impl Date {
    /// The date `seconds` after the beginning of 1970. Years are counted from March, so that leap
    /// days come last (Hinnant 2013, `civil_from_days`).
    pub const fn of_unix(seconds: u64) -> Self {
        let days = seconds / 86_400;
        let shifted = days + 719_468;
        let (era, of_era) = (shifted / 146_097, shifted % 146_097);
        let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let from_march = (5 * of_year + 2) / 153;
        let month = if from_march < 10 {
            from_march + 3
        } else {
            from_march - 9
        };
        Self {
            year: year_of_era + era * 400 + (month <= 2) as u64,
            month,
            day: of_year - (153 * from_march + 2) / 5 + 1,
            weekday: days % 7,
            second: seconds % 86_400,
        }
    }

    /// In the format of the header `Date`.
    pub fn mail(self) -> String {
        let Self {
            year, day, second, ..
        } = self;
        let (weekday, month) = (
            WEEKDAYS[self.weekday as usize],
            MONTHS[self.month as usize - 1],
        );
        let (h, m, s) = (second / 3600, second / 60 % 60, second % 60);
        format!("{weekday}, {day} {month} {year} {h:02}:{m:02}:{s:02} +0000")
    }

    /// In the format of calendars.
    pub fn calendar(self) -> String {
        let Self {
            year,
            month,
            day,
            second,
            ..
        } = self;
        let (h, m, s) = (second / 3600, second / 60 % 60, second % 60);
        format!("{year:04}{month:02}{day:02}T{h:02}{m:02}{s:02}Z")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_match_the_date_command() {
        // `TZ=UTC LC_ALL=C date -d @N '+%a, %-d %b %Y %T +0000'`
        for (seconds, printed) in [
            (0, "Thu, 1 Jan 1970 00:00:00 +0000"),
            (951_782_399, "Mon, 28 Feb 2000 23:59:59 +0000"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 +0000"),
            (1_763_761_234, "Fri, 21 Nov 2025 21:40:34 +0000"),
            (4_107_542_400, "Mon, 1 Mar 2100 00:00:00 +0000"),
        ] {
            assert_eq!(Date::of_unix(seconds).mail(), printed);
        }
        assert_eq!(Date::of_unix(1_763_761_234).calendar(), "20251121T214034Z");
    }
}
