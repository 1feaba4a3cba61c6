//! The load engine: virtual users, their pace, and what is recorded about them.
//!
//! A run is started from a [`plan::Plan`] and a [`protocol::Protocol`]. It has one worker thread
//! per core; each worker owns its share of the users and shares nothing with the others while they
//! run. Read the modules in this order:
//!
//! * [`plan`] and [`compiled`]: what users do, as data; [`flow`], [`compiler`] and [`scripted`]:
//!   which steps they play; [`pace`]: when they do it.
//! * [`turns`]: programs that users follow instead of drawing what they do.
//! * [`protocol`]: what a protocol implements; [`pair`]: two of them at once; [`user`]: what a
//!   protocol knows about its user.
//! * [`life`]: one user's life, from joining to leaving; [`lines`]: which line it is on.
//! * [`worker`]: one thread with its users; [`roster`]: which of them are busy; [`timers`] and
//!   [`clock`]: how they wait.
//! * [`context`]: what the users of a worker share; [`stopwatch`]: how sessions count.
//! * [`recorder`], [`requests`] and [`tasks`]: what a worker counts; [`report`] and [`mailbox`]:
//!   how it hands that over.
//! * [`run`]: all workers together; [`intervals`]: the sums of their reports; [`snapshot`]: the
//!   state of the run.
//!
//! [`trace`] keeps what one user did, for people who try a workload.
//!
//! [`password`] and [`pattern`] are parts of protocols' options; [`provision`] is how protocols
//! make what a run needs in advance. [`target`] is what a server is asked outside a run, and
//! [`blame`] who has to fix an error.
//!
//! Nothing in this crate names a protocol.

mod around;
mod attempt;
pub mod blame;
pub mod clock;
pub mod compiled;
pub mod compiler;
pub mod context;
mod crowd;
pub mod distribution;
mod entry;
pub mod fault;
pub mod flow;
mod idle;
pub mod intervals;
pub mod life;
pub mod limits;
pub mod lines;
pub mod local_address;
pub mod logins;
pub mod mailbox;
pub mod moments;
pub mod orders;
pub mod pace;
pub mod pair;
pub mod parcel;
pub mod password;
pub mod pattern;
pub mod plan;
pub mod plan_error;
pub mod protocol;
pub mod provision;
pub mod recorder;
pub mod rehearsal;
pub mod report;
pub mod requests;
pub mod roster;
pub mod run;
pub mod scripted;
pub mod seat;
mod section;
pub mod share;
pub mod snapshot;
pub mod stopwatch;
pub mod stream;
mod sync;
mod tallies;
pub mod target;
pub mod tasks;
pub mod timers;
pub mod times;
pub mod trace;
pub mod turns;
mod unit;
pub mod user;
mod v2;
pub mod worker;

pub use blame::{Blame, Blamed};
pub use fault::{Fault, FaultKind};
pub use headcount_script::Files;
pub use logins::Logins;
pub use orders::Orders;
pub use pair::Pair;
pub use parcel::{Gathering, ParcelError};
pub use password::Password;
pub use pattern::Pattern;
pub use plan::Plan;
pub use plan_error::{PlanError, PlanMistake};
pub use protocol::{Compile, Moved, Protocol, RollBack, Session};
pub use requests::Requests;
pub use run::Run;
pub use snapshot::{Interval, Snapshot};
pub use stopwatch::Stopwatch;
pub use target::Target;
pub use tasks::Tasks;
pub use turns::Turns;
pub use user::User;
