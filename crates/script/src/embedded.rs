//! The resources that a browser fetches with an HTML page (HTML Standard: `link`, `script`, `img`,
//! `picture`).

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

use lol_html::html_content::Element;
use lol_html::{ElementContentHandlers, HtmlRewriter, Selector, Settings};

/// Elements that name a resource, or decide whether those inside them count.
const ELEMENTS: [&str; 9] = [
    "base", "link", "script", "img", "input", "video", "picture", "source", "template",
];

/// The most references of one page. More than any page has; the rest is left out.
const MOST_LINKS: usize = 1_000;

/// Types of images that browsers show; a `source` of another type is skipped.
const IMAGES: [&str; 7] = ["avif", "webp", "png", "apng", "jpeg", "gif", "svg+xml"];

/// The references of a page, as they are written there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Embedded {
    /// The base of the references, if the page names one.
    pub base: Option<String>,
    /// References, in the order of the page, with repetitions.
    pub links: Vec<String>,
}

/// The state while a page is read.
#[derive(Debug, Default)]
struct Reading {
    found: Embedded,
    /// How many `template` elements are open: their contents are not part of the page.
    templates: u32,
    picture: Picture,
}

/// The position in a `picture`: of all that it offers, browsers fetch one.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Picture {
    #[default]
    Outside,
    Undecided,
    Decided,
}

impl Embedded {
    /// Reads a page. Malformed HTML is read as browsers do, or skipped. The error says why the page
    /// cannot be read at all.
    pub fn of(page: &[u8]) -> Result<Self, String> {
        let reading = Rc::new(RefCell::new(Reading::default()));
        let mut settings = Settings::new().with_strict(false);
        for name in ELEMENTS {
            let selector: Selector = name
                .parse()
                .map_err(|error| format!("{name} is not a selector: {error}"))?;
            let reading = Rc::clone(&reading);
            let handler = move |element: &mut Element<'_, '_>| {
                note(&reading, name, element);
                Ok(())
            };
            settings = settings.append_element_content_handler((
                Cow::Owned(selector),
                ElementContentHandlers::default().element(handler),
            ));
        }
        let mut reader = HtmlRewriter::new(settings, |_: &[u8]| {});
        let wrong = |error| format!("the body cannot be read as HTML: {error}");
        reader.write(page).map_err(wrong)?;
        reader.end().map_err(wrong)?;
        Ok(std::mem::take(&mut reading.borrow_mut().found))
    }
}

/// Notes the references of an element.
fn note(reading: &Rc<RefCell<Reading>>, name: &str, element: &mut Element<'_, '_>) {
    let mut page = reading.borrow_mut();
    if name == "template" {
        if let Some(handlers) = element.end_tag_handlers() {
            page.templates += 1;
            let closing = Rc::clone(reading);
            handlers.push(Box::new(move |_| {
                let mut page = closing.borrow_mut();
                page.templates = page.templates.saturating_sub(1);
                Ok(())
            }));
        }
        return;
    }
    if page.templates > 0 {
        return;
    }
    match name {
        "base" if page.found.base.is_none() => page.found.base = value(element, "href"),
        "link" if is_fetched_link(element) => page.add(value(element, "href")),
        "script" if is_run(element) => page.add(value(element, "src")),
        "input" if is(element, "type", "image") => page.add(value(element, "src")),
        "video" => page.add(value(element, "poster")),
        "picture" => {
            if let Some(handlers) = element.end_tag_handlers() {
                page.picture = Picture::Undecided;
                let closing = Rc::clone(reading);
                handlers.push(Box::new(move |_| {
                    closing.borrow_mut().picture = Picture::Outside;
                    Ok(())
                }));
            }
        }
        "source" if page.picture == Picture::Undecided && is_shown(element) => {
            let chosen = value(element, "srcset").and_then(|set| candidate(&set, None));
            if chosen.is_some() {
                page.picture = Picture::Decided;
                page.add(chosen);
            }
        }
        "img" => {
            let is_chosen = page.picture == Picture::Decided;
            page.picture = Picture::Outside;
            if !is_chosen {
                let source = value(element, "src");
                let chosen = match value(element, "srcset") {
                    Some(set) => candidate(&set, source.as_deref()).or(source),
                    None => source,
                };
                page.add(chosen);
            }
        }
        _ => {}
    }
}

impl Reading {
    fn add(&mut self, link: Option<String>) {
        if self.found.links.len() < MOST_LINKS {
            self.found.links.extend(link);
        }
    }
}

/// An attribute, with character references decoded and without surrounding white space; `None` if
/// it is empty or missing.
fn value(element: &Element<'_, '_>, name: &str) -> Option<String> {
    let text = element.get_attribute(name)?;
    let text = html_escape::decode_html_entities(&text);
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn is(element: &Element<'_, '_>, name: &str, wanted: &str) -> bool {
    value(element, name).is_some_and(|text| text.eq_ignore_ascii_case(wanted))
}

/// Whether a `link` names a resource that browsers fetch with the page.
fn is_fetched_link(element: &Element<'_, '_>) -> bool {
    let relations = value(element, "rel").unwrap_or_default();
    let has = |wanted: &str| {
        relations
            .split_ascii_whitespace()
            .any(|relation| relation.eq_ignore_ascii_case(wanted))
    };
    let is_style = has("stylesheet") && !has("alternate") && !element.has_attribute("disabled");
    is_style || has("icon") || has("preload") || has("modulepreload")
}

/// Whether browsers run a `script`: others hold data or are for old browsers.
fn is_run(element: &Element<'_, '_>) -> bool {
    let kind = value(element, "type").unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    let kind = kind.to_ascii_lowercase();
    let is_script = kind.is_empty()
        || kind == "module"
        || kind.ends_with("/javascript")
        || kind.ends_with("/ecmascript")
        || kind.ends_with("/x-javascript");
    is_script && !element.has_attribute("nomodule")
}

/// Whether a `source` of a `picture` suits every screen, and has a type that browsers show.
fn is_shown(element: &Element<'_, '_>) -> bool {
    let kind = value(element, "type").map(|kind| kind.to_ascii_lowercase());
    let is_known = kind.is_none_or(|kind| {
        let known = kind.strip_prefix("image/");
        known.is_some_and(|known| IMAGES.contains(&known))
    });
    is_known && value(element, "media").is_none()
}

/// The address in a `srcset` for a screen with a device pixel ratio of 1: the first with a width,
/// otherwise the one for `1x`, which is `source` if the set names none.
fn candidate(set: &str, source: Option<&str>) -> Option<String> {
    let mut first = None;
    for (link, descriptor) in candidates(set) {
        let is_usual = descriptor.is_empty() || descriptor == "1x" || descriptor.ends_with('w');
        if is_usual {
            return Some(link.to_owned());
        }
        first.get_or_insert(link);
    }
    source.or(first).map(str::to_owned)
}

/// The addresses of a `srcset`, each with what follows it. Commas may be part of an address.
fn candidates(set: &str) -> Vec<(&str, &str)> {
    let is_gap = |c: char| c == ',' || c.is_ascii_whitespace();
    let mut found = Vec::new();
    let mut rest = set.trim_start_matches(is_gap);
    while !rest.is_empty() {
        let end = rest.find(|c: char| c.is_ascii_whitespace());
        let (link, after) = rest.split_at(end.unwrap_or(rest.len()));
        let bare = link.trim_end_matches(',');
        if bare.len() < link.len() {
            found.push((bare, ""));
            rest = after.trim_start_matches(is_gap);
            continue;
        }
        let (descriptor, next) = after.split_once(',').unwrap_or((after, ""));
        found.push((bare, descriptor.trim()));
        rest = next.trim_start_matches(is_gap);
    }
    found.retain(|(link, _)| !link.is_empty());
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn links(page: &str) -> Vec<String> {
        Embedded::of(page.as_bytes()).unwrap().links
    }

    #[test]
    fn resources_that_browsers_fetch_are_found() {
        let page = r#"<!doctype html><HTML><head><base href="/b/"><base href="/c/">
            <link rel="Stylesheet" href=" a.css?x=1&amp;y=2 "><LINK REL='shortcut icon' HREF=f.ico>
            <link rel=preload as=font href=f.woff2><link rel=modulepreload href=m.js>
            <script src=s.js></script><script type="module" src="t.js"></script></head><body>
            <img src="i.png"><input type=IMAGE src=go.png><video poster=p.jpg src=v.mp4></video>"#;
        let found = Embedded::of(page.as_bytes()).unwrap();
        assert_eq!(found.base.as_deref(), Some("/b/"));
        let expected = [
            "a.css?x=1&y=2",
            "f.ico",
            "f.woff2",
            "m.js",
            "s.js",
            "t.js",
            "i.png",
            "go.png",
            "p.jpg",
        ];
        assert_eq!(found.links, expected);
    }

    #[test]
    fn resources_that_browsers_do_not_fetch_are_skipped() {
        let page = r#"<link rel="alternate stylesheet" href=a><link rel=canonical href=b><link href=c>
            <link rel=stylesheet disabled href=d><link rel=dns-prefetch href=//e>
            <script type="text/template" src=f></script><script nomodule src=g></script>
            <script>document.write('<img src=h>')</script><!-- <img src=i> -->
            <noscript><img src=j></noscript><template><img src=k></template><img src=""><img>
            <textarea><img src=l></textarea><a href=m>m</a><form action=n></form>
            <style>p { background: url(o) }</style><input src=p><iframe src=q></iframe><img src=end>"#;
        assert_eq!(links(page), ["end"]);
    }

    #[test]
    fn one_of_several_images_is_chosen() {
        for (html, chosen) in [
            ("<img src=a srcset='b 480w, c 960w'>", "b"),
            ("<img src=a srcset='b 2x, c 3x'>", "a"),
            ("<img src=a srcset='b, c 2x'>", "b"),
            ("<img src=a srcset='b 2x, c 1x'>", "c"),
            ("<img srcset='b 2x'>", "b"),
            ("<img src=a srcset=' , '>", "a"),
            ("<img srcset='/x,y/b.png 1x,c 2x'>", "/x,y/b.png"),
            ("<picture><source srcset='s 1x'><img src=a></picture>", "s"),
            (
                "<picture><source srcset=s type=image/jxl><img src=a></picture>",
                "a",
            ),
            (
                "<picture><source srcset=s type=image/webp><source srcset=t><img src=a></picture>",
                "s",
            ),
            (
                "<picture><source media='(max-width: 9px)' srcset=s><img src=a></picture>",
                "a",
            ),
            ("<picture></picture><source srcset=s><img src=a>", "a"),
        ] {
            assert_eq!(links(html), [chosen], "{html}");
        }
    }

    #[test]
    fn the_number_of_links_is_limited() {
        assert_eq!(links(&"<img src=a>".repeat(3_000)).len(), MOST_LINKS);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..80), set in any::<String>()) {
            prop_assert!(Embedded::of(&bytes).is_ok());
            for (link, _) in candidates(&set) {
                prop_assert!(!link.is_empty());
            }
        }

        #[test]
        fn a_page_may_end_anywhere(
            parts in prop::collection::vec(prop::sample::select(&[
                "<link rel=stylesheet href=a", "<script src='b'", "<img srcset=\"c 1x, ", "<picture>",
                "<source srcset=d", "</picture>", "<template>", "</template>", ">", "/>", "'", "\"", "<!--",
                "-->", "<base href=", "<", "</", " ", "&amp", "<svg>", "</svg>", "<noscript>", "\u{e4}",
            ][..]), 0..40),
            cut in any::<prop::sample::Index>(),
        ) {
            let page = parts.concat();
            let bytes = page.as_bytes();
            prop_assert!(Embedded::of(&bytes[..cut.index(bytes.len() + 1)]).is_ok());
        }
    }
}
