//! Bodies of several fields (RFC 7578), some of which may be files.

use std::fmt::Write;

use headcount_script::{Names, SentFile, Template};
use serde::Deserialize;
use serde_json::Value;

use super::fields::Fields;
use super::file_type::file_type;
use super::mixed::Segment;
use super::piece::{Piece, quoted};

/// The boundary between fields: long and odd enough not to appear in one.
const BOUNDARY: &str = "------------------------headcount-b7f2c9d14e";

/// The content type of a body with that boundary.
pub(super) const MULTIPART: &str =
    "multipart/form-data; boundary=------------------------headcount-b7f2c9d14e";

/// A field that is a file: one beside the workload, or a text sent as a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileField {
    file: Option<String>,
    filename: Option<String>,
    content: Option<String>,
    content_type: Option<String>,
}

/// The content of a field.
enum Content {
    Text(String),
    File(SentFile),
}

/// The file name and type of a field that is sent as a file.
struct FileHead {
    filename: String,
    content_type: String,
}

/// The parts of the body.
pub(super) fn multipart(fields: Fields<Value>, names: &mut Names) -> Result<Vec<Segment>, String> {
    let mut parts = Vec::new();
    for (name, field) in fields.0 {
        let wrong = |why: String| format!("multipart, {name}: {why}");
        let (file, content) = read(field, names).map_err(wrong)?;
        let begin = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"");
        parts.push(plain(&begin));
        parts.push(name_piece(&name, names).map_err(wrong)?);
        let mut head = "\"".to_owned();
        if let Some(file) = file {
            // Writing to a string cannot fail.
            let _ = write!(
                head,
                "; filename=\"{}\"\r\nContent-Type: {}",
                quoted(&file.filename),
                file.content_type
            );
        }
        head.push_str("\r\n\r\n");
        parts.push(plain(&head));
        parts.push(match content {
            Content::File(file) => Segment::File(file),
            Content::Text(text) => {
                let template = Template::parse(&text, names).map_err(wrong)?;
                Segment::Text(Piece::Plain(template))
            }
        });
        parts.push(plain("\r\n"));
    }
    parts.push(plain(&format!("--{BOUNDARY}--\r\n")));
    Ok(parts)
}

/// The file head and content of a field. The error is a sentence.
fn read(field: Value, names: &Names) -> Result<(Option<FileHead>, Content), String> {
    let table = match field {
        Value::String(text) => return Ok((None, Content::Text(text))),
        Value::Object(_) => FileField::deserialize(field).map_err(|error| error.to_string())?,
        _ => {
            let why = "it must be a text, or a table with file, or with filename and content";
            return Err(why.into());
        }
    };
    let (name, own_type, content) = match (table.file, table.content) {
        (Some(path), None) => {
            let file = names.file(&path)?;
            let name = file.name().to_owned();
            (Some(name), file_type(file.name()), Content::File(file))
        }
        (None, Some(text)) => (None, "application/octet-stream", Content::Text(text)),
        _ => {
            let why = "give it either file, the name of a file beside the workload, or filename and \
                       content";
            return Err(why.into());
        }
    };
    let filename = table.filename.or(name);
    let filename = filename.ok_or("a field with content needs filename, too")?;
    let content_type = table.content_type.unwrap_or_else(|| own_type.into());
    let is_plain = content_type
        .bytes()
        .all(|byte| (b' '..=b'~').contains(&byte));
    if !is_plain {
        return Err("content_type must be text of ASCII".into());
    }
    let head = FileHead {
        filename,
        content_type,
    };
    Ok((Some(head), content))
}

fn plain(text: &str) -> Segment {
    Segment::Text(Piece::Plain(Template::plain(text)))
}

/// The name of a field.
fn name_piece(name: &str, names: &mut Names) -> Result<Segment, String> {
    let template = Template::parse(name, names)?;
    Ok(match template.text() {
        Some(text) => plain(&quoted(text)),
        None => Segment::Text(Piece::Quoted(template)),
    })
}

#[cfg(test)]
mod tests {
    use headcount_script::{Files, Scope};
    use serde_json::json;

    use super::*;
    use crate::client::mixed::mixed_text;
    use crate::client::payload::Payload;

    /// The body that user 7 sends.
    fn body(fields: Value) -> Result<String, String> {
        let bytes: Box<[u8]> = (*b"id\n{n}\n").into();
        let files = Files::read([("/w/orders.csv".to_owned(), bytes)]);
        let mut names = Names::with_files(files);
        let parts = multipart(serde_json::from_value(fields).unwrap(), &mut names)?;
        let mut scope = Scope::outside(names.slots(), 7);
        let (text, inserts) = mixed_text(&parts, &mut scope).unwrap();
        let payload = Payload::Mixed(text.as_bytes(), &inserts);
        let mut out = Vec::new();
        payload.append(0..payload.bytes(), &mut out);
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn fields_and_files_are_sent_in_their_order() {
        let text = body(json!({
            "a\"b": "t{n}",
            "doc-{n}-\"x\"": "y",
            "file": {"filename": "x.csv", "content": "1,{n}\n", "content_type": "text/csv"},
            "z": {"file": "/w/orders.csv", "filename": "o", "content_type": "a/b"},
            "upload": {"file": "/w/orders.csv"},
        }));
        let field = |head: &str, content: &str| {
            format!(
                "--{BOUNDARY}\r\nContent-Disposition: form-data; name={head}\r\n\r\n{content}\r\n"
            )
        };
        let expected = [
            field("\"a%22b\"", "t7"),
            field("\"doc-7-%22x%22\"", "y"),
            field(
                "\"file\"; filename=\"x.csv\"\r\nContent-Type: text/csv",
                "1,7\n",
            ),
            field("\"z\"; filename=\"o\"\r\nContent-Type: a/b", "id\n{n}\n"),
            field(
                "\"upload\"; filename=\"orders.csv\"\r\nContent-Type: text/csv",
                "id\n{n}\n",
            ),
            format!("--{BOUNDARY}--\r\n"),
        ];
        assert_eq!(text.unwrap(), expected.concat());
        assert!(MULTIPART.ends_with(BOUNDARY));
    }

    #[test]
    fn mistakes_are_named() {
        for (field, part) in [
            (json!(5), "a text, or a table"),
            (json!({"name": "x"}), "name"),
            (json!({"content": "x"}), "needs filename"),
            (json!({"filename": "x"}), "either file"),
            (
                json!({"file": "/w/orders.csv", "content": "x"}),
                "either file",
            ),
            (json!({"file": "/w/none.csv"}), "/w/none.csv was not read"),
            (
                json!({"file": "/w/orders.csv", "content_type": "\n"}),
                "text of ASCII",
            ),
        ] {
            let sentence = body(json!({ "f": field })).unwrap_err();
            assert!(sentence.contains(part), "{sentence}");
        }
    }
}
