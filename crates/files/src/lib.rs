//! POSIX files below a folder, as users of a file server work with them: on a disk of this machine,
//! or mounted from another one over NFS or SMB.
//!
//! The steps and the data set are those of the SMB client (`headcount_tree`), so the same workload
//! runs on either. `docs/files.md` says which system calls each step becomes. Read the modules in
//! this order:
//!
//! * [`options`]: which folder, and in which way.
//! * [`client`]: virtual users, playing their steps.
//! * `calls`: the system calls, each below the folder whatever symbolic links say, and counted.
//! * `io`: how calls are made without keeping the worker waiting: a ring of the kernel, or threads.
//! * [`provision`]: making and deleting the data sets of many users.

mod calls;
pub mod client;
mod errno;
mod io;
pub mod options;
pub mod provision;
mod sync;
mod target;

pub use client::{Files, FilesError};
pub use options::{Engine, FilesOptions, Mode};
