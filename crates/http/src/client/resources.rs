//! The resources of a page, as the workload file has them.

use headcount_script::Names;
use http::HeaderName;
use http::header::{ACCEPT, CONTENT_TYPE, ORIGIN, RANGE, REFERER, UPGRADE_INSECURE_REQUESTS};
use serde_json::Value;

use super::ask::{Ask, Method, Table, Target};

/// Connections to a server, as in browsers.
const CONNECTIONS: u64 = 6;

/// More than any browser has.
const MOST_CONNECTIONS: u64 = 64;

/// The value that stands for what the page names.
const EMBEDDED: &str = "embedded";

const WRONG: &str =
    "resources must be \"embedded\", or a list of paths, which may include \"embedded\"";

/// A page and its resources.
#[derive(Debug, Clone)]
pub struct PageAsk {
    /// The request for the page.
    pub page: Ask,
    /// The listed resources, beside those that its HTML names.
    pub listed: Box<[Ask]>,
    /// The most connections of a user for them, with HTTP/1.1.
    pub connections: usize,
    /// Whether a user's cache lasts into the next scenario.
    pub keeps_cache: bool,
    /// The request for each of them, without its path.
    pub ask: Ask,
}

impl PageAsk {
    /// Compiles a request with resources; `None` if it has none. The error is a sentence that names
    /// the option.
    pub(super) fn compile(
        method: Method,
        table: &mut Table,
        names: &mut Names,
    ) -> Result<Option<Self>, String> {
        let (connections, cache) = (table.connections.take(), table.cache.take());
        let Some(given) = table.resources.take() else {
            if connections.is_some() || cache.is_some() {
                return Err(
                    "connections and cache belong to resources: add resources = \"embedded\""
                        .into(),
                );
            }
            return Ok(None);
        };
        let page = Ask::compile(method, std::mem::take(table), names)?;
        // The answer to a form is often a page, mostly through a redirect.
        if !matches!(page.method, Method::Get | Method::Post)
            || !matches!(page.target, Target::Path(_))
        {
            return Err("resources belong to a page: use op get or post, with a path".into());
        }
        let (names_resources, listed) = listed(&given, names)?;
        Ok(Some(Self {
            listed,
            connections: number_of(connections.as_ref())?,
            keeps_cache: cache.unwrap_or(true),
            ask: request(&page),
            page: Ask {
                keeps_body: page.keeps_body || names_resources,
                names_resources,
                ..page
            },
        }))
    }
}

/// Whether a header of a page is sent for its resources, too: others are about the page alone.
pub(super) fn is_for_all(name: &HeaderName) -> bool {
    let own = [
        ACCEPT,
        CONTENT_TYPE,
        ORIGIN,
        RANGE,
        REFERER,
        UPGRADE_INSECURE_REQUESTS,
    ];
    !own.contains(name) && !name.as_str().starts_with("if-")
}

/// The request for a resource, derived from that for its page.
fn request(page: &Ask) -> Ask {
    let texts = page.texts.iter().filter(|(name, _)| is_for_all(name));
    Ask {
        headers: page.headers.filtered(is_for_all),
        texts: texts.cloned().collect(),
        ..Ask::get("/", &[200])
    }
}

/// Whether the resources that the page names are fetched, and the requests for listed ones.
fn listed(given: &Value, names: &mut Names) -> Result<(bool, Box<[Ask]>), String> {
    let list = match given {
        Value::Array(list) if !list.is_empty() => list.as_slice(),
        Value::String(text) if text == EMBEDDED => std::slice::from_ref(given),
        _ => return Err(format!("{WRONG}; it is {given}")),
    };
    let mut asks = Vec::new();
    for each in list {
        match each.as_str() {
            Some(EMBEDDED) => {}
            Some(path) => {
                let ask = Ask::compile(Method::Get, Table::of_path(path.to_owned()), names);
                asks.push(ask.map_err(|sentence| format!("resources: {sentence}"))?);
            }
            None => return Err(format!("{WRONG}; one is {each}")),
        }
    }
    Ok((asks.len() < list.len(), asks.into()))
}

fn number_of(given: Option<&Value>) -> Result<usize, String> {
    let count = given.map_or(Some(CONNECTIONS), Value::as_u64);
    let count = count.filter(|count| (1..=MOST_CONNECTIONS).contains(count));
    count.map(|count| count as usize).ok_or_else(|| {
        let given = given.unwrap_or(&Value::Null);
        format!("connections must be a number from 1 to {MOST_CONNECTIONS}; it is {given}")
    })
}

#[cfg(test)]
mod tests {
    use headcount_load::Compile;
    use serde_json::json;

    use super::*;
    use crate::client::Step;

    fn page_ask(mut keys: Value) -> Result<PageAsk, String> {
        let defaults = [("op", "get"), ("path", "/a")];
        for (key, value) in defaults {
            keys.as_object_mut()
                .unwrap()
                .entry(key)
                .or_insert(json!(value));
        }
        match Step::compile(&keys)? {
            Step::Page(page) => Ok(*page),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_page_has_resources() {
        let found = page_ask(json!({"resources": "embedded"})).unwrap();
        assert_eq!((found.page.names_resources, found.listed.len()), (true, 0));
        assert_eq!((found.connections, found.keeps_cache), (6, true));
        let found = page_ask(json!({
            "resources": ["/a.css", "embedded", "/{n}.js"], "connections": 2, "cache": false,
            "headers": {"Accept-Language": "de", "Accept": "text/html", "X-User": "{n}", "Range": "bytes=0-"},
        }));
        let found = found.unwrap();
        assert_eq!((found.page.names_resources, found.listed.len()), (true, 2));
        assert_eq!((found.connections, found.keeps_cache), (2, false));
        assert!(found.ask.headers.value(&http::header::ACCEPT_LANGUAGE) == Some("de"));
        assert!(!found.ask.headers.has(&ACCEPT) && !found.ask.headers.has(&RANGE));
        assert_eq!(found.ask.texts.len(), 1);
        assert!(
            !page_ask(json!({"resources": ["/a.css"]}))
                .unwrap()
                .page
                .names_resources
        );
    }

    #[test]
    fn mistakes_in_resources_are_named() {
        for (keys, part) in [
            (json!({"resources": "all"}), "must be \"embedded\""),
            (json!({"resources": []}), "must be \"embedded\""),
            (json!({"resources": [1]}), "one is 1"),
            (
                json!({"resources": ["a.css"]}),
                "resources: path must begin with a slash",
            ),
            (json!({"resources": ["/{what}"]}), "what"),
            (
                json!({"resources": "embedded", "connections": 0}),
                "from 1 to 64; it is 0",
            ),
            (
                json!({"resources": "embedded", "op": "put"}),
                "use op get or post",
            ),
            (
                json!({"resources": "embedded", "op": "request"}),
                "use op get instead of request",
            ),
            (json!({"cache": false}), "belong to resources"),
            (json!({"connections": 3}), "belong to resources"),
        ] {
            let sentence = page_ask(keys).unwrap_err();
            assert!(sentence.contains(part), "{sentence}");
        }
    }
}
