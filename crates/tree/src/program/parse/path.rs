//! Paths of a load file, and where they lie in a user's folder.

use super::line::shown;
use crate::program::WORK;

/// The folder below a user's own for paths of a load file that belong to no client.
pub(super) const OTHER: &str = "other";

/// The longest path; with the user's folder before it, well within the limits of servers.
const MOST_CHARACTERS: usize = 1024;

/// The place of a path below the user's folder: `\clients\client1\a` becomes `work\a`; a path
/// outside clients' folders goes to `other`.
pub(super) fn below(text: &str) -> Result<String, String> {
    place(text, &[])
}

/// The folder of a search below the user's folder, and its mask.
pub(super) fn split_mask(text: &str) -> Result<(String, &str), String> {
    let at = text.rfind(['\\', '/']).map_or(0, |at| at + 1);
    let (folder, mask) = text.split_at(at);
    if mask.is_empty() || mask == "." || mask == ".." {
        return Err(format!(
            "the mask \"{}\" names nothing to look for",
            shown(text)
        ));
    }
    check(mask, &['*', '?', '<', '>'], text)?;
    Ok((place(folder, &[])?, mask))
}

fn place(text: &str, allowed: &[char]) -> Result<String, String> {
    if text.len() > MOST_CHARACTERS {
        return Err(format!("the path is longer than {MOST_CHARACTERS} bytes"));
    }
    let mut parts = Vec::new();
    for part in text.split(['\\', '/']).filter(|part| !part.is_empty()) {
        check(part, allowed, text)?;
        parts.push(part);
    }
    let client = parts.iter().position(|part| is_client(part));
    let (root, rest) = match client {
        Some(at) => (WORK, &parts[at + 1..]),
        None => (OTHER, &parts[..]),
    };
    let all = std::iter::once(&root).chain(rest);
    Ok(all.copied().collect::<Vec<_>>().join("\\"))
}

/// An error if a part of a path is not a name, or leads out of its folder.
fn check(part: &str, allowed: &[char], path: &str) -> Result<(), String> {
    if part.chars().all(|letter| letter == '.') {
        return Err(format!(
            "the path \"{}\" has a part \"{part}\"; paths must stay in the client's folder",
            shown(path)
        ));
    }
    let forbidden = |letter: char| {
        letter.is_control()
            || (matches!(letter, ':' | '*' | '?' | '<' | '>' | '|') && !allowed.contains(&letter))
    };
    match part.chars().find(|letter| forbidden(*letter)) {
        Some(letter) => Err(format!(
            "the path \"{}\" has {letter:?} in it, which file names cannot have",
            shown(path)
        )),
        None => Ok(()),
    }
}

/// Whether it is `client` and a number, which stands for the playing client.
fn is_client(part: &str) -> bool {
    let number = part
        .get(..6)
        .filter(|start| start.eq_ignore_ascii_case("client"))
        .and_then(|_| part.get(6..));
    number.is_some_and(|digits| {
        !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clients_folder_becomes_the_users() {
        assert_eq!(
            below(r"\clients\client1\~dmtmp\A B.DOC").unwrap(),
            r"work\~dmtmp\A B.DOC"
        );
        assert_eq!(below("/clients/client12/x").unwrap(), r"work\x");
        assert_eq!(below(r"\clients\client1").unwrap(), "work");
        assert_eq!(below(r"\clients").unwrap(), r"other\clients");
        assert_eq!(below(r"\").unwrap(), "other");
        assert_eq!(
            below(r"\clients\clients1\x").unwrap(),
            r"other\clients\clients1\x"
        );
        assert_eq!(
            split_mask(r"\clients\client1\<.JNK").unwrap(),
            ("work".to_owned(), "<.JNK")
        );
    }

    #[test]
    fn paths_out_of_the_folder_are_refused() {
        for wrong in [
            r"\clients\client1\..\..\x",
            r"..",
            r"\.\x",
            r"\client1\...",
            r"c:\x",
            "a\u{1}b",
            r"\a*",
        ] {
            assert!(below(wrong).is_err(), "{wrong}");
        }
        for wrong in [r"\clients\..\*", r"\x\..", r"\x\", "", r"\a*\x", r"\x\a|b"] {
            assert!(split_mask(wrong).is_err(), "{wrong}");
        }
    }
}
