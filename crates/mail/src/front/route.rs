//! Where mail goes, by the domain of its recipient.

use headcount_net::Certificates;

use super::error::FrontError;
use crate::endpoint::{Endpoint, EndpointOptions, Security};

/// The destination in a route for mail that is counted and dropped.
const COUNT: &str = "count";

/// Where mail goes.
#[derive(Debug)]
pub struct Destination {
    /// An LMTP server's address as in the settings; or the domain whose mail is counted; or `count`
    /// for counted mail without a route.
    pub name: String,
    /// The LMTP server; `None` to count and drop.
    pub lmtp: Option<Endpoint>,
}

/// Where mail goes, by domain.
#[derive(Debug)]
pub struct Routes {
    /// All destinations, each once; the first is for mail without a route.
    pub destinations: Vec<Destination>,
    domains: Vec<(String, usize)>,
}

impl Routes {
    /// `others` is the destination of mail without a route: `HOST:PORT` or `count`. Routes are
    /// `DOMAIN=HOST:PORT` or `DOMAIN=count`.
    pub fn new(others: &str, routes: &[String]) -> Result<Self, FrontError> {
        let mut found = Self {
            destinations: vec![destination(others)?],
            domains: Vec::new(),
        };
        for route in routes {
            let parts = route.split_once('=');
            let parts = parts.filter(|(domain, to)| !domain.is_empty() && !to.is_empty());
            let (domain, to) = parts.ok_or_else(|| FrontError::Route(route.clone()))?;
            if to != COUNT && !to.contains(':') {
                return Err(FrontError::Route(route.clone()));
            }
            let domain = domain.to_ascii_lowercase();
            let new = match to {
                COUNT => counting(&domain),
                address => destination(address)?,
            };
            let is_same = |known: &Destination| {
                known.name == new.name && known.lmtp.is_some() == new.lmtp.is_some()
            };
            let known = found.destinations.iter().position(is_same);
            found
                .domains
                .push((domain, known.unwrap_or(found.destinations.len())));
            if known.is_none() {
                found.destinations.push(new);
            }
        }
        Ok(found)
    }

    /// The index of the destination of mail for this address.
    pub fn of(&self, address: &str) -> usize {
        let domain = address.rsplit_once('@').map_or("", |(_, domain)| domain);
        let route = self
            .domains
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(domain));
        route.map_or(0, |(_, index)| *index)
    }
}

fn counting(name: &str) -> Destination {
    Destination {
        name: name.to_owned(),
        lmtp: None,
    }
}

fn destination(name: &str) -> Result<Destination, FrontError> {
    if name == COUNT {
        return Ok(counting(name));
    }
    let options = EndpointOptions {
        address: name.to_owned(),
        at: Vec::new(),
        security: Security::None,
        verify_certificates: Certificates::System(true),
        verify_name: true,
        certificate: None,
        key: None,
    };
    let lmtp = Endpoint::new(&options).map_err(|reason| FrontError::Lmtp {
        address: name.to_owned(),
        reason,
    })?;
    Ok(Destination {
        name: name.to_owned(),
        lmtp: Some(lmtp),
    })
}

/// Whether an address matches a pattern, in which `*` stands for anything.
pub fn matches(pattern: &str, address: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return pattern.eq_ignore_ascii_case(address);
    };
    let (head, tail) = (address.get(..start.len()), address.get(start.len()..));
    let (Some(head), Some(tail)) = (head, tail) else {
        return false;
    };
    head.eq_ignore_ascii_case(start)
        && (0..=tail.len()).any(|at| tail.get(at..).is_some_and(|tail| matches(rest, tail)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mail_is_routed_by_its_domain() {
        let routes = [
            "a.invalid=127.0.0.1:2400",
            "b.invalid=count",
            "C.invalid=count",
            "d.invalid=127.0.0.1:2400",
            "b.invalid=127.0.0.1:2400",
        ];
        let routes = Routes::new("127.0.0.1:2401", &routes.map(String::from)).unwrap();
        let name = |address| &*routes.destinations[routes.of(address)].name;
        assert_eq!(name("u1@a.invalid"), "127.0.0.1:2400");
        assert_eq!(name("u1@B.invalid"), "b.invalid");
        assert_eq!(name("u1@c.invalid"), "c.invalid");
        assert_eq!(name("u1@d.invalid"), "127.0.0.1:2400");
        assert_eq!(name("u1@other.invalid"), "127.0.0.1:2401");
        assert_eq!(routes.destinations.len(), 4);
    }

    #[test]
    fn counted_domains_are_distinct_from_servers_and_the_default() {
        let routes = [
            "a.invalid=count",
            "127.0.0.1:1=count",
            "b.invalid=127.0.0.1:1",
        ];
        let routes = Routes::new("count", &routes.map(String::from)).unwrap();
        let to = |address| &routes.destinations[routes.of(address)];
        assert_eq!(to("u1@a.invalid").name, "a.invalid");
        assert_eq!(to("u1@other.invalid").name, "count");
        assert!(to("u1@127.0.0.1:1").lmtp.is_none());
        assert!(to("u1@b.invalid").lmtp.is_some());
    }

    #[test]
    fn invalid_routes_are_reported() {
        for odd in ["a.invalid", "=count", "a.invalid=", "a.invalid=b"] {
            let error = Routes::new("count", &[odd.into()]).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("\"{odd}\" is not a route")),
                "{error}"
            );
        }
    }

    #[test]
    fn patterns_match_whole_addresses() {
        for (pattern, address, expected) in [
            ("u1@a", "U1@A", true),
            ("u1@a", "u11@a", false),
            ("*@a", "u1@a", true),
            ("u*", "u1@a", true),
            ("*1*", "u1@a", true),
            ("*", "", true),
            ("u*9@*", "u1@9", false),
            ("\u{e4}*", "u1", false),
        ] {
            assert_eq!(matches(pattern, address), expected, "{pattern} {address}");
        }
    }
}
