//! Every dialect with every signing algorithm, against a real smbd.

use crate::common::{Samba, play, work};
use headcount_load::FaultKind;
use headcount_smb::wire::negotiate::{Dialect, SigningAlgorithm};
use headcount_smb::{Password, SigningPolicy, SmbOptions};

/// Users work with every dialect, and every signing algorithm, under these policies.
fn check_all_dialects(samba: &Samba, policies: &[SigningPolicy]) {
    samba.give_home("user00000");
    for signing in policies {
        for dialect in Dialect::ALL {
            let options = SmbOptions {
                dialects: vec![dialect],
                signing: *signing,
                ..samba.options()
            };
            let done = play(work(options));
            assert_eq!(done, Ok(()), "{dialect:?} {signing:?}");
        }
        for algorithm in [
            SigningAlgorithm::HmacSha256,
            SigningAlgorithm::AesCmac,
            SigningAlgorithm::AesGmac,
        ] {
            let options = SmbOptions {
                algorithms: vec![algorithm],
                signing: *signing,
                ..samba.options()
            };
            let done = play(work(options));
            assert_eq!(done, Ok(()), "{algorithm:?} {signing:?}");
        }
    }
}

#[test]
fn a_server_that_signs_when_asked_serves_every_dialect() {
    let samba = Samba::start("auto");
    check_all_dialects(
        &samba,
        &[
            SigningPolicy::Off,
            SigningPolicy::Offered,
            SigningPolicy::Required,
        ],
    );
}

#[test]
fn a_server_that_requires_signatures_gets_them_unless_they_are_off() {
    let samba = Samba::start("mandatory");
    check_all_dialects(&samba, &[SigningPolicy::Offered, SigningPolicy::Required]);
    for dialect in Dialect::ALL {
        let signing = SigningPolicy::Off;
        let options = SmbOptions {
            dialects: vec![dialect],
            signing,
            ..samba.options()
        };
        let fault = play(work(options)).unwrap_err();
        assert_eq!(fault.kind, FaultKind::Refused);
        assert!(
            fault.message.contains("requires signed messages"),
            "{fault}"
        );
    }
    let wrong = SmbOptions {
        password: Password::new("wrong"),
        ..samba.options()
    };
    assert_eq!(play(work(wrong)).unwrap_err().kind, FaultKind::Login);
}

#[test]
fn a_server_that_never_asks_for_signatures_still_signs() {
    let samba = Samba::start("disabled");
    check_all_dialects(
        &samba,
        &[
            SigningPolicy::Off,
            SigningPolicy::Offered,
            SigningPolicy::Required,
        ],
    );
}
