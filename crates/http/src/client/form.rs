//! Forms as they are sent.

use form_urlencoded::byte_serialize;
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
    out.extend(byte_serialize(text.as_bytes()));
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
