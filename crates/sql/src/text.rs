//! Texts derived from a key, so that every character can be checked without storing anything.

/// 64 words: each takes six random bits.
const WORDS: [&str; 64] = [
    "account", "agenda", "answer", "archive", "balance", "branch", "budget", "build", "change",
    "client", "column", "contract", "copy", "course", "customer", "date", "decision", "delay",
    "design", "draft", "engine", "entry", "estimate", "figure", "folder", "forecast", "goal",
    "group", "harbour", "index", "invoice", "item", "journal", "keyboard", "ledger", "letter",
    "limit", "list", "market", "meeting", "memo", "minute", "network", "note", "office", "order",
    "paper", "partner", "plan", "price", "project", "question", "quarter", "record", "report",
    "review", "sample", "schedule", "server", "signal", "summary", "table", "target", "week",
];

/// Output of `SplitMix64` (Steele, Lea, Flood 2014) for one state.
#[must_use]
pub const fn mix(state: u64) -> u64 {
    let z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// One key of several numbers; their order matters.
#[must_use]
pub fn key(parts: &[u64]) -> u64 {
    parts.iter().fold(0, |key, part| mix(key ^ mix(*part)))
}

/// Words separated by blanks, exactly `bytes` long. Texts of different lengths begin differently,
/// so that a truncated one is noticed.
#[must_use]
pub fn words(key: u64, bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 16);
    let mut state = mix(key ^ mix(bytes as u64));
    while text.len() < bytes {
        state = mix(state);
        for turn in 0..10 {
            text.push_str(WORDS[(state >> (6 * turn)) as usize & 63]);
            text.push(' ');
        }
    }
    text.truncate(bytes);
    text
}

/// Whether a text is what [`words`] returns for this key and the text's length.
#[must_use]
pub fn is_words(key: u64, text: &str) -> bool {
    text == words(key, text.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_change_of_a_text_is_noticed(
            key in any::<u64>(), bytes in 10usize..3000, at in any::<prop::sample::Index>(),
        ) {
            let text = words(key, bytes);
            prop_assert_eq!(text.len(), bytes);
            prop_assert!(is_words(key, &text));
            prop_assert!(!is_words(key ^ 1, &text));
            prop_assert!(!is_words(key, &text[..bytes - 1]));
            let mut changed = text.into_bytes();
            changed[at.index(bytes)] ^= 1;
            prop_assert!(!is_words(key, &String::from_utf8(changed).unwrap()));
        }
    }

    #[test]
    fn the_texts_of_a_key_never_change() {
        // A change here would make every data set prepared before it look damaged.
        assert_eq!(words(1, 30), FIRST_TEXT);
        assert_ne!(key(&[1, 2]), key(&[2, 1]));
    }
    const FIRST_TEXT: &str = "signal partner date project de";
}
