//! What is sent with a request.

use std::collections::BTreeMap;

use headcount_script::filter::Filter;
use headcount_script::scope::Missing;
use headcount_script::{Names, Scope, SentFile, Template};
use serde_json::Value;

use super::file_type::file_type;
use super::form::{encode_form, form_fields};
use super::mixed::{Segment, texts};
use super::multipart::{MULTIPART, multipart};
use super::piece::Piece;
use super::sizes::{MOST_BYTES, Sizes};
use crate::pages::Content;

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
    Form(Box<[(Template, Template)]>),
    /// So many bytes of this kind, made anew for each request.
    Made(Sizes, Content),
    /// A file, as it is.
    File(SentFile),
    /// Texts and files, one after the other.
    Mixed(Box<[Segment]>),
}

/// The keys of a request that say what is sent with it.
#[derive(Default)]
pub(super) struct BodyTable {
    pub(super) given: Option<String>,
    pub(super) bytes: Option<Value>,
    pub(super) content: Content,
    pub(super) file: Option<String>,
    pub(super) form: Option<BTreeMap<String, String>>,
    pub(super) json: Option<Value>,
    pub(super) multipart: Option<BTreeMap<String, Value>>,
}

impl BodyTable {
    /// Compiles it, and says of which type it is unless the workload does.
    pub(super) fn compile(self, names: &mut Names) -> Result<(Body, Option<&'static str>), String> {
        let kinds = [
            self.given.is_some(),
            self.bytes.is_some(),
            self.file.is_some(),
            self.form.is_some(),
            self.json.is_some(),
            self.multipart.is_some(),
        ];
        if kinds.into_iter().filter(|is_there| *is_there).count() > 1 {
            return Err(
                "a request must have only one of body, body_bytes, body_file, form, json and \
                 multipart"
                    .into(),
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
        if let Some(path) = self.file {
            let file = names
                .file(&path)
                .map_err(|why| format!("body_file: {why}"))?;
            let own_type = file_type(file.name());
            return Ok((Body::File(file), Some(own_type)));
        }
        if let Some(form) = self.form {
            let fields = form_fields(form, names)?;
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
            let parts = multipart(fields, names)?;
            let body = texts(&parts).map_or_else(|| Body::Mixed(parts.into()), whole);
            return Ok((body, Some(MULTIPART)));
        }
        Ok((Body::None, None))
    }
}

/// The body of these pieces, which is the same for all users if none of them is a user's.
fn whole(pieces: Vec<Piece>) -> Body {
    let texts: Option<String> = pieces.iter().map(Piece::text).collect();
    match texts {
        Some(text) => Body::Given(text.into_bytes().into()),
        None => Body::Text(joined(pieces).into()),
    }
}

/// The same pieces, with neighbours that are the same for all users as one.
fn joined(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut plain = String::new();
    for piece in pieces {
        if let Some(text) = piece.text() {
            plain.push_str(text);
            continue;
        }
        if !plain.is_empty() {
            found.push(Piece::Plain(Template::plain(&std::mem::take(&mut plain))));
        }
        found.push(piece);
    }
    if !plain.is_empty() {
        found.push(Piece::Plain(Template::plain(&plain)));
    }
    found
}

impl Body {
    /// How many bytes it has of files.
    pub(super) fn file_bytes(&self) -> u64 {
        match self {
            Self::File(file) => file.bytes().len() as u64,
            Self::Mixed(parts) => {
                let files = parts.iter().filter_map(Segment::file);
                files.map(|file| file.bytes().len() as u64).sum()
            }
            _ => 0,
        }
    }
}

/// The body of a user, where it is a text and not the same for all.
pub(super) fn body_text(body: &Body, scope: &mut Scope) -> Result<Option<String>, Missing> {
    match body {
        Body::Form(fields) => encode_form(fields, scope).map(Some),
        Body::Text(pieces) => {
            let mut text = String::new();
            for piece in pieces {
                piece.write(scope, &mut text)?;
            }
            Ok(Some(text))
        }
        Body::None | Body::Given(_) | Body::Made(..) | Body::File(_) | Body::Mixed(_) => Ok(None),
    }
}

/// Appends JSON whose strings may have placeholders.
fn write_json(value: &Value, names: &mut Names, out: &mut Vec<Piece>) -> Result<(), String> {
    let plain = |text: &str| Piece::Plain(Template::plain(text));
    match value {
        Value::String(text) => {
            let template = json_template(text, names)?;
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
                let name = Piece::Json(json_template(name, names)?);
                let before = if place > 0 { ",\"" } else { "\"" };
                out.extend([plain(before), name, plain("\":")]);
                write_json(member, names, out)?;
            }
            out.push(plain("}"));
        }
        other => out.push(plain(&other.to_string())),
    }
    Ok(())
}

/// The inside of a JSON string. What stands around the placeholders is quoted here, values when they
/// are known.
fn json_template(text: &str, names: &mut Names) -> Result<Template, String> {
    let mut quoted = String::new();
    Filter::Json.write(text, &mut quoted);
    Template::parse(&quoted, names)
}

#[cfg(test)]
mod tests {
    use headcount_script::Files;
    use serde_json::json;

    use super::*;

    /// What is sent, and its type.
    fn sent(key: &str, value: Value) -> Result<(String, &'static str), String> {
        let mut names = Names::default();
        let slot = names.set("x").unwrap();
        let mut table = BodyTable::default();
        match key {
            "body" => table.given = Some(serde_json::from_value(value).unwrap()),
            _ => table.json = Some(value),
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
        let json = json!({"a": [1, true, null, "p\"{x}"], "n": "{n:number}", "t": "{n}", "q\"": {}, "k{x}": 1});
        let (text, own_type) = sent("json", json).unwrap();
        let expected = r#"{"a":[1,true,null,"p\"5\"\n"],"k5\"\n":1,"n":7,"q\"":{},"t":"7"}"#;
        assert_eq!(text, expected);
        assert!(serde_json::from_str::<Value>(&text).is_ok());
        assert_eq!(own_type, "application/json");
        assert_eq!(sent("json", json!("a")).unwrap().0, "\"a\"");
        let sentence = sent("json", json!({"a": "{x:number}"})).unwrap_err();
        assert!(sentence.contains("is not a number"), "{sentence}");
    }

    #[test]
    fn texts_are_sent() {
        assert_eq!(sent("body", json!("{\"a\": {n}}")).unwrap().0, "{\"a\": 7}");
    }

    #[test]
    fn a_file_is_sent_with_the_type_that_its_name_says() {
        let bytes: Box<[u8]> = (*b"\x25PDF\xff").into();
        let files = Files::read([("/w/report.pdf".to_owned(), bytes)]);
        let mut names = Names::with_files(files);
        let of = |path: &str, names: &mut Names| {
            let table = BodyTable {
                file: Some(path.into()),
                ..BodyTable::default()
            };
            table.compile(names)
        };
        let (body, own_type) = of("/w/report.pdf", &mut names).unwrap();
        assert_eq!((own_type, body.file_bytes()), (Some("application/pdf"), 5));
        let sentence = of("/w/other.pdf", &mut names).unwrap_err();
        assert!(
            sentence.starts_with("body_file: the file /w/other.pdf"),
            "{sentence}"
        );
    }
}
