//! Texts of a workload: constant, or with a user's values in them.

use std::borrow::Cow;

use headcount_load::{Fault, User};
use headcount_script::{Names, Template};
use serde::Deserialize;

/// A text that may have placeholders. It is constant until [`Text::compile`] looks for them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub struct Text {
    written: Box<str>,
    /// None if there are no placeholders in it.
    template: Option<Template>,
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self {
            written: text.into(),
            template: None,
        }
    }
}

impl Text {
    /// Compiles placeholders. The error names the wrong one.
    pub(crate) fn compile(&mut self, names: &mut Names) -> Result<(), String> {
        let template = Template::parse(&self.written, names)?;
        if let Some(text) = template.text() {
            self.written = text.into(); // doubled braces stand for single ones
        } else {
            self.template = Some(template);
        }
        Ok(())
    }

    /// The text as the workload has it; without doubled braces if it is constant.
    pub(crate) const fn written(&self) -> &str {
        &self.written
    }

    /// Whether it is the same for all users.
    pub(crate) const fn is_constant(&self) -> bool {
        self.template.is_none()
    }

    /// The text of a user.
    pub(crate) fn of(&self, user: &mut User) -> Result<Cow<'_, str>, Fault> {
        match &self.template {
            None => Ok(Cow::Borrowed(&self.written)),
            Some(template) => Ok(Cow::Owned(template.render(user.scope())?)),
        }
    }
}
