use proptest::prelude::*;

use super::*;

/// 28 November 2026, 10:00 UTC.
const NOW_S: i64 = 1_795_860_000;
const PLAIN: Site<'_> = Site {
    host: "www.example.org",
    is_tls: false,
};
const SAFE: Site<'_> = Site {
    is_tls: true,
    ..PLAIN
};

fn jar(headers: &[&str], site: Site<'_>) -> Jar {
    let mut jar = Jar::default();
    for header in headers {
        jar.set(header.as_bytes(), site, "/shop/cart?x=/a/b", NOW_S);
    }
    jar
}

fn sent(jar: &Jar, path: &str, site: Site<'_>) -> String {
    sent_at(jar, path, site, NOW_S)
}

fn sent_at(jar: &Jar, path: &str, site: Site<'_>, now_s: i64) -> String {
    let mut out = String::new();
    jar.write(path, site, now_s, &mut out);
    out
}

#[test]
fn cookies_go_back_where_they_belong() {
    let jar = jar(
        &[
            "a=1",
            "b=2; Path=/",
            "c = 3 ; path=/shop/c; HttpOnly",
            "d=4; Secure; Path=/",
            "e=5; Domain=.Example.org; Path=/",
            "f=6; Path=/elsewhere; Path=nowhere",
        ],
        SAFE,
    );
    assert_eq!(sent(&jar, "/shop", SAFE), "a=1; f=6; b=2; d=4; e=5");
    assert_eq!(
        sent(&jar, "/shop/c?q", SAFE),
        "c=3; a=1; f=6; b=2; d=4; e=5"
    );
    assert_eq!(sent(&jar, "/shop/cart", PLAIN), "a=1; f=6; b=2; e=5");
    assert_eq!(sent(&jar, "/", SAFE), "b=2; d=4; e=5");
    assert_eq!(sent(&jar, "/shopping", PLAIN), "b=2; e=5");
}

#[test]
fn a_cookie_is_taken_or_refused() {
    let long = format!("e={}", "x".repeat(5000));
    let long_attribute = format!("a=1; Path=/{}", "x".repeat(1024));
    for (header, site, expected) in [
        // Names and values (RFC 6265bis, 5.6).
        ("a=1", PLAIN, "a=1"),
        ("a=", PLAIN, "a="),
        ("a=\"b c\"", PLAIN, "a=\"b c\""),
        ("=1", PLAIN, "1"),
        ("nameless", PLAIN, "nameless"),
        ("=", PLAIN, ""),
        ("", PLAIN, ""),
        ("a=\u{1}", PLAIN, ""),
        (&long, PLAIN, ""),
        (&long_attribute, PLAIN, "a=1"),
        // Domains (5.5, 5.7).
        ("a=1; Domain=www.example.org", PLAIN, "a=1"),
        ("a=1; Domain=other.org; Domain=example.org", PLAIN, "a=1"),
        ("a=1; Domain=", PLAIN, "a=1"),
        ("a=1; Domain=other.org", PLAIN, ""),
        ("a=1; Domain=org", PLAIN, ""),
        ("a=1; Domain=ww.example.org", PLAIN, ""),
        // TLS.
        ("a=1; Secure", SAFE, "a=1"),
        ("a=1; secure", PLAIN, ""),
        ("a=1; SameSite=None", SAFE, ""),
        ("a=1; SameSite=None; Secure", SAFE, "a=1"),
        ("a=1; SameSite=Strict", PLAIN, "a=1"),
        // Prefixes of names.
        ("__Secure-a=1; Secure", SAFE, "__Secure-a=1"),
        ("__Secure-a=1", SAFE, ""),
        ("__secure-a=1", SAFE, ""),
        ("__Host-a=1; Secure; Path=/", SAFE, "__Host-a=1"),
        ("__Host-a=1; Secure", SAFE, ""),
        ("__Host-a=1; Secure; Path=/shop", SAFE, ""),
        (
            "__HOST-a=1; Secure; Path=/; Domain=www.example.org",
            SAFE,
            "",
        ),
        ("__Host-a=1; Path=/", SAFE, ""),
        ("=__Host-a=1; Secure; Path=/", SAFE, ""),
        // Lifetimes (5.5); an age that is not a number is ignored.
        ("a=1; Max-Age=0", PLAIN, ""),
        ("a=1; Max-Age=-1", PLAIN, ""),
        ("a=1; Max-Age=60", PLAIN, "a=1"),
        ("a=1; Max-Age=99999999999999999999", PLAIN, "a=1"),
        ("a=1; Max-Age=1d", PLAIN, "a=1"),
        ("a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", PLAIN, ""),
        ("a=1; expires=Sat, 28-Nov-26 09:59:59 GMT", PLAIN, ""),
        ("a=1; Expires=Sat, 28 Nov 2026 10:00:01 GMT", PLAIN, "a=1"),
        ("a=1; Expires=0", PLAIN, "a=1"),
        (
            "a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
            PLAIN,
            "a=1",
        ),
    ] {
        assert_eq!(
            sent(&jar(&[header], site), "/shop/", site),
            expected,
            "{header}"
        );
    }
}

#[test]
fn cookies_are_replaced_in_their_place_and_deleted() {
    let mut cookies = jar(&["a=1", "z=0", "a=2", "b=1; Path=/"], PLAIN);
    assert_eq!(sent(&cookies, "/shop/x", PLAIN), "a=2; z=0; b=1");
    cookies.set(b"b=; Path=/; Max-Age=0", PLAIN, "/", NOW_S);
    cookies.set(
        b"a=; expires=Thu, 01-Jan-1970 00:00:00 GMT",
        PLAIN,
        "/shop/",
        NOW_S,
    );
    cookies.set(b"z=; Path=/; Max-Age=0", PLAIN, "/", NOW_S); // of another path
    assert_eq!(sent(&cookies, "/shop/x", PLAIN), "z=0");
}

#[test]
fn cookies_expire() {
    let cookies = jar(
        &["a=1; Max-Age=60", "b=2; Max-Age=99999999999", "c=3"],
        PLAIN,
    );
    let at = |seconds| sent_at(&cookies, "/shop/", PLAIN, NOW_S + seconds);
    assert_eq!(at(59), "a=1; b=2; c=3");
    assert_eq!(at(60), "b=2; c=3");
    assert_eq!(at(400 * 86_400), "c=3");
}

#[test]
fn this_machine_is_trusted_without_tls() {
    for (host, is_trusted) in [
        ("127.0.0.1", true),
        ("127.8.8.8", true),
        ("::1", true),
        ("LocalHost", true),
        ("shop.localhost", true),
        ("localhost.example.org", false),
        ("192.0.2.1", false),
    ] {
        let site = Site {
            host,
            is_tls: false,
        };
        let jar = jar(&["__Host-a=1; Secure; Path=/"], site);
        assert_eq!(!sent(&jar, "/", site).is_empty(), is_trusted, "{host}");
    }
}

#[test]
fn only_the_latest_cookies_are_kept() {
    let mut jar = Jar::default();
    for index in 0..200 {
        jar.set(format!("c{index}=v").as_bytes(), PLAIN, "/", NOW_S);
    }
    let cookies = sent(&jar, "/", PLAIN);
    assert_eq!(cookies.split("; ").count(), MOST_COOKIES);
    assert!(cookies.starts_with("c150=v"), "{cookies}");
}

proptest! {
    #[test]
    fn any_header_is_taken_or_refused(
        header in prop::collection::vec(any::<u8>(), 0..100), host in ".{0,12}", path in ".{0,12}",
    ) {
        let site = Site { host: &host, is_tls: true };
        let mut jar = Jar::default();
        jar.set(&header, site, &path, NOW_S);
        let line = sent(&jar, &path, site);
        prop_assert!(!line.contains(['\r', '\n']), "{}", line);
        jar.set(b"a=b; Domain=\xc3\xa4.org", site, &path, NOW_S);
    }
}
