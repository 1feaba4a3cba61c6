//! Journeys: what steps of a workload take from replies and use in later requests.
//!
//! * [`variable`]: values that a workload declares, and how they are drawn; [`rows`]: values from
//!   files.
//! * [`files`]: files that steps send as they are.
//! * [`names`]: the variables of a plan while it is compiled; [`scope`]: their values for one user,
//!   which texts see as [`values`].
//! * [`template`]: text with placeholders; [`filter`]: how values are written into it.
//! * [`source`]: where in a reply a value is, with [`json`] and [`html`]; [`reply`]: what a
//!   protocol exposes of a reply, with [`entry`] for those of file servers.
//! * [`embedded`]: the resources that browsers fetch with an HTML page.
//! * [`predicate`]: what a value must be; [`capture`] and [`check`]: what steps do with values;
//!   [`condition`]: how a scenario continues.
//! * [`program`]: scripts, for what declarations cannot express.
//!
//! Nothing here knows users, time or protocols: the engine and the protocols bring them.

pub mod capture;
pub mod check;
pub mod condition;
pub mod embedded;
pub mod entry;
pub mod files;
pub mod filter;
mod generated;
pub mod html;
pub mod json;
pub mod names;
mod number;
mod placeholder;
pub mod predicate;
pub mod program;
mod quote;
pub mod reply;
pub mod rows;
pub mod scope;
pub mod source;
pub mod template;
pub mod values;
pub mod variable;

pub use capture::Capture;
pub use check::Check;
pub use condition::Condition;
pub use embedded::Embedded;
pub use entry::Entry;
pub use files::{Files, SentFile};
pub use names::Names;
pub use program::Program;
pub use reply::Reply;
pub use scope::{Identity, Scope};
pub use source::Realm;
pub use template::Template;
pub use variable::Variables;

/// Why text, a table or a path of a workload cannot be used, as a sentence.
pub type Mistake = String;

/// Makes the checks and captures of one step read JSON in one pass.
pub fn read_together(checks: &mut [&mut [Check]], captures: &mut [Capture]) {
    let of_checks = checks.iter_mut().flat_map(|list| list.iter_mut());
    let of_captures = captures.iter_mut().map(Capture::source);
    let sources = of_checks.map(Check::source).chain(of_captures);
    json::Path::join(sources.filter_map(source::Source::json));
}
