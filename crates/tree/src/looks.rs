//! The captures and checks of steps on files.

use std::sync::Arc;

use headcount_load::{Fault, FaultKind, User};
use headcount_script::{Capture, Check, Names, Realm, Reply};
use serde_json::{Map, Value};

use crate::query::Query;

/// The captures and checks of a step; most steps have none. Equal only if they are the same object.
#[derive(Debug, Clone, Default)]
pub struct Looks(Option<Arc<Looked>>);

#[derive(Debug)]
struct Looked {
    captures: Box<[Capture]>,
    checks: Box<[Check]>,
    needs_body: bool,
    needs_attributes: bool,
}

impl PartialEq for Looks {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        }
    }
}

impl Eq for Looks {}

impl Looks {
    /// Takes `capture` and `check` out of the options of a step whose answer has something to look
    /// at. The error names the key.
    pub(crate) fn taken(
        options: &mut Map<String, Value>,
        names: &mut Names,
    ) -> Result<Self, String> {
        let realm = match options.get("op").and_then(Value::as_str) {
            Some("list" | "stat" | "inspect") => Realm::Entries,
            Some("read") => Realm::Text,
            _ => return Ok(Self::default()),
        };
        let (capture, check) = (options.remove("capture"), options.remove("check"));
        if capture.is_none() && check.is_none() {
            return Ok(Self::default());
        }
        let by_name = capture.as_ref().and_then(Value::as_object);
        let in_order = check.as_ref().and_then(Value::as_array);
        let mut sources = by_name
            .into_iter()
            .flat_map(Map::values)
            .chain(in_order.into_iter().flatten());
        // The size of what was read is known without its contents.
        let needs_body = sources.any(|source| source.get("of").is_none_or(|of| of != "size"));
        let captures = capture.map(|table| Capture::compile(&table, realm, names));
        let checks = check.map(|list| Check::compile(&list, realm, names));
        let mut captures = captures.transpose()?.unwrap_or_default();
        let mut checks = checks.transpose()?.unwrap_or_default();
        headcount_script::read_together(&mut [&mut checks], &mut captures);
        Ok(Self(Some(Arc::new(Looked {
            needs_body,
            needs_attributes: captures.iter().any(Capture::needs_attributes)
                || checks.iter().any(Check::needs_attributes),
            captures,
            checks,
        }))))
    }

    /// An error if answers of this class lack what captures and checks look at.
    pub(crate) fn check_class(&self, class: Query) -> Result<(), String> {
        let says_all = matches!(class, Query::All | Query::NetworkOpen);
        if says_all || self.is_empty() {
            return Ok(());
        }
        Err("class: captures and checks look at answers of the class all or network-open".into())
    }

    /// Whether nothing is looked at.
    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Whether the contents are looked at.
    pub(crate) fn needs_body(&self) -> bool {
        self.0.as_ref().is_some_and(|looked| looked.needs_body)
    }

    /// Whether more than the names of files is looked at.
    pub(crate) fn needs_attributes(&self) -> bool {
        self.0
            .as_ref()
            .is_some_and(|looked| looked.needs_attributes)
    }

    /// Checks an answer, and takes captures from it.
    pub(crate) fn inspect(&self, reply: &dyn Reply, user: &mut User) -> Result<(), Fault> {
        let Some(looked) = &self.0 else {
            return Ok(());
        };
        let wrong = |sentence: String| Fault::step(FaultKind::Refused, sentence);
        // Checks first: they say more about a wrong answer than a missing value does.
        for check in &looked.checks {
            check.judge(reply, user.scope()).map_err(wrong)?;
        }
        for capture in &looked.captures {
            capture.take(reply, user.scope()).map_err(wrong)?;
        }
        Ok(())
    }
}
