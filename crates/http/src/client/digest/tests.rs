use proptest::prelude::*;

use super::*;

const MUFASA: Identity<'_> = Identity {
    name: "Mufasa",
    password: "Circle of Life",
};
const OWN: &str = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ";

fn answered(header: &str, identity: Identity<'_>, uri: &str, own: &str) -> String {
    let mut challenge = Challenge::parse(header).unwrap();
    challenge.answers = 1;
    challenge.answered(identity, "GET", uri, own)
}

#[test]
fn answers_match_the_examples_of_the_rfcs() {
    let asked = |algorithm: &str| {
        format!(
            "Digest realm=\"http-auth@example.org\", qop=\"auth, auth-int\", \
             algorithm={algorithm}, \
             nonce=\"7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v\", \
             opaque=\"FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS\""
        )
    };
    // RFC 7616, 3.9.1.
    for (algorithm, response) in [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        (
            "SHA-256",
            "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1",
        ),
    ] {
        let text = answered(&asked(algorithm), MUFASA, "/dir/index.html", OWN);
        assert!(text.contains(&format!("response=\"{response}\"")), "{text}");
        assert!(text.contains("qop=auth, nc=00000001, cnonce="), "{text}");
    }
    // RFC 2617, 3.5: with the algorithm left out, it is MD5.
    let older = "Digest realm=\"testrealm@host.com\", qop=\"auth,auth-int\", \
                 nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\", \
                 opaque=\"5ccc069c403ebaf9f0171e9517f40e41\"";
    let identity = Identity {
        password: "Circle Of Life",
        ..MUFASA
    };
    let text = answered(older, identity, "/dir/index.html", "0a4f113b");
    assert!(text.contains("6629fae49393a05397450978507c4ef1"), "{text}");
    assert!(!text.contains("algorithm"), "{text}");
}

#[test]
fn a_user_name_may_be_hashed_or_not_ascii() {
    // RFC 7616, 3.9.2, with the values of erratum 4897, and of OpenSSL for the response.
    let header = "Digest realm=\"api@example.org\", qop=\"auth\", algorithm=SHA-512-256, \
                  nonce=\"5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK\", \
                  charset=UTF-8, userhash=true";
    let identity = Identity {
        name: "J\u{e4}s\u{f8}n Doe",
        password: "Secret, or not?",
    };
    let text = answered(
        header,
        identity,
        "/doe.json",
        "NTg6RKcb9boFIAS3KrFK9BGeh+niz/sm",
    );
    let hashed = "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b";
    assert!(
        text.contains(&format!("username=\"{hashed}\", userhash=true")),
        "{text}"
    );
    let response = "7a4e1192babbba02e91182d2895bfdbf7adafc6e48d4e517ca301974843d840c";
    assert!(text.contains(&format!("response=\"{response}\"")), "{text}");
    assert!(!text.contains("Doe"), "{text}");
    let text = answered(&header.replace("true", "false"), identity, "/", "x");
    assert!(
        text.contains("username*=UTF-8''J%C3%A4s%C3%B8n%20Doe"),
        "{text}"
    );
}

#[test]
fn the_first_challenge_that_can_be_answered_is_taken() {
    let header = "Basic realm=\"a, b=\\\"c\\\"\", Digest realm=\"r\", nonce=\"1\", \
                  algorithm=SHA-3, Digest realm=\"r,s\" , nonce = \"2\", qop=auth, stale=TRUE";
    let challenge = Challenge::parse(header).unwrap();
    assert_eq!((&*challenge.realm, &*challenge.nonce), ("r,s", "2"));
    assert!(challenge.is_stale);
    for header in [
        "Basic realm=\"x\"",
        "Digest realm=\"r\"",
        "Digest realm=\"r\", nonce=\"1\", qop=\"auth-int\"",
        "",
    ] {
        assert_eq!(Challenge::parse(header), None, "{header}");
    }
}

#[test]
fn answers_are_counted_for_each_nonce() {
    let mut challenge =
        Challenge::parse("Digest realm=r, nonce=a, qop=auth, algorithm=MD5-sess").unwrap();
    let mut next = || {
        let text = challenge.answer(MUFASA, "GET", "/");
        if text.contains("00000002") {
            challenge.renew("rspauth=\"x\", nextnonce=\"b\"");
        }
        text
    };
    let counts = ["00000001", "00000002", "00000001"];
    let nonces = ["nonce=\"a\"", "nonce=\"a\"", "nonce=\"b\""];
    for (count, nonce) in counts.into_iter().zip(nonces) {
        let text = next();
        assert!(text.contains(&format!("nc={count}")), "{text}");
        assert!(text.contains(nonce), "{text}");
    }
}

proptest! {
    #[test]
    fn any_challenge_is_answered_on_one_line_or_not_at_all(
        header in "(Digest )?(realm=\"?[ -~]{0,9}\"?, )?(nonce=[ -~]{0,9})?[ -~,=\"\\\\]{0,40}",
        name in ".{0,9}", uri in "/[!-~]{0,9}",
    ) {
        if let Some(mut challenge) = Challenge::parse(&header) {
            let identity = Identity { name: &name, password: "p" };
            let text = challenge.answer(identity, "GET", &uri);
            prop_assert!(text.starts_with("Digest username"), "{}", text);
        }
    }
}
