//! Which server answers, and whether it has the data set: nginx, and Python's server with the CGI
//! program.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::ops::ControlFlow;
use std::process::{Child, Command, Stdio};

use crate::common::{Nginx, Way, person, play};
use headcount_http::client::inspect::{Checked, Extent, Looked, check, hello};
use headcount_http::pages::suite::webbench;
use headcount_http::pages::tree::{Kept, write_tree};
use headcount_http::pages::{Group, Which};
use headcount_http::{HttpError, HttpOptions};
use headcount_load::FaultKind;
use serde_json::json;

fn look(options: HttpOptions) -> Result<Checked, HttpError> {
    let all = [Which::Group(Group::Any)];
    check(options, &all, Extent::Sample, &mut |_| {
        ControlFlow::Continue(())
    })
}

#[test]
fn a_server_is_identified() {
    let nginx = Nginx::start();
    for (way, version, tls) in [
        (Way::Plain, "HTTP/1.1", ""),
        (Way::Tls, "HTTP/1.1", "TLSv1_3 TLS13_AES_256_GCM_SHA384"),
        (Way::Http2, "HTTP/2", ""),
        (Way::Http2Tls, "HTTP/2", "TLSv1_3 TLS13_AES_256_GCM_SHA384"),
    ] {
        let found = hello(nginx.options(way)).unwrap();
        assert!(found.server.starts_with("nginx/1."), "{found:?}");
        assert_eq!((found.version, &*found.tls), (version, tls));
        // There is no index page, and the folder is not listed.
        assert_eq!((found.status, found.keeps_alive), (403, true));
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = HttpOptions::new(&format!("http://{}", listener.local_addr().unwrap()));
    drop(listener);
    let error = hello(nobody).unwrap_err();
    assert!(
        matches!(&error, HttpError::Fault(fault) if fault.kind == FaultKind::Connect),
        "{error}"
    );
}

#[test]
fn wrong_and_missing_pages_of_a_data_set_are_found() {
    let nginx = Nginx::start();
    for way in Way::ALL {
        let options = HttpOptions {
            verify: 0.0,
            ..nginx.options(way)
        };
        let checked = look(options).unwrap();
        // Of each of three classes, the first file of the first directory and the last of the last.
        let bytes = 100 + 16_384 + 1000 + 3000 + 131_072 + 2_000_000;
        assert_eq!((checked.pages, checked.bytes), (6, bytes));
    }
    let mut other = nginx.options(Way::Plain);
    other.data_set.seed = 8;
    let error = look(other).unwrap_err().to_string();
    assert!(
        error.contains("GET /text-0000.html: wrong data at offset"),
        "{error}"
    );
    fs::remove_file(nginx.behind("/a/b/image-0002.bin")).unwrap();
    let error = look(nginx.options(Way::Plain)).unwrap_err().to_string();
    assert!(
        error.contains("GET /a/b/image-0002.bin: status 404"),
        "{error}"
    );
}

#[test]
fn all_pages_that_steps_request_can_be_checked_once() {
    let nginx = Nginx::start();
    let options = || nginx.options(Way::Plain);
    let mut steps = Vec::new();
    let mut note = |looked: Looked| {
        steps.push((looked.pages_done, looked.pages));
        ControlFlow::Continue(())
    };
    let all = [Which::Group(Group::Any), Which::Group(Group::Static)];
    let checked = check(options(), &all, Extent::All, &mut note).unwrap();
    let files: Vec<_> = nginx.set.files().collect();
    assert_eq!(checked.pages as usize, files.len());
    assert_eq!(
        checked.bytes,
        files.iter().map(|page| page.bytes).sum::<u64>()
    );
    let pages = files.len() as u64;
    assert_eq!(
        steps,
        (0..pages).map(|done| (done, pages)).collect::<Vec<_>>()
    );
    let one = [Which::Classes(vec![nginx.set.classes[0].name.clone()])];
    let of_class = files.iter().filter(|page| page.class == 0).count();
    let mut go_on = |_| ControlFlow::Continue(());
    let checked = check(options(), &one, Extent::All, &mut go_on).unwrap();
    assert_eq!(checked.pages as usize, of_class);
    let cgi = [Which::Group(Group::Cgi)];
    let checked = check(options(), &cgi, Extent::All, &mut go_on).unwrap();
    assert_eq!(checked, Checked::default());
    let cancelled = check(
        options(),
        &all,
        Extent::All,
        &mut |_| ControlFlow::Break(()),
    );
    assert!(matches!(cancelled, Err(HttpError::Cancelled)));
}

/// Python's own server, which speaks HTTP/1.0 and runs CGI programs. Dropping this ends it.
struct PythonServer {
    child: Child,
    url: String,
}

impl PythonServer {
    fn start(folder: &std::path::Path) -> Self {
        // It chooses its port itself and prints it: a port that was free a moment ago may be taken.
        let mut child = Command::new("python3")
            .args(["-u", "-m", "http.server", "--cgi"])
            .args(["--bind", "127.0.0.1", "--directory"])
            .arg(folder)
            .arg("0")
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let port = line
            .split("port ")
            .nth(1)
            .and_then(|rest| rest.split(' ').next());
        let url = format!("http://127.0.0.1:{}", port.expect("its port"));
        Self { child, url }
    }
}

impl Drop for PythonServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn webbenchs_pages_and_its_cgi_program_are_served_by_another_server() {
    let folder = tempfile::tempdir().unwrap();
    let mut set = webbench(5);
    set.classes
        .retain(|class| class.cgi || class.sizes[0] < 5000);
    write_tree(folder.path(), &set, Kept::Long, &mut |_| {
        ControlFlow::Continue(())
    })
    .unwrap();
    let server = PythonServer::start(folder.path());
    let options = HttpOptions {
        data_set: set,
        ..HttpOptions::new(&server.url)
    };
    let found = hello(options.clone()).unwrap();
    assert!(found.server.contains("Python"), "{found:?}");
    assert!(!found.keeps_alive, "HTTP/1.0");
    let checked = look(options.clone()).unwrap();
    assert_eq!(checked.pages, 12);
    play(async {
        let mut person = person(options).await;
        for _ in 0..5 {
            person.user.begin_scenario();
            assert_eq!(person.read(json!({"op": "get", "page": "cgi"})).await, 4096);
        }
        assert_eq!(person.sent("CONNECT"), 5);
    });
}
