//! The names that a script mentions: variables that it reads and sets, and steps that it plays.
//!
//! Only literal names can be found. They are checked before the run, so that a misspelt one is
//! reported before its turn comes.

/// Names in a script, each with its line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Mentioned<'a> {
    /// Variables that are read.
    pub(super) read: Vec<(&'a str, usize)>,
    /// Variables that are set.
    pub(super) set: Vec<(&'a str, usize)>,
    /// Steps.
    pub(super) played: Vec<(&'a str, usize)>,
    /// Whether it has loops or functions. Code without them always ends.
    pub(super) may_loop: bool,
}

/// A token of Lua, as far as names need it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word<'a> {
    Name(&'a str),
    /// The contents of a string without escapes.
    Text(&'a str),
    /// Any other character; strings with escapes count as `"`.
    Sign(u8),
    /// `==`, which is not an assignment.
    Same,
}

/// The functions that play a step by its name.
const PLAYING: [&str; 2] = ["play", "attempt"];

/// The keywords without which code cannot repeat.
const LOOPING: [&str; 5] = ["while", "repeat", "for", "goto", "function"];

/// The names that a script mentions.
pub(super) fn mentioned(source: &str) -> Mentioned<'_> {
    let words: Vec<_> = Words::new(source).collect();
    let mut found = Mentioned::default();
    for (place, (word, line)) in words.iter().enumerate() {
        let Word::Name(name) = *word else { continue };
        found.may_loop |= LOOPING.contains(&name);
        let is_field = place > 0 && matches!(words[place - 1].0, Word::Sign(b'.' | b':'));
        let after: Vec<_> = words[place + 1..].iter().take(4).map(|it| it.0).collect();
        if is_field {
            continue;
        }
        if name == "vars" {
            let (variable, behind) = match after[..] {
                [Word::Sign(b'.'), Word::Name(field), ref behind @ ..] => (field, behind),
                [
                    Word::Sign(b'['),
                    Word::Text(key),
                    Word::Sign(b']'),
                    ref behind @ ..,
                ] => (key, behind),
                _ => continue,
            };
            if behind.first() == Some(&Word::Sign(b'=')) {
                found.set.push((variable, *line));
            } else {
                found.read.push((variable, *line));
            }
        } else if PLAYING.contains(&name) {
            let ([Word::Text(step), ..] | [Word::Sign(b'('), Word::Text(step), ..]) = after[..]
            else {
                continue;
            };
            found.played.push((step, *line));
        }
    }
    found
}

/// The tokens of a script with their lines, without comments.
struct Words<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Words<'a> {
    const fn new(source: &'a str) -> Self {
        Self {
            rest: source,
            line: 1,
        }
    }

    /// Takes this many bytes.
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.line += taken.bytes().filter(|byte| *byte == b'\n').count();
        self.rest = rest;
        taken
    }

    /// Takes the contents of a long bracket, `[[...]]` or `[=[...]=]`, if one begins here.
    fn long_bracket(&mut self) -> Option<&'a str> {
        let after = self.rest.strip_prefix('[')?;
        let level = after.len() - after.trim_start_matches('=').len();
        let inside = after[level..].strip_prefix('[')?;
        let end = format!("]{}]", "=".repeat(level));
        let length = inside.find(&end).unwrap_or(inside.len());
        let head = level + 2;
        let whole = (head + length + end.len()).min(self.rest.len());
        let taken = self.take(whole);
        Some(&taken[head..head + length])
    }

    /// Takes a string in quotes; one with escapes is not read.
    fn quoted(&mut self, quote: u8) -> Word<'a> {
        let bytes = self.rest.as_bytes();
        let mut at = 1;
        let mut is_plain = true;
        while at < bytes.len() && bytes[at] != quote && bytes[at] != b'\n' {
            if bytes[at] == b'\\' {
                is_plain = false;
                at += 1;
            }
            at += 1;
        }
        let is_closed = bytes.get(at) == Some(&quote);
        let mut end = (at + usize::from(is_closed)).min(bytes.len());
        while !self.rest.is_char_boundary(end) {
            end += 1;
        }
        let taken = self.take(end);
        if is_plain && is_closed {
            Word::Text(&taken[1..taken.len() - 1])
        } else {
            Word::Sign(b'"')
        }
    }

    fn word(&mut self) -> Option<Word<'a>> {
        loop {
            let blank = self.rest.len() - self.rest.trim_start().len();
            self.take(blank);
            let Some(comment) = self.rest.strip_prefix("--") else {
                break;
            };
            self.take(2);
            if !comment.starts_with('[') || self.long_bracket().is_none() {
                let length = comment.find('\n').unwrap_or(comment.len());
                self.take(length);
            }
        }
        let first = self.rest.chars().next()?;
        if first.is_ascii_alphabetic() || first == '_' {
            let is_part = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
            let end = self.rest.find(|sign| !is_part(sign));
            return Some(Word::Name(self.take(end.unwrap_or(self.rest.len()))));
        }
        if first == '"' || first == '\'' {
            return Some(self.quoted(first as u8));
        }
        if let Some(text) = self.long_bracket() {
            return Some(Word::Text(text));
        }
        for pair in ["==", "~=", "<=", ">=", ".."] {
            if self.rest.starts_with(pair) {
                self.take(2);
                return Some(Word::Same);
            }
        }
        self.take(first.len_utf8());
        Some(Word::Sign(u8::try_from(first).unwrap_or(b'?')))
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = (Word<'a>, usize);

    fn next(&mut self) -> Option<Self::Item> {
        let word = self.word()?;
        Some((word, self.line))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_found_with_their_lines() {
        let found = mentioned(
            "play('search')\n\
             if tonumber(vars.stock) > 0 and vars.status == 'open' then\n\
             vars.total = vars['price'] * 2 -- vars.comment = 1, play('comment')\n\
             local ok = attempt \"buy\"\n\
             --[[ vars.long\n play('long') ]] vars[\"a.b\"] = 'vars.text'\n\
             end\n\
             play(name) other.vars.x = 1 t.play('none') play([[later]])\n\
             vars[key] = 'it\\'s vars.escaped'",
        );
        assert_eq!(
            found.read,
            [("stock", 2), ("status", 2), ("price", 3)],
            "{found:?}"
        );
        assert_eq!(found.set, [("total", 3), ("a.b", 6)], "{found:?}");
        assert_eq!(
            found.played,
            [("search", 1), ("buy", 4), ("later", 8)],
            "{found:?}"
        );
    }

    #[test]
    fn unterminated_tokens_are_skipped() {
        for source in [
            "'", "\"a", "--[[", "[[", "[==[ ]]", "'\\", "vars.", "vars[", "play(",
        ] {
            assert_eq!(mentioned(source), Mentioned::default(), "{source}");
        }
    }

    #[test]
    fn loops_are_detected() {
        for (source, may_loop) in [
            ("if vars.a then play('for') end -- while", false),
            ("for i = 1, 2 do play('a') end", true),
            ("::again:: goto again", true),
            ("pcall(function() end)", true),
        ] {
            assert_eq!(mentioned(source).may_loop, may_loop, "{source}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(source in "[a-z\\[\\]=\"'\\\\\n. \u{e4}-]{0,60}") {
            let _ = mentioned(&source);
        }
    }
}
