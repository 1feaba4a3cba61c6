//! What the integration tests share: a real smbd on a temporary folder, and users outside an
//! engine.
#![allow(dead_code, reason = "each test file uses its own part")]
#![allow(
    clippy::unwrap_used,
    reason = "a failure here is a failure of the test that called"
)]

use std::cell::Cell;
use std::fs;
use std::future::Future;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use headcount_load::clock::Origin;
use headcount_load::context::WorkerContext;
use headcount_load::{Compile, Fault, Moved, Protocol, Session, User};
use headcount_smb::{Password, Smb, SmbOptions};
use headcount_tree::data_set::DataSet;
use headcount_tree::step::Step;
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};

pub mod relay;

pub const PATIENCE: Duration = Duration::from_secs(30);
/// The password of every user of the test server.
pub const PASSWORD: &str = "Passw0rd";
/// Its NT hash: MD4 of its UTF-16 (MS-NLMP 3.3.1).
const NT_HASH: &str = "A87F3A337D73085C45F9416BE5787D86";

/// A private smbd: any user name logs on with [`PASSWORD`]. Dropping it stops smbd.
pub struct Samba {
    smbd: Child,
    group: Pid,
    port: u16,
    folder: tempfile::TempDir,
}

impl Samba {
    /// Starts it with this `server signing` and waits until it listens.
    pub fn start(signing: &str) -> Self {
        Self::with(&[("server signing", signing)])
    }

    /// Starts it with these settings.
    pub fn with(settings: &[(&str, &str)]) -> Self {
        Self::launch(settings, None)
    }

    /// Starts it with its share on a file system of its own, of `kib` KiB, which only the server
    /// sees.
    pub fn on_small_disk(kib: u32) -> Self {
        Self::launch(&[], Some(kib))
    }

    fn launch(settings: &[(&str, &str)], disk_kib: Option<u32>) -> Self {
        let folder =
            tempfile::tempdir_in(option_env!("CARGO_TARGET_TMPDIR").unwrap_or("/tmp")).unwrap();
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let configuration = configure(folder.path(), port, settings);
        let smbd = [
            "/usr/sbin/smbd",
            "/usr/bin/smbd",
            "/usr/local/samba/sbin/smbd",
        ]
        .iter()
        .find(|path| Path::new(path).exists())
        .expect("smbd is missing: apt-get install -y --no-install-recommends samba");
        let log = fs::File::create(folder.path().join("out")).unwrap();
        // In a session of its own, so that its signals reach only itself, and ours all its
        // processes.
        let smbd = own_session_command(folder.path(), disk_kib)
            .args([smbd, "--foreground", "--no-process-group", "-l"])
            .arg(folder.path().join("log"))
            .arg("-s")
            .arg(&configuration)
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        let group = Pid::from_child(&smbd);
        let mut samba = Self {
            smbd,
            group,
            port,
            folder,
        };
        samba.wait_until_it_listens();
        samba
    }

    fn wait_until_it_listens(&mut self) {
        let origin = Origin::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            let late = origin.elapsed_ns() > PATIENCE.as_nanos() as u64;
            if late || self.smbd.try_wait().unwrap().is_some() {
                let log = fs::read_to_string(self.folder.path().join("out")).unwrap();
                panic!("smbd does not listen on port {}: {log}", self.port);
            }
            pause(Duration::from_millis(20));
        }
    }

    /// The folder that is shared.
    pub fn share(&self) -> PathBuf {
        self.folder.path().join("share")
    }

    /// The path of a file on the server's disk.
    pub fn behind(&self, path: &str) -> PathBuf {
        self.share().join(path.replace('\\', "/"))
    }

    /// The lines of `smbstatus` with this option.
    pub fn status(&self, option: &str) -> Vec<String> {
        let mut command = Command::new("smbstatus");
        command
            .arg(option)
            .arg("-s")
            .arg(self.folder.path().join("smb.conf"));
        let stdout = String::from_utf8(command.output().unwrap().stdout).unwrap();
        stdout.lines().map(str::to_owned).collect()
    }

    /// Options for this server, with a small data set.
    pub fn options(&self) -> SmbOptions {
        let address = format!("127.0.0.1:{}", self.port);
        let mut options = SmbOptions::new(&address, "data", "user{n:05}", Password::new(PASSWORD));
        options.data_set = DataSet {
            folders: 1,
            static_files: 3,
            volatile_files: 2,
            new_files: 4,
            shared_files: 2,
            median_bytes: 20_000,
            sigma: 0.0,
            ..DataSet::default()
        };
        options
    }

    /// Makes a user's folder directly on the server's disk.
    pub fn give_home(&self, name: &str) {
        let home = self.share().join(name);
        fs::create_dir_all(&home).unwrap();
        fs::set_permissions(&home, fs::Permissions::from_mode(0o777)).unwrap();
    }

    /// Kills it and waits until its listener is gone.
    pub fn kill(&mut self) {
        self.signal(Signal::KILL);
        self.smbd.wait().unwrap();
        let origin = Origin::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_ok() {
            assert!(
                origin.elapsed_ns() < PATIENCE.as_nanos() as u64,
                "smbd survives SIGKILL"
            );
            pause(Duration::from_millis(5));
        }
    }

    /// Sends a signal to all processes of the server.
    pub fn signal(&self, signal: Signal) {
        kill_process_group(self.group, signal).unwrap();
    }
}

impl Drop for Samba {
    fn drop(&mut self) {
        let _ = kill_process_group(self.group, Signal::KILL); // it may be gone already
        let _ = self.smbd.wait();
    }
}

/// A command that starts a program in a session of its own. With a disk, also in a mount namespace
/// of its own, where the share is a new file system of this many KiB.
fn own_session_command(folder: &Path, disk_kib: Option<u32>) -> Command {
    let mut command = Command::new("setsid");
    let Some(kib) = disk_kib else {
        return command;
    };
    let (uid, gid) = (rustix::process::getuid(), rustix::process::getgid());
    let (uid, gid) = (uid.as_raw(), gid.as_raw());
    // Without root: become root of a user namespace to mount, then the same user again to serve.
    let (become_root, become_self) = if uid == 0 {
        (vec![], String::new())
    } else {
        let back = format!("unshare --user --map-user={uid} --map-group={gid} ");
        (vec!["--map-root-user"], back)
    };
    let share = folder.join("share").display().to_string();
    let script = format!(
        "mount -t tmpfs -o size={kib}k,mode=777 tmpfs '{share}' && exec {become_self}\"$@\""
    );
    command
        .args(["unshare", "--mount"])
        .args(become_root)
        .args(["sh", "-c", &script, "sh"]);
    command
}

fn configure(folder: &Path, port: u16, settings: &[(&str, &str)]) -> PathBuf {
    for part in [
        "private", "lock", "state", "cache", "pid", "ncalrpc", "log", "share",
    ] {
        fs::create_dir(folder.join(part)).unwrap();
    }
    fs::set_permissions(folder.join("share"), fs::Permissions::from_mode(0o777)).unwrap();
    let account = Command::new("id").arg("-un").output().unwrap().stdout;
    let account = String::from_utf8(account).unwrap();
    let account = account.trim();
    let uid = rustix::process::getuid().as_raw();
    let base = folder.display();
    let no_lm = "X".repeat(32);
    let password = format!("{account}:{uid}:{no_lm}:{NT_HASH}:[U          ]:LCT-67000000:\n");
    fs::write(folder.join("private/smbpasswd"), password).unwrap();
    let secret = fs::Permissions::from_mode(0o600);
    fs::set_permissions(folder.join("private/smbpasswd"), secret).unwrap();
    fs::write(folder.join("usermap"), format!("!{account} = *\n")).unwrap();
    let settings: String = settings
        .iter()
        .map(|(name, value)| [name, " = ", value, "\n"].concat())
        .collect();
    let text = format!(
        "[global]\n\
         workgroup = LOAD\nnetbios name = LOADSRV\nserver role = standalone server\n\
         interfaces = 127.0.0.1\nbind interfaces only = yes\nsmb ports = {port}\n\
         disable netbios = yes\nserver min protocol = SMB2_10\n\
         private dir = {base}/private\nlock directory = {base}/lock\n\
         state directory = {base}/state\ncache directory = {base}/cache\n\
         pid directory = {base}/pid\nncalrpc dir = {base}/ncalrpc\n\
         log file = {base}/log/log.%m\nlog level = 0\n\
         passdb backend = smbpasswd:{base}/private/smbpasswd\nusername map = {base}/usermap\n\
         load printers = no\nprinting = bsd\nprintcap name = /dev/null\ndisable spoolss = yes\n\
         map to guest = never\nmax smbd processes = 0\nusershare max shares = 0\n{settings}\
         [data]\npath = {base}/share\nread only = no\n\
         [readonly]\npath = {base}/share\nread only = yes\n\
         [encrypted]\npath = {base}/share\nread only = no\nsmb encrypt = required\n"
    );
    let path = folder.join("smb.conf");
    fs::write(&path, text).unwrap();
    path
}

/// Sleeps, to poll for something without a notification.
#[expect(clippy::disallowed_methods, reason = "a test's own thread may wait")]
pub fn pause(duration: Duration) {
    std::thread::sleep(duration);
}

pub fn user(id: u32) -> User {
    User::outside(id, 1, WorkerContext::outside(Smb::requests().len(), 0))
}

pub fn step(options: &Value) -> Step {
    Step::compile(options).unwrap()
}

thread_local! {
    /// Steps that users on this thread have completed.
    static ENDED: Cell<u64> = const { Cell::new(0) };
}

/// Runs a future as a worker of the engine would, as long as steps complete: a busy machine may
/// need long for thousands of them.
pub fn play<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut future = pin!(future);
        loop {
            let before = ENDED.get();
            if let Ok(done) = tokio::time::timeout(PATIENCE, future.as_mut()).await {
                return done;
            }
            assert_ne!(ENDED.get(), before, "no step ended within {PATIENCE:?}");
        }
    })
}

pub fn smb(options: SmbOptions) -> Smb {
    Smb::new(options).unwrap()
}

/// One user with an open session.
pub struct Person {
    pub session: <Smb as Protocol>::Session,
    pub user: User,
}

impl Person {
    pub async fn arrive(smb: &Smb, id: u32) -> Result<Self, Fault> {
        let mut user = user(id);
        let session = smb.open(&mut user).await?;
        Ok(Self { session, user })
    }

    pub async fn play(&mut self, options: Value) -> Result<Moved, Fault> {
        let played = self.session.play(&step(&options), &mut self.user).await;
        ENDED.set(ENDED.get() + 1);
        played
    }

    /// Closes the session.
    pub async fn close_session(mut self) {
        self.session.close(&mut self.user).await;
    }

    /// Plays steps that must succeed. Returns the bytes they moved in all.
    pub async fn play_all(&mut self, steps: impl IntoIterator<Item = Value>) -> Moved {
        let mut sum = Moved::default();
        for options in steps {
            let moved = self.play(options.clone()).await;
            let moved = moved.unwrap_or_else(|fault| panic!("{options}: {fault}"));
            sum.read_bytes += moved.read_bytes;
            sum.written_bytes += moved.written_bytes;
        }
        sum
    }
}

/// A user logs on, writes, reads back, lists, logs off and on again.
pub async fn work(options: SmbOptions) -> Result<(), Fault> {
    let mut person = Person::arrive(&smb(options), 0).await?;
    let open = json!({"op": "open", "path": {"file": "new"}, "access": "all",
                      "how": "replace-or-create"});
    let moved = person
        .play_all([
            open,
            json!({"op": "write", "bytes": 200_704}),
            json!({"op": "read", "from": "start"}),
            json!({"op": "stat"}),
            json!({"op": "delete"}),
            json!({"op": "close"}),
            json!({"op": "open", "path": {"file": "home"}}),
            json!({"op": "list"}),
            json!({"op": "close"}),
            json!({"op": "logoff"}),
            json!({"op": "logon"}),
            json!({"op": "tree-connect"}),
            json!({"op": "echo"}),
        ])
        .await;
    assert_eq!(moved.written_bytes, 200_704);
    assert!(moved.read_bytes > 200_704, "{moved:?}");
    person.close_session().await;
    Ok(())
}
