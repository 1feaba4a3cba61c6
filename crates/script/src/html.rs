//! Values in HTML, by CSS selectors.

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

use lol_html::html_content::{Element, EndTag, TextChunk};
use lol_html::{ElementContentHandlers, HandlerResult, HtmlRewriter, Selector, Settings};

use crate::Mistake;

/// The most bytes of all texts together, some more than once: a text belongs to each element around
/// it. No page needs as many, but one of nested elements could fill the memory.
const MOST_BYTES: usize = 64 << 20;

/// Which elements of a page, and which part of them.
#[derive(Debug, Clone)]
pub struct Elements {
    selector: Selector,
    /// An attribute; `None` for their text.
    attribute: Option<Box<str>>,
}

/// The texts of elements, some of which are still open.
#[derive(Debug, Default)]
struct Texts {
    all: Vec<String>,
    open: Vec<usize>,
    /// Bytes of texts so far, and one for each look at an open element.
    bytes: usize,
}

impl Texts {
    /// Counts a look at the open elements, each of which gets this many bytes. Fails if there were
    /// too many.
    fn count(&mut self, bytes: usize) -> HandlerResult {
        let more = self.open.len().saturating_mul(bytes + 1);
        self.bytes = self.bytes.saturating_add(more);
        if self.bytes > MOST_BYTES {
            return Err("too many elements are inside others that the selector finds".into());
        }
        Ok(())
    }
}

impl Elements {
    /// Reads a selector: elements, classes, ids, attributes, `a > b`, `a b`, `:not()`,
    /// `:nth-child()`, `:first-child`.
    pub fn parse(selector: &str, attribute: Option<&str>) -> Result<Self, Mistake> {
        let parsed = selector.parse::<Selector>().map_err(|error| {
            format!(
                "\"{}\" cannot be used as a CSS selector: {error}",
                selector.escape_default()
            )
        })?;
        Ok(Self {
            selector: parsed,
            attribute: attribute.map(Into::into),
        })
    }

    /// Their attributes or texts in a page, with character references decoded, and texts without
    /// surrounding white space. The error says why the page cannot be read.
    pub fn values(&self, page: &[u8]) -> Result<Vec<String>, String> {
        let texts = Rc::new(RefCell::new(Texts::default()));
        let handlers = match &self.attribute {
            Some(attribute) => attributes(&texts, attribute),
            None => contents(&texts),
        };
        let settings = Settings::new()
            .with_strict(false)
            .append_element_content_handler((Cow::Borrowed(&self.selector), handlers));
        let mut reader = HtmlRewriter::new(settings, |_: &[u8]| {});
        let wrong = |error| format!("the body cannot be read as HTML: {error}");
        reader.write(page).map_err(wrong)?;
        reader.end().map_err(wrong)?;
        let found = std::mem::take(&mut texts.borrow_mut().all);
        let decode = |text: String| html_escape::decode_html_entities(&text).into_owned();
        Ok(match &self.attribute {
            Some(_) => found.into_iter().map(decode).collect(),
            None => found
                .into_iter()
                .map(|text| decode(text).trim().to_owned())
                .collect(),
        })
    }
}

fn attributes<'h>(texts: &Rc<RefCell<Texts>>, name: &'h str) -> ElementContentHandlers<'h> {
    let texts = Rc::clone(texts);
    ElementContentHandlers::default().element(move |element: &mut Element<'_, '_>| {
        texts.borrow_mut().all.extend(element.get_attribute(name));
        Ok(())
    })
}

fn contents<'h>(texts: &Rc<RefCell<Texts>>) -> ElementContentHandlers<'h> {
    let (opening, reading) = (Rc::clone(texts), Rc::clone(texts));
    ElementContentHandlers::default()
        .element(move |element: &mut Element<'_, '_>| {
            let mut texts = opening.borrow_mut();
            texts.all.push(String::new());
            let place = texts.all.len() - 1;
            if let Some(handlers) = element.end_tag_handlers() {
                texts.open.push(place);
                let closing = Rc::clone(&opening);
                handlers.push(Box::new(move |_: &mut EndTag<'_>| {
                    let mut texts = closing.borrow_mut();
                    texts.open.retain(|open| *open != place);
                    texts.count(0)
                }));
            }
            Ok(())
        })
        .text(move |chunk: &mut TextChunk<'_>| -> HandlerResult {
            let mut texts = reading.borrow_mut();
            texts.count(chunk.as_str().len())?;
            let Texts { all, open, .. } = &mut *texts;
            // Scripts and styles have no character references, and all is decoded at the end.
            let text = if chunk.text_type().allows_html_entities() {
                Cow::Borrowed(chunk.as_str())
            } else {
                Cow::Owned(chunk.as_str().replace('&', "&amp;"))
            };
            for place in open.iter() {
                all[*place].push_str(&text);
            }
            Ok(())
        })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PAGE: &str = r#"<!doctype html><html><head><title> Th&eacute; &amp; Bar </title>
        <meta name=csrf content="a&#x2F;b+c=="></head><body>
        <form id="login" action="/login?next=/&amp;x=1"><input type=hidden name="csrf"
        value="t&quot;1"><input name=user><br></form>
        <ul class="items wide"><li data-id=7>One <b>big</b> thing</li><li data-id=8>Two</li></ul>
        <div class=o>a<div class=o>b</div>c</div></body></html>"#;

    fn values(selector: &str, attribute: Option<&str>) -> Vec<String> {
        let elements = Elements::parse(selector, attribute).unwrap();
        elements.values(PAGE.as_bytes()).unwrap()
    }

    #[test]
    fn attributes_and_texts_are_found() {
        assert_eq!(values("input[name=csrf]", Some("value")), ["t\"1"]);
        assert_eq!(values("meta[name=csrf]", Some("content")), ["a/b+c=="]);
        assert_eq!(values("form#login", Some("action")), ["/login?next=/&x=1"]);
        assert_eq!(values("title", None), ["Th\u{e9} & Bar"]);
        assert_eq!(values("ul.items > li", None), ["One big thing", "Two"]);
        assert_eq!(values("li", Some("data-id")), ["7", "8"]);
        assert_eq!(values("li:nth-child(2)", None), ["Two"]);
        assert_eq!(values("div.o", None), ["abc", "b"]);
        assert_eq!(values("br", None), [""]);
        assert_eq!(values("input[name=user]", Some("value")), [""; 0]);
        assert_eq!(values("table", None), [""; 0]);
    }

    #[test]
    fn scripts_have_no_character_references() {
        let page = "<script id=data>{\"a\": \"b &amp; c\"}</script><p>b &amp; c</p>";
        for (selector, text) in [("#data", "{\"a\": \"b &amp; c\"}"), ("p", "b & c")] {
            let elements = Elements::parse(selector, None).unwrap();
            assert_eq!(elements.values(page.as_bytes()).unwrap(), [text]);
        }
    }

    #[test]
    fn pages_of_nested_elements_are_refused() {
        let item = format!("<li>{}", "x".repeat(1_000));
        let elements = Elements::parse("li", None).unwrap();
        let three = elements.values(item.repeat(3).as_bytes()).unwrap();
        assert_eq!(three.len(), 3);
        let sentence = elements.values(item.repeat(500).as_bytes()).unwrap_err();
        assert!(sentence.contains("too many elements"), "{sentence}");
    }

    #[test]
    fn unsupported_selectors_are_refused() {
        for selector in ["", "li[", "a:hover", "h1 + p"] {
            let sentence = Elements::parse(selector, None).unwrap_err();
            assert!(sentence.contains("as a CSS selector"), "{sentence}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..80), html in "[<>/a-c =\"']{0,60}") {
            for elements in [Elements::parse("a b", None), Elements::parse("a", Some("b"))] {
                let elements = elements.unwrap();
                let _ = elements.values(&bytes);
                let _ = elements.values(html.as_bytes());
            }
        }
    }
}
