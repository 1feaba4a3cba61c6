//! Sessions that the server ends while their users work.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::common::relay::{Way, relay};
use crate::common::{PASSWORD, PATIENCE, Person, Samba, play, smb};
use headcount_load::Requests;
use headcount_load::clock::Origin;
use headcount_load::{FaultKind, Plan, Run};
use headcount_smb::auth::ntlm::{Side, first_signature, owner_key};
use headcount_smb::auth::ntlm_message::{Challenge, Logon, authenticate, negotiate};
use headcount_smb::auth::spnego;
use headcount_smb::connection::{Ask, Connection, Wanted};
use headcount_smb::options::EncryptionPolicy;
use headcount_smb::wire::header::Command;
use headcount_smb::wire::negotiate::{Dialect, SigningAlgorithm};
use headcount_smb::wire::session::{encode_setup, parse_setup};
use headcount_smb::wire::status::Status;
use headcount_smb::{SigningPolicy, SmbOptions};
use serde_json::json;

/// Logs on as the user of a lost session, as a client does after a network failure (MS-SMB2
/// 3.3.5.5.3): the server ends the old session.
async fn depose(address: &str, session: u64) {
    let wanted = Wanted {
        dialects: vec![Dialect::Smb21],
        algorithms: vec![SigningAlgorithm::HmacSha256],
        signing: SigningPolicy::Offered,
        encryption: EncryptionPolicy::Off,
    };
    let address = address.parse().unwrap();
    let mut connection = Connection::establish(&[address], &wanted, Requests::default())
        .await
        .unwrap();
    let first = negotiate();
    let (status, token) = set_up(&mut connection, session, &spnego::initial(&first)).await;
    assert_eq!(status, Status::MORE_PROCESSING_REQUIRED);
    let challenge = spnego::inside(&token).and_then(Challenge::parse).unwrap();
    let logon = Logon {
        user: "user00000",
        domain: "",
        owner_key: &owner_key("user00000", "", PASSWORD),
        own_challenge: [1; 8],
        session_key: [2; 16],
        filetime: 0,
    };
    let (third, key) = authenticate(&logon, &first, &challenge);
    let exchanges = challenge.exchanges_keys();
    let mic = first_signature(&key, Side::Client, exchanges, &spnego::mechanisms());
    let (status, _) = set_up(&mut connection, session, &spnego::response(&third, &mic)).await;
    assert_eq!(status, Status::SUCCESS);
}

/// One round of the logon, which names the previous session.
async fn set_up(connection: &mut Connection, previous: u64, token: &[u8]) -> (Status, Vec<u8>) {
    let ask = Ask::new(Command::SessionSetup, 0);
    let (status, session, token) = connection
        .exchange(
            ask,
            |out| {
                encode_setup(out, 1, previous, token);
            },
            |head, body| {
                let token = parse_setup(body).map_or(vec![], |(_, token)| token.to_vec());
                Ok((head.status, head.session, token))
            },
        )
        .await
        .unwrap();
    connection.state.session = session;
    (status, token)
}

/// A relay that notes the id of the last session that was set up.
fn noting_relay(samba: &Samba) -> (String, Arc<AtomicU64>) {
    let session = Arc::new(AtomicU64::new(0));
    let noted = Arc::clone(&session);
    let address = relay(&samba.options().address, move |way, _, message| {
        let is_setup = message[0] == 0xFE && message[12] == Command::SessionSetup as u8;
        if way == Way::ToClient && is_setup {
            let number = message[40..48].try_into().unwrap();
            noted.store(u64::from_le_bytes(number), Ordering::Relaxed);
        }
    });
    (address, session)
}

#[test]
fn a_session_deleted_by_the_server_is_reported_as_lost() {
    for signing in ["auto", "mandatory"] {
        let samba = Samba::start(signing);
        for dialect in Dialect::ALL {
            for encryption in [EncryptionPolicy::Off, EncryptionPolicy::Required] {
                if (dialect, encryption) == (Dialect::Smb21, EncryptionPolicy::Required) {
                    continue; // that dialect has none
                }
                let (address, session) = noting_relay(&samba);
                let options = SmbOptions {
                    address,
                    dialects: vec![dialect],
                    encryption,
                    ..samba.options()
                };
                play(async {
                    let smb = smb(options);
                    let mut person = Person::arrive(&smb, 0).await.unwrap();
                    person.play_all([json!({"op": "echo"})]).await;
                    depose(&samba.options().address, session.load(Ordering::Relaxed)).await;
                    let open = json!({"op": "open", "path": {"file": "home"}});
                    let fault = person.play(open).await.unwrap_err();
                    assert_eq!(
                        (fault.kind, fault.ends_session),
                        (FaultKind::Disconnected, true),
                        "{fault}"
                    );
                    let deleted = fault.message.contains("STATUS_USER_SESSION_DELETED");
                    // Without the keys smbd cannot read the request, and closes the connection.
                    let closed = fault.message.contains("closed the connection");
                    let is_encrypted = encryption == EncryptionPolicy::Required;
                    assert!(if is_encrypted { closed } else { deleted }, "{fault}");
                    let mut again = Person::arrive(&smb, 0).await.unwrap();
                    again.play_all([json!({"op": "echo"})]).await;
                });
            }
        }
    }
}

#[test]
fn the_engine_opens_a_new_session_for_the_next_scenario() {
    let samba = Samba::start("mandatory");
    let (address, session) = noting_relay(&samba);
    let plan = json!({
        "seed": 3, "workers": 1, "step_timeout_ms": 10_000, "report_every_ms": 100,
        "pace": {"pace": "closed", "think": {"draw": "exponential", "mean_s": 0.01}},
        "scenarios": [{
            "name": "asks", "weight": 1.0, "limit_ms": 1000.0, "late_ms": 1000.0,
            "steps": [{"name": "echo", "op": "echo"}],
        }],
    });
    let options = SmbOptions {
        address,
        ..samba.options()
    };
    let plan = Plan::from_json(&plan.to_string()).unwrap();
    let mut run = Run::start(plan, smb(options)).unwrap();
    run.set_users(1, Duration::ZERO);
    let origin = Origin::now();
    // Scenarios completed when the session was ended, and now.
    let (mut before, mut last) = (None, None);
    while !run.has_ended() {
        assert!(
            origin.elapsed_ns() < PATIENCE.as_nanos() as u64,
            "the run does not end"
        );
        let Some(snapshot) = run.next(Duration::from_millis(100)).unwrap() else {
            continue;
        };
        let completed = snapshot.recorder.scenarios[0].completed;
        last = Some(snapshot.recorder);
        match before {
            None if completed > 20 => {
                play(depose(
                    &samba.options().address,
                    session.load(Ordering::Relaxed),
                ));
                before = Some(completed);
            }
            Some(before) if completed > before + 100 => run.stop(Duration::from_secs(5)),
            _ => {}
        }
    }
    let counted = last.unwrap();
    let shown = format!("{:?}", counted.faults);
    assert!(shown.contains("STATUS_USER_SESSION_DELETED"), "{shown}");
    assert_eq!(counted.scenarios[0].failed, 1, "{shown}");
    assert_eq!(counted.sessions_opened, 2);
}
