//! The data set: a tree of pages whose every byte can be checked.
//!
//! * [`set`]: which pages there are, and what they are called; [`suite`]: those of published
//!   benchmarks.
//! * [`content`]: their contents; [`cgi`]: the same, made by a program on the server.
//! * [`deck`]: drawing pages; [`tree`]: the pages as files in a folder; [`sweep`]: deleting them.

pub mod cgi;
pub mod content;
pub mod deck;
pub mod set;
pub mod splitmix;
pub mod suite;
pub mod sweep;
pub mod tree;
mod words;

pub use content::Content;
pub use deck::{Deck, Group, Which};
pub use set::{Class, Directories, Page, PageSet};
