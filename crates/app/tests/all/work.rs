//! Every kind of work over real sockets, counted, and what ends it.

use crate::common::{
    app, eventually, every_kind, folder, once, play, prepare, start, step, target, user,
};
use headcount_app::control;
use headcount_app::server::Threads;
use headcount_load::{FaultKind, Protocol, Session};
use serde_json::json;

const KINDS: [&str; 5] = [
    "client-server",
    "processor",
    "server-client",
    "read",
    "write",
];

#[test]
fn every_kind_of_work_is_done_checked_and_counted() {
    let home = folder();
    // A thread counts as busy for a moment after its answer has arrived: with several threads,
    // another one may take the next request.
    let server = start(home.path(), |settings| settings.threads = Threads::Fixed(1));
    prepare(&server, 2);
    let app = app(server.address());
    let mut user = user(2);
    play(async {
        let mut session = app.open(&mut user).await.unwrap();
        for _ in 0..20 {
            for (options, moved) in every_kind() {
                user.begin_scenario();
                assert_eq!(
                    session.play(&step(&options), &mut user).await,
                    Ok(moved),
                    "{options}"
                );
            }
        }
    });
    let statistics = control::statistics(&target(&server)).unwrap();
    for kind in KINDS {
        let requests = &statistics.requests[kind];
        assert_eq!((requests.count, requests.failed), (20, 0), "{kind}");
        assert!(
            requests.service.max_us >= requests.service.mean_us,
            "{requests:?}"
        );
        assert!(requests.service.mean_us > 0.0, "{requests:?}");
    }
    assert_eq!(statistics.queue_wait.count, 100);
    assert_eq!(statistics.connections.total, 3);
    assert_eq!(statistics.threads.busy_max, 1);
    server.stop();
}

#[test]
fn the_largest_payloads_pass_in_both_directions() {
    let home = folder();
    let server = start(home.path(), |_| {});
    for options in [
        json!({"op": "client-server", "request_bytes": 1 << 20}),
        json!({"op": "server-client", "reply_bytes": 1 << 20}),
        json!({"op": "client-server", "request_bytes": 0}),
        json!({"op": "server-client", "reply_bytes": 0}),
    ] {
        assert!(once(server.address(), 0, &options).is_ok(), "{options}");
    }
}

#[test]
fn unprepared_data_is_refused_and_the_session_goes_on() {
    let home = folder();
    let server = start(home.path(), |_| {});
    let read = json!({"op": "read", "bytes": 4096});
    let fault = once(server.address(), 0, &read).unwrap_err();
    assert_eq!(
        (fault.kind, fault.ends_session),
        (FaultKind::Refused, false)
    );
    assert!(fault.message.contains("prepare it first"), "{fault}");
    prepare(&server, 1);
    let fault = once(server.address(), 2, &read).unwrap_err();
    assert_eq!(
        (fault.kind, fault.ends_session),
        (FaultKind::Refused, false)
    );
    assert!(fault.message.contains("file 2 is not prepared"), "{fault}");
    let large = json!({"op": "read", "bytes": 1 << 20});
    let fault = once(server.address(), 0, &large).unwrap_err();
    assert!(fault.message.contains("exceeds the I/O range"), "{fault}");
}

#[test]
fn the_server_dying_disconnects_its_users_and_nobody_hangs() {
    let home = folder();
    let server = start(home.path(), |_| {});
    let (app, mut user) = (app(server.address()), user(0));
    let compute = step(&json!({"op": "processor", "rounds": 1}));
    let mut server = Some(server);
    let (during, after) = play(async {
        let mut session = app.open(&mut user).await.unwrap();
        session.play(&compute, &mut user).await.unwrap();
        drop(server.take());
        let during = session.play(&compute, &mut user).await.unwrap_err();
        (during, app.open(&mut user).await.map(drop).unwrap_err())
    });
    assert_eq!(
        (during.kind, during.ends_session),
        (FaultKind::Disconnected, true)
    );
    assert_eq!((after.kind, after.ends_session), (FaultKind::Connect, true));
}

#[test]
fn users_who_leave_are_no_longer_counted() {
    let home = folder();
    let server = start(home.path(), |_| {});
    let app = app(server.address());
    play(async {
        let mut sessions = Vec::new();
        for id in 0..20 {
            sessions.push(app.open(&mut user(id)).await.unwrap());
        }
        assert_eq!(server.statistics().connections.now, 20);
    });
    eventually("all have left", || server.statistics().connections.now == 0);
    assert_eq!(server.statistics().connections.max, 20);
}

#[test]
fn a_name_with_several_addresses_reaches_the_server() {
    let home = folder();
    let server = start(home.path(), |_| {});
    let address = format!("localhost:{}", server.address().port());
    assert!(control::hello(&control::Target::new(&*address)).is_ok());
    let compute = json!({"op": "processor", "rounds": 1});
    assert!(once(address, 0, &compute).is_ok());
}
