//! Forms as they are sent.

use headcount_script::scope::Missing;
use headcount_script::{Scope, Template};

/// A form as it is sent (URL Standard, 5.2: application/x-www-form-urlencoded).
pub(super) fn encode_form(
    fields: &[(Box<str>, Template)],
    scope: &mut Scope,
) -> Result<String, Missing> {
    let mut out = String::new();
    for (name, value) in fields {
        if !out.is_empty() {
            out.push('&');
        }
        encode(name, &mut out);
        out.push('=');
        match value.text() {
            Some(text) => encode(text, &mut out),
            None => encode(&value.render(scope)?, &mut out),
        }
    }
    Ok(out)
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
    use headcount_script::Names;

    use super::*;

    #[test]
    fn forms_are_encoded() {
        let mut names = Names::default();
        let mut field =
            |name: &str, value: &str| (name.into(), Template::parse(value, &mut names).unwrap());
        let fields = [
            field("user name", "user{n:03}"),
            field("a&b", "50% =\u{e4}~*-._"),
        ];
        assert_eq!(
            encode_form(&fields, &mut Scope::outside(0, 7)).unwrap(),
            "user+name=user007&a%26b=50%25+%3D%C3%A4%7E*-._"
        );
    }
}
