//! Encoding of forms.

use form_urlencoded::byte_serialize;
use headcount_script::scope::Missing;
use headcount_script::{Names, Scope, Template};

use super::fields::Fields;

/// The fields of a form, with their names. The error is a sentence.
pub(super) fn form_fields(
    given: Fields<String>,
    names: &mut Names,
) -> Result<Box<[(Template, Template)]>, String> {
    let fields = given.0.into_iter().map(|(name, value)| {
        let wrong = |mistake| format!("form, {name}: {mistake}");
        let parsed = Template::parse(&name, names).map_err(wrong)?;
        Ok((parsed, Template::parse(&value, names).map_err(wrong)?))
    });
    fields.collect()
}

/// The encoded form (URL Standard, 5.2: application/x-www-form-urlencoded).
pub(super) fn encode_form(
    fields: &[(Template, Template)],
    scope: &mut Scope,
) -> Result<String, Missing> {
    let mut out = String::new();
    for (name, value) in fields {
        if !out.is_empty() {
            out.push('&');
        }
        encode(name, scope, &mut out)?;
        out.push('=');
        encode(value, scope, &mut out)?;
    }
    Ok(out)
}

fn encode(template: &Template, scope: &mut Scope, out: &mut String) -> Result<(), Missing> {
    match template.text() {
        Some(text) => out.extend(byte_serialize(text.as_bytes())),
        None => out.extend(byte_serialize(template.render(scope)?.as_bytes())),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_encoded() {
        let mut names = Names::default();
        let mut template = |text: &str| Template::parse(text, &mut names).unwrap();
        let mut field = |name: &str, value: &str| (template(name), template(value));
        let fields = [
            field("user name", "user{n:03}"),
            field("row[{n}]", ""),
            field("a&b", "50% =\u{e4}~*-._"),
        ];
        assert_eq!(
            encode_form(&fields, &mut Scope::outside(0, 7)).unwrap(),
            "user+name=user007&row%5B7%5D=&a%26b=50%25+%3D%C3%A4%7E*-._"
        );
    }
}
