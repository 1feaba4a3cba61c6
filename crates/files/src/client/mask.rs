//! Names with wildcards.

/// Whether a name matches: `*` stands for any characters, `?` for one; `<`, `>` and `"` are what
/// Windows turns `*`, `?` and `.` into in old masks (MS-FSA 2.1.4.4, without its rules for the ends
/// of names), and `*.*` stands for everything.
pub(super) fn matches(mask: &str, name: &str) -> bool {
    fn rest(mask: &[u8], name: &[u8]) -> bool {
        match (mask.split_first(), name.split_first()) {
            (None, None) => true,
            (Some((b'*' | b'<', after)), _) => {
                rest(after, name) || name.split_first().is_some_and(|(_, left)| rest(mask, left))
            }
            (Some((b'?' | b'>', after)), Some((_, left)))
            | (Some((b'"', after)), Some((b'.', left))) => rest(after, left),
            (Some((one, after)), Some((other, left))) => one == other && rest(after, left),
            _ => false,
        }
    }
    mask == "*.*" || rest(mask.as_bytes(), name.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_match_the_expected_names() {
        for (mask, name, is_like) in [
            ("*", "anything.txt", true),
            ("*.*", "no dot", true),
            ("*.doc", "a.doc", true),
            ("*.doc", "a.docx", false),
            ("a?c.*", "abc.d.e", true),
            ("a?c", "ac", false),
            ("<.>oc", "letter.doc", true),
            ("a\"b", "a.b", true),
            ("a\"b", "axb", false),
            ("", "", true),
        ] {
            assert_eq!(matches(mask, name), is_like, "{mask} {name}");
        }
    }
}
