//! What is sent with a request.

use std::collections::BTreeMap;
use std::fmt::Write;

use headcount_script::filter::Filter;
use headcount_script::scope::Missing;
use headcount_script::{Names, Scope, Template};
use serde::Deserialize;
use serde_json::Value;

use super::form::encode_form;
use super::sizes::{MOST_BYTES, Sizes};
use crate::pages::Content;

/// What parts the fields of a multipart body. It is long and odd enough to be in no field.
const BOUNDARY: &str = "------------------------headcount-b7f2c9d14e";

/// The type of a body whose fields that parts.
const MULTIPART: &str =
    "multipart/form-data; boundary=------------------------headcount-b7f2c9d14e";

/// What is sent with a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// Nothing.
    None,
    /// These bytes.
    Given(Box<[u8]>),
    /// A user's text, piece by piece.
    Text(Box<[Piece]>),
    /// The fields of a form.
    Form(Box<[(Box<str>, Template)]>),
    /// So many bytes of this kind, made anew for each request.
    Made(Sizes, Content),
}

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// As it is.
    Plain(Template),
    /// With its values as the insides of JSON strings.
    Json(Template),
}

/// The keys of a request that say what is sent with it.
pub(super) struct BodyTable {
    pub(super) given: Option<String>,
    pub(super) bytes: Option<Value>,
    pub(super) content: Content,
    pub(super) form: Option<BTreeMap<String, String>>,
    pub(super) json: Option<Value>,
    pub(super) multipart: Option<BTreeMap<String, Value>>,
}

/// A field of a multipart body that is a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileField {
    filename: String,
    content: String,
    #[serde(default = "binary")]
    content_type: String,
}

fn binary() -> String {
    "application/octet-stream".into()
}

impl BodyTable {
    /// Compiles it, and says of which type it is unless the workload does.
    pub(super) fn compile(self, names: &mut Names) -> Result<(Body, Option<&'static str>), String> {
        let kinds = [
            self.given.is_some(),
            self.bytes.is_some(),
            self.form.is_some(),
            self.json.is_some(),
            self.multipart.is_some(),
        ];
        if kinds.into_iter().filter(|is_there| *is_there).count() > 1 {
            return Err(
                "a request must have only one of body, body_bytes, form, json and multipart".into(),
            );
        }
        if let Some(text) = self.given {
            let template = Template::parse(&text, names).map_err(|why| format!("body: {why}"))?;
            let body = match template.text() {
                Some(text) if text.len() as u64 > MOST_BYTES => {
                    return Err(format!("body has more than {MOST_BYTES} bytes"));
                }
                Some(text) => Body::Given(text.as_bytes().into()),
                None => Body::Text([Piece::Plain(template)].into()),
            };
            return Ok((body, Some("text/plain; charset=utf-8")));
        }
        if let Some(bytes) = self.bytes {
            let sizes = Sizes::parse("body_bytes", &bytes)?;
            let own_type = match self.content {
                Content::Text => "text/html",
                Content::Binary => "application/octet-stream",
            };
            return Ok((Body::Made(sizes, self.content), Some(own_type)));
        }
        if let Some(form) = self.form {
            let fields = form.into_iter().map(|(name, value)| {
                let value = Template::parse(&value, names)
                    .map_err(|mistake| format!("form, {name}: {mistake}"))?;
                Ok((name.into(), value))
            });
            let fields = fields.collect::<Result<_, String>>()?;
            return Ok((
                Body::Form(fields),
                Some("application/x-www-form-urlencoded"),
            ));
        }
        if let Some(json) = self.json {
            let mut pieces = Vec::new();
            write_json(&json, names, &mut pieces).map_err(|why| format!("json: {why}"))?;
            return Ok((whole(pieces), Some("application/json")));
        }
        if let Some(fields) = self.multipart {
            let pieces = multipart(fields, names)?;
            return Ok((whole(pieces), Some(MULTIPART)));
        }
        Ok((Body::None, None))
    }
}

/// The body of these pieces, which is the same for all users if none of them is a user's.
fn whole(pieces: Vec<Piece>) -> Body {
    let texts: Option<String> = pieces.iter().map(Piece::text).collect();
    match texts {
        Some(text) => Body::Given(text.into_bytes().into()),
        None => Body::Text(pieces.into()),
    }
}

impl Piece {
    fn text(&self) -> Option<&str> {
        match self {
            Self::Plain(template) | Self::Json(template) => template.text(),
        }
    }
}

/// Appends the text of a user.
pub(super) fn write_text(
    pieces: &[Piece],
    scope: &mut Scope,
    out: &mut String,
) -> Result<(), Missing> {
    for piece in pieces {
        match piece {
            Piece::Plain(template) => template.write(scope, out)?,
            Piece::Json(template) => template.write_encoded(scope, Filter::Json, out)?,
        }
    }
    Ok(())
}

/// The body of a user, where it is not the same for all.
pub(super) fn body_text(body: &Body, scope: &mut Scope) -> Result<Option<String>, Missing> {
    match body {
        Body::Form(fields) => encode_form(fields, scope).map(Some),
        Body::Text(pieces) => {
            let mut text = String::new();
            write_text(pieces, scope, &mut text)?;
            Ok(Some(text))
        }
        Body::None | Body::Given(_) | Body::Made(..) => Ok(None),
    }
}

/// Appends JSON whose strings may have placeholders.
fn write_json(value: &Value, names: &mut Names, out: &mut Vec<Piece>) -> Result<(), String> {
    let plain = |text: &str| Piece::Plain(Template::plain(text));
    match value {
        Value::String(text) => {
            // What stands around the placeholders is quoted here, values when they are known.
            let mut quoted = String::new();
            Filter::Json.write(text, &mut quoted);
            let template = Template::parse(&quoted, names)?;
            if template.is_number() {
                out.push(Piece::Plain(template));
            } else {
                out.extend([plain("\""), Piece::Json(template), plain("\"")]);
            }
        }
        Value::Array(list) => {
            out.push(plain("["));
            for (place, element) in list.iter().enumerate() {
                if place > 0 {
                    out.push(plain(","));
                }
                write_json(element, names, out)?;
            }
            out.push(plain("]"));
        }
        Value::Object(members) => {
            out.push(plain("{"));
            for (place, (name, member)) in members.iter().enumerate() {
                let comma = if place > 0 { "," } else { "" };
                out.push(plain(&format!("{comma}{}:", Value::from(name.as_str()))));
                write_json(member, names, out)?;
            }
            out.push(plain("}"));
        }
        other => out.push(plain(&other.to_string())),
    }
    Ok(())
}

/// The pieces of a multipart body (RFC 7578).
fn multipart(fields: BTreeMap<String, Value>, names: &mut Names) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    for (name, field) in fields {
        let wrong = |why: String| format!("multipart, {name}: {why}");
        let mut head = format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{}\"",
            quoted(&name)
        );
        let (file, content) = match field {
            Value::String(text) => (None, text),
            Value::Object(_) => {
                let file = FileField::deserialize(field).map_err(|e| wrong(e.to_string()))?;
                (Some((file.filename, file.content_type)), file.content)
            }
            _ => {
                let why = "it must be a text, or a table with filename and content";
                return Err(wrong(why.into()));
            }
        };
        if let Some((filename, content_type)) = file {
            let filename = quoted(&filename);
            let is_plain = content_type
                .bytes()
                .all(|byte| (b' '..=b'~').contains(&byte));
            if !is_plain {
                return Err(wrong("content_type must be text of ASCII".into()));
            }
            // A string takes everything.
            let _ = write!(
                head,
                "; filename=\"{filename}\"\r\nContent-Type: {content_type}"
            );
        }
        head.push_str("\r\n\r\n");
        pieces.push(Piece::Plain(Template::plain(&head)));
        pieces.push(Piece::Plain(
            Template::parse(&content, names).map_err(wrong)?,
        ));
        pieces.push(Piece::Plain(Template::plain("\r\n")));
    }
    pieces.push(Piece::Plain(Template::plain(&format!(
        "--{BOUNDARY}--\r\n"
    ))));
    Ok(pieces)
}

/// A name as browsers write it between quotes (HTML Standard, 4.10.21.8).
fn quoted(name: &str) -> String {
    name.replace('"', "%22")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What is sent, and its type.
    fn sent(key: &str, value: Value) -> Result<(String, &'static str), String> {
        let mut names = Names::default();
        let slot = names.set("x").unwrap();
        let mut table = BodyTable {
            given: None,
            bytes: None,
            content: Content::Text,
            form: None,
            json: None,
            multipart: None,
        };
        match key {
            "body" => table.given = Some(serde_json::from_value(value).unwrap()),
            "json" => table.json = Some(value),
            _ => table.multipart = Some(serde_json::from_value(value).unwrap()),
        }
        let (body, own_type) = table.compile(&mut names)?;
        let mut scope = Scope::outside(names.slots(), 7);
        scope.set(slot, "5\"\n");
        let text = body_text(&body, &mut scope).map_err(|missing| missing.to_string())?;
        let text = match body {
            Body::Given(given) => String::from_utf8(given.into()).unwrap(),
            _ => text.unwrap(),
        };
        Ok((text, own_type.unwrap()))
    }

    #[test]
    fn json_is_sent_with_a_users_values() {
        let json =
            json!({"a": [1, true, null, "p\"{x}"], "n": "{n:number}", "t": "{n}", "q\"": {}});
        let (text, own_type) = sent("json", json).unwrap();
        let expected = r#"{"a":[1,true,null,"p\"5\"\n"],"n":7,"q\"":{},"t":"7"}"#;
        assert_eq!(text, expected);
        assert!(serde_json::from_str::<Value>(&text).is_ok());
        assert_eq!(own_type, "application/json");
        assert_eq!(sent("json", json!("a")).unwrap().0, "\"a\"");
        let sentence = sent("json", json!({"a": "{x:number}"})).unwrap_err();
        assert!(sentence.contains("is not a number"), "{sentence}");
    }

    #[test]
    fn texts_and_fields_are_sent() {
        assert_eq!(sent("body", json!("{\"a\": {n}}")).unwrap().0, "{\"a\": 7}");
        let fields = json!({
            "a\"b": "t{n}",
            "file": {"filename": "x.csv", "content": "1,{n}\n", "content_type": "text/csv"},
        });
        let (text, own_type) = sent("multipart", fields).unwrap();
        assert_eq!(
            text,
            format!(
                "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"a%22b\"\r\n\r\nt7\r\n\
                 --{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; \
                 filename=\"x.csv\"\r\nContent-Type: text/csv\r\n\r\n1,7\n\r\n--{BOUNDARY}--\r\n"
            )
        );
        assert!(own_type.ends_with(BOUNDARY));
        for (field, part) in [
            (json!(5), "a text, or a table"),
            (json!({"name": "x"}), "name"),
        ] {
            let sentence = sent("multipart", json!({ "f": field })).unwrap_err();
            assert!(sentence.contains(part), "{sentence}");
        }
    }
}
