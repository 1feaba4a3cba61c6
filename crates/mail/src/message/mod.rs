//! Messages whose every byte can be regenerated and checked, so that none needs to be kept.
//!
//! * [`body`]: the bytes of a message, in pieces.
//! * [`stamp`], [`part`]: who sent what; the contents derive from both.
//! * [`message`]: a whole message; [`checker`]: checks that a received one is as it was sent.
//! * [`table`]: the sizes of messages in the classic benchmarks.
//! * [`letter`]: a message in the workload's words; [`mime`]: what a person sees of any message.
//! * [`mark`]: what a gateway may add by rule.
//! * `contents`: what follows the header; `text`, `file`, `encoded`, `calendar`: contents of parts.
//! * `header`, `date`: the header. `mix`: mixes bits for variety.

pub mod body;
mod calendar;
pub mod checker;
mod contents;
mod date;
mod encoded;
mod file;

mod header;
pub mod letter;
pub mod mark;
#[expect(
    clippy::module_inception,
    reason = "the room is called by what is in it"
)]
pub mod message;
pub mod mime;
mod mix;
pub mod part;
pub mod stamp;
pub mod table;
mod text;

pub use body::Body;
pub use checker::{Checked, Checker, Place, Section, Verdict};
pub use letter::Letter;
pub use mark::{Added, Footer, Marks};
pub use message::Message;
pub use part::{Kind, Part};
pub use stamp::Stamp;
pub use table::Row;
