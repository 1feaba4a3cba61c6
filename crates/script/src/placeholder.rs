//! A placeholder in a text: `{token}`, `{n:05}`, `{word|url}`.

use std::fmt::Write;

use crate::Mistake;
use crate::filter::Filter;
use crate::generated::{since_1970_ms, utc, uuid};
use crate::names::{Known, Names, Slot, is_name};
use crate::number::as_number;
use crate::values::{Missing, Values};

/// A placeholder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    what: What,
    form: Form,
    filters: Box<[Filter]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Number,
    Iteration,
    Uuid,
    Now,
    NowSeconds,
    NowMilliseconds,
    Username,
    Password,
    Kept(Slot),
    Fresh(u16),
}

/// What follows the name: `{n:05}`, `{quantity:number}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    AsItIs,
    /// At least this many digits.
    Digits(usize),
    /// It must be a number of JSON.
    Number,
}

/// The most digits to which a number is padded.
const MOST_DIGITS: usize = 20;

impl Place {
    /// Whether filters decide how the value is written.
    pub(crate) const fn has_filters(&self) -> bool {
        !self.filters.is_empty()
    }

    /// Whether it is for a number.
    pub(crate) fn is_number(&self) -> bool {
        self.form == Form::Number
    }

    /// Parses what is between the braces.
    pub(crate) fn parse(inside: &str, names: &mut Names) -> Result<Self, Mistake> {
        let mut pieces = inside.split('|');
        let head = pieces.next().unwrap_or_default();
        let (name, form) = match head.split_once(':') {
            None => (head, Form::AsItIs),
            Some((name, form)) => (name, Form::parse(form, inside)?),
        };
        let filters = pieces.map(|piece| {
            Filter::named(piece.trim()).ok_or_else(|| {
                let known: Vec<_> = Filter::ALL.iter().map(|(name, _)| *name).collect();
                format!(
                    "{{{inside}}}: \"{}\" is not a filter; the filters are {}",
                    piece.trim().escape_default(),
                    known.join(", ")
                )
            })
        });
        Ok(Self {
            what: What::named(name, inside, names)?,
            form,
            filters: filters.collect::<Result<_, _>>()?,
        })
    }

    /// Appends the value of a user.
    pub(crate) fn write(&self, scope: &mut dyn Values, out: &mut String) -> Result<(), Missing> {
        if self.form == Form::AsItIs && self.filters.is_empty() {
            return self.what.write(scope, out);
        }
        let mut value = String::new();
        self.what.write(scope, &mut value)?;
        match self.form {
            Form::AsItIs => {}
            Form::Digits(digits) => value = format!("{value:0>digits$}"),
            Form::Number if as_number(&value).is_some() => {}
            Form::Number => return Err(Missing::NotANumber(value.into())),
        }
        for filter in &self.filters {
            let mut changed = String::with_capacity(value.len());
            filter.write(&value, &mut changed);
            value = changed;
        }
        out.push_str(&value);
        Ok(())
    }
}

impl Form {
    fn parse(form: &str, inside: &str) -> Result<Self, Mistake> {
        if form == "number" {
            return Ok(Self::Number);
        }
        let digits = form
            .strip_prefix('0')
            .and_then(|digits| digits.parse().ok());
        digits
            .filter(|digits| (1..=MOST_DIGITS).contains(digits))
            .map(Self::Digits)
            .ok_or_else(|| {
                format!(
                    "{{{}}}: after the colon comes \"number\", or 0 and the number of digits, as in \
                     {{n:05}}",
                    inside.escape_default()
                )
            })
    }
}

impl What {
    fn named(name: &str, inside: &str, names: &mut Names) -> Result<Self, Mistake> {
        Ok(match name {
            "n" => Self::Number,
            "iteration" => {
                names.mention_drawn();
                Self::Iteration
            }
            "uuid" => {
                names.mention_drawn();
                Self::Uuid
            }
            "now" => Self::Now,
            "now_s" => Self::NowSeconds,
            "now_ms" => Self::NowMilliseconds,
            "username" => {
                names.mention_identity();
                Self::Username
            }
            "password" => {
                names.mention_identity();
                Self::Password
            }
            _ if !name.split('.').all(is_name) || name.matches('.').count() > 1 => {
                return Err(format!(
                    "{{{}}} is not a placeholder: it looks like {{token}}, {{customer.email}} or \
                     {{n:05}}; to send a brace before a letter, double it: {{{{",
                    inside.escape_default()
                ));
            }
            _ => match names.mention(name)? {
                Known::Kept(slot) => Self::Kept(slot),
                Known::Fresh(variable) => Self::Fresh(variable),
            },
        })
    }

    fn write(self, scope: &mut dyn Values, out: &mut String) -> Result<(), Missing> {
        let written = match self {
            Self::Number => write!(out, "{}", scope.number()),
            Self::Iteration => write!(out, "{}", scope.iteration()),
            Self::Uuid => write!(out, "{}", uuid(scope.bits(), scope.bits())),
            Self::Now => write!(out, "{}", utc(since_1970_ms() / 1000)),
            Self::NowSeconds => write!(out, "{}", since_1970_ms() / 1000),
            Self::NowMilliseconds => write!(out, "{}", since_1970_ms()),
            Self::Username => write!(out, "{}", scope.identity()?.name),
            Self::Password => write!(out, "{}", scope.identity()?.password),
            Self::Kept(slot) => return scope.write(slot, out),
            Self::Fresh(variable) => return scope.write_fresh(variable, out),
        };
        let _ = written; // a string takes everything
        Ok(())
    }
}
