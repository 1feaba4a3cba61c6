//! Where a reference in a page leads.

use http::uri::Authority;

use super::Shared;
use super::redirect::redirected;

/// Where a reference leads.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// This path of the same server.
    Here(String),
    /// On another server, with its name; it is never requested.
    Elsewhere(String),
    /// Nothing to fetch: data in the page, say.
    Nowhere,
}

/// The base of a page's references.
#[derive(Debug)]
pub(super) struct Origin<'a> {
    shared: &'a Shared,
    /// What the request for the page called the server.
    site: Authority,
    /// A path on the same server, or the name of another server.
    from: Result<String, String>,
}

impl<'a> Origin<'a> {
    /// The base of the page at this path, which its `base` element may override. `site` is what the
    /// request for it called the server, if known.
    pub(super) fn new(
        shared: &'a Shared,
        site: Option<Authority>,
        page: &str,
        base: Option<&str>,
    ) -> Self {
        let origin = Self {
            shared,
            site: site.unwrap_or_else(|| shared.authority.clone()),
            from: Ok(page.to_owned()),
        };
        match base.map(|base| origin.place(base)) {
            Some(Place::Here(path)) => Self {
                from: Ok(path),
                ..origin
            },
            Some(Place::Elsewhere(host)) => Self {
                from: Err(host),
                ..origin
            },
            Some(Place::Nowhere) | None => origin,
        }
    }

    /// Where a reference leads (URL Standard, 4.4, as far as HTTP needs it).
    pub(super) fn place(&self, reference: &str) -> Place {
        let is_gap = |c: char| matches!(c, '\t' | '\n' | '\r');
        let link: String = reference.trim().replace(is_gap, "").replace('\\', "/");
        if link.is_empty() || link.starts_with('#') {
            return Place::Nowhere;
        }
        let scheme = scheme(&link);
        let rest = match scheme {
            Some(scheme) if is_web(scheme) => &link[scheme.len() + 1..],
            Some(_) => return Place::Nowhere,
            None => &link,
        };
        let (base, own) = (&self.shared.base, &self.site);
        let Some(named) = rest.strip_prefix("//") else {
            return match &self.from {
                _ if scheme.is_some() => Place::Nowhere,
                Err(host) => Place::Elsewhere(host.clone()),
                Ok(from) => match redirected(base, own.as_str(), from, &link) {
                    Ok(path) => Place::Here(path),
                    Err(_) => Place::Nowhere,
                },
            };
        };
        let end = named.find(['/', '?', '#']).unwrap_or(named.len());
        let (host, path) = named.split_at(end);
        let is_same_scheme = scheme.is_none_or(|scheme| {
            scheme.eq_ignore_ascii_case(if base.is_tls { "https" } else { "http" })
        });
        let own_port = if base.is_tls { ":443" } else { ":80" };
        let named_host = host.strip_suffix(own_port).unwrap_or(host);
        let is_own = [base.authority.as_str(), own.as_str()].iter().any(|known| {
            named_host.eq_ignore_ascii_case(known.strip_suffix(own_port).unwrap_or(known))
        });
        if !is_same_scheme || !is_own {
            // Without user information, which may hold a password.
            let host = host.rsplit('@').next().unwrap_or_default();
            return Place::Elsewhere(host.to_ascii_lowercase());
        }
        let path = if path.starts_with('/') {
            path.to_owned()
        } else {
            format!("/{path}")
        };
        redirected(base, own.as_str(), "/", &path).map_or(Place::Nowhere, Place::Here)
    }
}

fn is_web(scheme: &str) -> bool {
    scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
}

/// The scheme of a reference that has one (RFC 3986, 3.1).
fn scheme(link: &str) -> Option<&str> {
    let (scheme, _) = link.split_once(':')?;
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    is_scheme.then_some(scheme)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Http, HttpOptions};

    fn target(url: &str, host: Option<&str>) -> Http {
        let mut options = HttpOptions::new(url);
        options.at = vec!["127.0.0.1:1".parse().unwrap()];
        options
            .headers
            .extend(host.map(|host| ("Host".into(), host.into())));
        Http::new(options).unwrap()
    }

    fn place(base: Option<&str>, link: &str) -> Place {
        let http = target("http://shop.test:81/x", Some("www.shop.test"));
        Origin::new(&http.shared, None, "/x/page/one?a=b", base).place(link)
    }

    #[test]
    fn references_lead_to_paths_other_servers_or_nowhere() {
        let here = |path: &str| Place::Here(path.into());
        let elsewhere = |host: &str| Place::Elsewhere(host.into());
        for (base, link, expected) in [
            (None, "a.css", here("/x/page/a.css")),
            (None, " /s/\na.css?v=1#x ", here("/s/a.css?v=1")),
            (None, "../b c.png", here("/x/b%20c.png")),
            (None, "//shop.test:81/z", here("/z")),
            (None, "HTTP://SHOP.test:81", here("/")),
            (None, "http://www.shop.test/z?q", here("/z?q")),
            (None, "http://www.shop.test:80/z", here("/z")),
            (None, "http:\\\\www.shop.test\\z", here("/z")),
            (None, "a:b/c", Place::Nowhere),
            (None, "./a:b", here("/x/page/a:b")),
            (None, "https://shop.test:81/z", elsewhere("shop.test:81")),
            (None, "//CDN.test/a?token=x", elsewhere("cdn.test")),
            (None, "http://me:pw@cdn.test/a", elsewhere("cdn.test")),
            (None, "data:text/css,p{}", Place::Nowhere),
            (None, "blob:http://shop.test:81/1", Place::Nowhere),
            (None, "http:a.css", Place::Nowhere),
            (None, "#top", Place::Nowhere),
            (None, "", Place::Nowhere),
            (Some("/s/"), "a.css", here("/s/a.css")),
            (Some("t/"), "a.css", here("/x/page/t/a.css")),
            (Some("//cdn.test/"), "a.css", elsewhere("cdn.test")),
            (Some("//cdn.test/"), "http://shop.test:81/a", here("/a")),
            (Some("data:,"), "a.css", here("/x/page/a.css")),
        ] {
            assert_eq!(place(base, link), expected, "{base:?} {link}");
        }
    }

    #[test]
    fn a_pages_own_host_is_the_same_server() {
        let http = target("http://shop.test", None);
        let origin = Origin::new(&http.shared, "a.shop.test".parse().ok(), "/", None);
        let found = ["http://a.shop.test/x", "//shop.test/x"].map(|link| origin.place(link));
        assert_eq!(found, [Place::Here("/x".into()), Place::Here("/x".into())]);
    }

    proptest! {
        #[test]
        fn any_reference_leads_somewhere(link in any::<String>(), base in any::<Option<String>>()) {
            let http = target("https://shop.test", None);
            let origin = Origin::new(&http.shared, None, "/a/b", base.as_deref());
            if let Place::Here(path) = origin.place(&link) {
                prop_assert!(path.starts_with('/'), "{}", path);
                prop_assert!(path.bytes().all(|byte| byte.is_ascii_graphic()), "{}", path);
            }
        }
    }
}
