//! Pages that a CGI program makes: their paths, and the program.
//!
//! The program is a short awk script, so that it runs wherever a server is tested, without a
//! compiler or anything to install. It makes the text of `content` from its query alone.

use std::io::Write;

use super::set::Page;
use super::words::{BYTES, LINE_STEP, PAGE_STEP, PLACES, TABLE};

/// The path of the program, from the tree's root.
pub const PROGRAM: &str = "cgi-bin/page";

const PREFIX: &str = "/cgi-bin/page?seed=";

/// Appends the path of a page, with its query.
pub(super) fn write_path(seed: u64, page: &Page, out: &mut Vec<u8>) {
    let Page { number, bytes, .. } = page;
    let _ = write!(out, "{PREFIX}{seed:016x}&page={number:08x}&bytes={bytes}"); // memory takes all
}

/// The number of the page that such a path names; `None` for any other path.
pub(super) fn number(path: &str) -> Option<u32> {
    let (_, rest) = path.strip_prefix(PREFIX)?.split_once("&page=")?;
    u32::from_str_radix(rest.get(..8)?, 16).ok()
}

/// The program: answers the query in `QUERY_STRING` (RFC 3875, 4.1.7).
#[must_use]
pub fn program() -> String {
    let table = String::from_utf8_lossy(&TABLE);
    let mut words = String::new();
    for start in (0..table.len()).step_by(80) {
        let part = &table[start..(start + 80).min(table.len())];
        words.extend(["  words = words \"", part, "\"\n"]);
    }
    format!(
        r#"#!/usr/bin/awk -f
# Made by Headcount: answers pages of its data set, made from the query alone.
function number(digits,  value, i) {{
  value = 0
  for (i = 1; i <= length(digits); i++)
    value = value * 16 + index("0123456789abcdef", substr(digits, i, 1)) - 1
  return value
}}
BEGIN {{
  query = ENVIRON["QUERY_STRING"]
  if (query !~ /^seed=[0-9a-f]+&page=[0-9a-f]+&bytes=[0-9]+$/) {{
    printf "Status: 400 Bad Request\r\nContent-Type: text/plain\r\n\r\nno such page\n"
    exit
  }}
{words}  split(query, fields, /[&=]/)
  seed = fields[2]; page = fields[4]; left = fields[6] + 0
  printf "Content-Type: text/html\r\nContent-Length: %d\r\n\r\n", left
  start = number(page) * {PAGE_STEP} + number(substr(seed, length(seed) - 2))
  for (line = 0; left > 0; line++) {{
    if (line == 0)
      text = sprintf("<!DOCTYPE html><title>%s %s</title><p>     \n", page, seed)
    else
      text = sprintf("%s %08x %s\n", page, line * 64, \
        substr(words, (start + line * {LINE_STEP}) % {PLACES} + 1, {BYTES}))
    printf "%s", substr(text, 1, left)
    left -= length(text)
  }}
}}
"#
    )
}
