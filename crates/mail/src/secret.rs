//! Passwords that servers echo.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use headcount_load::{Fault, Password};

/// The fault of this command without the password, in case the server has echoed it in any of the
/// forms in which it is sent.
pub fn without(fault: Fault, command: &str, user: &str, password: &Password) -> Fault {
    let secret = password.reveal();
    let forms = [
        secret.to_owned(),
        secret.replace('\\', "\\\\").replace('"', "\\\""),
        STANDARD.encode(secret),
        plain(user, password),
    ];
    let is_repeated = |form: &String| fault.message.contains(&shown(form));
    if secret.is_empty() || !forms.iter().any(is_repeated) {
        return fault;
    }
    Fault {
        message: format!("{command}: the server refuses, and repeats the password").into(),
        ..fault
    }
}

/// The answer of the mechanism PLAIN (RFC 4616), in base64.
pub fn plain(user: &str, password: &Password) -> String {
    STANDARD.encode(["", user, password.reveal()].join("\0"))
}

/// A text as messages show it.
fn shown(text: &str) -> String {
    let mut shown = String::new();
    for character in text.chars() {
        if character.is_control() {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use headcount_load::FaultKind;

    use super::*;

    fn message(text: &str, password: &str) -> String {
        let fault = Fault::session(FaultKind::Login, text);
        let fault = without(fault, "AUTH", "u", &Password::new(password));
        fault.message.into_string()
    }

    #[test]
    fn a_password_is_hidden_in_every_form() {
        let password = "ses\"ame";
        let forms = [
            password.to_owned(),
            "ses\\\"ame".to_owned(),
            STANDARD.encode(password),
            plain("u", &Password::new(password)),
        ];
        for form in forms {
            assert_eq!(
                message(&format!("501 what is {form}?"), password),
                "AUTH: the server refuses, and repeats the password"
            );
        }
        assert_eq!(message("535 wrong", password), "535 wrong");
        assert_eq!(message("535 wrong", ""), "535 wrong");
    }
}
