//! Invitations and the answers to them (RFC 5545, RFC 5546).

use super::date::Date;
use super::mix::splitmix;
use super::part::Kind;
use super::stamp::{DOMAIN, Stamp};

/// Most characters of a line (RFC 5545, 3.1: 75 octets).
const LINE_CHARACTERS: usize = 75;

const DAY_S: u64 = 86_400;

/// The calendar that `from` sends to `to`. The meeting is one to four weeks after the message, on
/// the hour; in an answer, the sender accepts.
pub fn calendar(kind: Kind, stamp: &Stamp, from: &str, to: &[&str]) -> String {
    let bits = splitmix(stamp.key(usize::MAX));
    let sent_s = stamp.sent_unix_us / 1_000_000;
    let day = sent_s / DAY_S + 7 + bits % 21;
    let starts = day * DAY_S + (8 + (bits >> 8) % 9) * 3600;
    let mut text = String::new();
    let mut line = |what: &str| add(&mut text, what);
    line("BEGIN:VCALENDAR");
    line("VERSION:2.0");
    line("PRODID:-//Headcount//Mail//EN");
    line(if kind == Kind::Answer {
        "METHOD:REPLY"
    } else {
        "METHOD:REQUEST"
    });
    line("BEGIN:VEVENT");
    line(&format!("UID:{:016x}@{DOMAIN}", stamp.key(0)));
    line(&format!("DTSTAMP:{}", Date::of_unix(sent_s).calendar()));
    line(&format!("DTSTART:{}", Date::of_unix(starts).calendar()));
    line(&format!(
        "DTEND:{}",
        Date::of_unix(starts + 3600).calendar()
    ));
    line("SEQUENCE:0");
    if kind == Kind::Answer {
        line(&format!("ORGANIZER:mailto:{}", to.first().unwrap_or(&from)));
        line(&format!("ATTENDEE;PARTSTAT=ACCEPTED:mailto:{from}"));
    } else {
        line(&format!("ORGANIZER:mailto:{from}"));
        for attendee in to {
            line(&format!(
                "ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:{attendee}"
            ));
        }
    }
    line("SUMMARY:Meeting");
    line("END:VEVENT");
    line("END:VCALENDAR");
    text
}

/// Adds a line of ASCII, folded if it is long.
fn add(text: &mut String, line: &str) {
    for (index, piece) in line.as_bytes().chunks(LINE_CHARACTERS - 1).enumerate() {
        if index > 0 {
            text.push_str("\r\n ");
        }
        text.push_str(&String::from_utf8_lossy(piece));
    }
    text.push_str("\r\n");
}
