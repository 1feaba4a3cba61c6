//! A private PostgreSQL server for each test.

#![allow(
    clippy::unwrap_used,
    reason = "a helper of tests: whatever fails, fails the test"
)]
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::fs;
use std::io::Write;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::rc::Rc;
use std::sync::OnceLock;
use std::time::Duration;

use headcount_load::context::WorkerContext;
use headcount_load::tasks::TaskTally;
use headcount_load::{Compile, Fault, Moved, Protocol, Session, Tasks, User};
use headcount_sql::data_set::DataSet;
use headcount_sql::step::SqlStep;
use headcount_sql::task::NAMES;
use headcount_sql::{Password, Sql, SqlOptions, SqlSession};
use tempfile::TempDir;

/// The password of every role.
pub const PASSWORD: &str = "only a test";

/// A server on loopback with a database `shop` that belongs to the role `headcount`.
pub struct Server {
    folder: TempDir,
    process: Child,
    pub port: u16,
}

/// A PostgreSQL program, run as nobody: it refuses to run as root.
pub fn program(name: &str) -> Command {
    let versions = fs::read_dir("/usr/lib/postgresql").expect("install postgresql");
    let mut found: Vec<PathBuf> = versions
        .map(|entry| entry.unwrap().path().join("bin").join(name))
        .filter(|path| path.is_file())
        .collect();
    found.sort();
    let path = found.pop().expect("install postgresql");
    if !rustix::process::getuid().is_root() {
        return Command::new(path);
    }
    let mut command = Command::new("setpriv");
    command
        .args([
            "--reuid=nobody",
            "--regid=nogroup",
            "--clear-groups",
            "--pdeathsig=INT",
        ])
        .arg(path);
    command
}

fn execute(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{command:?}: {stderr}");
    String::from_utf8(output.stdout).unwrap()
}

/// Where the servers keep their files: in memory if there is room, since ext4 takes a second of CPU
/// for each server's 1,300 files.
fn files_folder() -> PathBuf {
    let memory = Path::new("/dev/shm");
    let room = rustix::fs::statvfs(memory).is_ok_and(|it| it.f_bavail * it.f_frsize > 2 << 30);
    if room {
        memory.to_owned()
    } else {
        std::env::temp_dir()
    }
}

/// The initial files of every server of these tests, with the role and the database: copying them
/// takes a tenth of the CPU time of making them.
fn template() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        // Cargo gives an example no folder: it uses that of the machine.
        let tmp = option_env!("CARGO_TARGET_TMPDIR").map_or_else(std::env::temp_dir, PathBuf::from);
        let path = tmp.join("headcount-postgresql-template");
        if !path.is_dir() {
            let folder = tempfile::tempdir().unwrap();
            fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
            let made = make_template(folder.path());
            let copy = path.with_extension(std::process::id().to_string());
            execute(Command::new("cp").arg("-a").arg(made).arg(&copy));
            // If two make it at once, the second uses the first's.
            if fs::rename(&copy, &path).is_err() {
                fs::remove_dir_all(&copy).unwrap();
            }
        }
        path
    })
}

fn make_template(folder: &Path) -> PathBuf {
    let secret = folder.join("password");
    fs::write(&secret, PASSWORD).unwrap();
    let data = folder.join("data");
    execute(
        program("initdb")
            .args(["--no-sync", "--username=admin", "--auth=scram-sha-256"])
            .args(["--encoding=UTF8", "--locale=C.UTF-8"])
            .arg(format!("--pwfile={}", secret.display()))
            .arg("--pgdata")
            .arg(&data),
    );
    let mut alone = program("postgres")
        .arg("--single")
        .args(["-c", "fsync=off", "-D"])
        .arg(&data)
        .arg("postgres")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let statements = format!(
        "CREATE ROLE headcount LOGIN PASSWORD '{PASSWORD}';\nCREATE DATABASE shop OWNER headcount;\n"
    );
    let mut input = alone.stdin.take().unwrap();
    input.write_all(statements.as_bytes()).unwrap();
    drop(input);
    assert!(alone.wait().unwrap().success());
    data
}

impl Server {
    /// Starts a server with these lines in its configuration.
    pub fn start(settings: &str) -> Self {
        let folder = TempDir::new_in(files_folder()).unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
        let data = folder.path().join("data");
        execute(Command::new("cp").arg("-a").arg(template()).arg(&data));
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let lines = format!(
            "listen_addresses = '127.0.0.1'\nport = {port}\nunix_socket_directories = ''\n\
             fsync = off\nshared_buffers = 16MB\n\
             dynamic_shared_memory_type = mmap\n{settings}\n"
        );
        let settings = data.join("postgresql.conf");
        let mut file = fs::OpenOptions::new().append(true).open(settings).unwrap();
        file.write_all(lines.as_bytes()).unwrap();
        let process = program("postgres")
            .arg("-D")
            .arg(&data)
            .stdout(Stdio::null())
            .stderr(fs::File::create(folder.path().join("log")).unwrap())
            .spawn()
            .unwrap();
        let server = Self {
            folder,
            process,
            port,
        };
        server.wait();
        server
    }

    fn wait(&self) {
        for _ in 0..300 {
            let ready = self.psql("admin", "postgres", "SELECT 1").output().unwrap();
            if ready.status.success() {
                return;
            }
            #[expect(clippy::disallowed_methods, reason = "a test that waits for a server")]
            std::thread::sleep(Duration::from_millis(100));
        }
        let log = fs::read_to_string(self.folder.path().join("log")).unwrap();
        panic!("the server does not start: {log}");
    }

    fn psql(&self, role: &str, database: &str, statement: &str) -> Command {
        let mut command = program("psql");
        command
            .env("PGPASSWORD", PASSWORD)
            .args([
                "-X",
                "-A",
                "-t",
                "-q",
                "-h",
                "127.0.0.1",
                "-U",
                role,
                "-d",
                database,
            ])
            .args([
                "-v",
                "ON_ERROR_STOP=1",
                "-p",
                &self.port.to_string(),
                "-c",
                statement,
            ]);
        command
    }

    /// Executes a statement as the server's administrator; returns the output.
    pub fn admin(&self, database: &str, statement: &str) -> String {
        execute(&mut self.psql("admin", database, statement))
            .trim()
            .to_owned()
    }

    /// The same in the database of the tests.
    pub fn shop(&self, statement: &str) -> String {
        self.admin("shop", statement)
    }

    /// A small data set on it.
    pub fn options(&self) -> SqlOptions {
        let mut options = SqlOptions::new(
            &format!("127.0.0.1:{}", self.port),
            "shop",
            "headcount",
            Some(Password::new(PASSWORD)),
        );
        options.data_set = DataSet {
            documents: 2_345,
            categories: 7,
            body_bytes: 321,
            people: 1_100,
            seed: 5,
        };
        options
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn kill(&mut self) {
        // An immediate shutdown: connections are closed without notice.
        signal(&self.process, rustix::process::Signal::QUIT);
        let _ = self.process.wait();
    }
}

fn signal(process: &Child, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_child(process);
    let _ = rustix::process::kill_process(pid, signal);
}

impl Drop for Server {
    fn drop(&mut self) {
        signal(&self.process, rustix::process::Signal::INT);
        let _ = self.process.wait();
    }
}

/// A step (JSON), ready to be played.
pub fn step(text: &str) -> SqlStep {
    SqlStep::compile(&serde_json::from_str(text).unwrap()).unwrap()
}

/// One user with a connection, and what was timed of it.
pub struct Player {
    pub session: SqlSession,
    pub user: User,
    tasks: Tasks,
}

impl Player {
    pub async fn open(sql: &Sql, id: u32) -> Result<Self, Fault> {
        Self::open_with(sql, id, &Rc::new(WorkerContext::outside(2, NAMES.len()))).await
    }

    /// Like [`Self::open`], but shares `context` with other users, as those of a worker do.
    pub async fn open_with(sql: &Sql, id: u32, context: &Rc<WorkerContext>) -> Result<Self, Fault> {
        let mut user = User::new(id, 1, Rc::default(), Rc::clone(context));
        let tasks = context.tasks.clone();
        let session = sql.open(&mut user).await?;
        Ok(Self {
            session,
            user,
            tasks,
        })
    }

    /// Plays a step (JSON).
    pub async fn play(&mut self, text: &str) -> Result<Moved, Fault> {
        self.play_step(&step(text)).await
    }

    /// Plays a step that is ready.
    pub async fn play_step(&mut self, step: &SqlStep) -> Result<Moved, Fault> {
        self.user.begin_scenario();
        self.session.play(step, &mut self.user).await
    }

    /// Completed and failed tasks of this name.
    pub fn task_counts(&self, name: &str) -> (u64, u64) {
        let at = NAMES.iter().position(|known| *known == name).unwrap();
        let TaskTally {
            completed, failed, ..
        } = self.tasks.tallies()[at];
        (completed, failed)
    }
}

/// Runs a test on one thread, as workers do.
pub fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(work)
}
