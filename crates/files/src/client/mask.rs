//! Names with wildcards.

/// Whether a name matches: `*` stands for any characters, `?` for one; `<`, `>` and `"` are what
/// Windows turns `*`, `?` and `.` into in old masks (MS-FSA 2.1.4.4, without its rules for the ends
/// of names), and `*.*` stands for everything.
pub(super) fn matches(mask: &str, name: &str) -> bool {
    if mask == "*.*" {
        return true;
    }
    let (mut mask, mut name) = (mask.chars(), name.chars());
    // What follows the last `*`, and what is left of the name after all that it stands for.
    let mut last = None;
    loop {
        let (mut after, mut left) = (mask.clone(), name.clone());
        match (after.next(), left.next()) {
            (None, None) => return true,
            (Some('*' | '<'), _) => {
                last = Some((after.clone(), name.clone()));
                mask = after;
            }
            (Some(one), Some(other)) if stands_for(one, other) => (mask, name) = (after, left),
            _ => {
                let Some((rest, from)) = &mut last else {
                    return false;
                };
                if from.next().is_none() {
                    return false;
                }
                (mask, name) = (rest.clone(), from.clone());
            }
        }
    }
}

/// Whether a character of a mask, other than `*`, stands for this one.
fn stands_for(one: char, other: char) -> bool {
    match one {
        '?' | '>' => true,
        '"' => matches!(other, '.' | '"'),
        _ => one == other,
    }
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
            ("?.txt", "ä.txt", true),
            ("gr??e*.do?", "größe (2).doc", true),
            ("?", "ab", false),
            ("*a*b", "aabab", true),
            ("*a*b", "aababc", false),
        ] {
            assert_eq!(matches(mask, name), is_like, "{mask} {name}");
        }
    }

    #[test]
    fn many_wildcards_take_no_longer() {
        let mask = "*a".repeat(60);
        assert!(!matches(&format!("{mask}b"), &"a".repeat(250)));
        assert!(matches(&mask, &"a".repeat(250)));
    }
}
