//! The load engine: virtual users, their pace, and what is recorded about them.
//!
//! A run is started from a [`plan::Plan`] and a [`protocol::Protocol`]. It has one worker thread a
//! core; each worker owns its share of the users and shares nothing with the others while they
//! run. Read the modules in this order:
//!
//! * [`plan`]: what users do, as data, and [`compiled`]; [`flow`]: which steps of it, by their [`compiler`], and [`scripted`]:
//!   where a script decides that; [`pace`]: when they do it.
//! * [`turns`]: programs that users follow instead of drawing what they do.
//! * [`protocol`]: the seam that a protocol fills, and [`pair`]: two of them at once; [`user`]: what it is told about its user.
//! * [`life`]: one user's life, from joining to leaving; [`lines`]: which line it reaches the server by.
//! * [`worker`]: one thread with its users; [`roster`]: which of them are busy; [`timers`] and [`clock`]: how they wait.
//! * [`context`]: what the users of a worker share; [`stopwatch`]: how sessions count.
//! * [`recorder`], [`requests`] and [`tasks`]: what a worker counts; [`report`] and [`mailbox`]: how it
//!   hands that over.
//! * [`run`]: all workers together; [`intervals`]: what their reports add up to; [`snapshot`]: how the
//!   run stands.
//!
//! [`trace`] is what one user did, for somebody who tries a workload.
//!
//! [`password`] and [`pattern`] are what options of protocols consist of; [`provision`] is how they
//! make what a run needs beforehand. [`target`] is what is asked of a server outside of a run, and
//! [`blame`] whose an error is to mend.
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
