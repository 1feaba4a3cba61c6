//! Forms as they are sent.

use crate::pattern::Pattern;

/// A form as it is sent (URL Standard, 5.2: application/x-www-form-urlencoded).
pub(super) fn encode_form(fields: &[(Box<str>, Pattern)], number: u32) -> String {
    let mut out = String::new();
    for (name, value) in fields {
        if !out.is_empty() {
            out.push('&');
        }
        encode(name, &mut out);
        out.push('=');
        encode(&value.text(number), &mut out);
    }
    out
}

fn encode(text: &str, out: &mut String) {
    for byte in text.bytes() {
        match byte {
            b' ' => out.push('+'),
            b'*' | b'-' | b'.' | b'_' => out.push(byte.into()),
            _ if byte.is_ascii_alphanumeric() => out.push(byte.into()),
            _ => {
                out.push('%');
                for digit in [byte >> 4, byte & 15] {
                    let digit = char::from_digit(digit.into(), 16).unwrap_or('0');
                    out.push(digit.to_ascii_uppercase());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_encoded() {
        let field = |name: &str, value: &str| (name.into(), value.parse().unwrap());
        let fields = [
            field("user name", "user{n:03}"),
            field("a&b", "50% =\u{e4}~*-._"),
        ];
        assert_eq!(
            encode_form(&fields, 7),
            "user+name=user007&a%26b=50%25+%3D%C3%A4%7E*-._"
        );
    }
}
