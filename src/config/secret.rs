//! Passwords: where they come from, and a type that does not print.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::plain::{LONGEST_SECRET, PlainFault, read_plain};

/// A text that never prints: its `Debug` is `***`, and it has no `Display`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn new(text: impl Into<String>) -> Secret {
        Secret(text.into())
    }

    /// The secret itself: for the one place that needs it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// The way to a password. It is walked at each login, so that a changed password needs no restart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Password {
    /// `password_file`: its first line.
    File(PathBuf),
    /// `password_command`: the first line that it prints.
    Command(Vec<String>),
    /// `password_env`: the name of a variable.
    Env(String),
    /// `password_credential`: the name of a systemd credential.
    Credential(String),
    /// `password`: in the config itself.
    Plain(Secret),
    /// `oauth2_token_command`: prints an access token for XOAUTH2.
    Oauth2Command(Vec<String>),
}

/// Why there is no password. It never holds any part of one.
#[derive(Debug, thiserror::Error)]
pub enum SecretFault {
    #[error("{key}: {path} {error}. Write the password into that file, on one line.")]
    File { key: &'static str, path: String, error: PlainFault },
    #[error("{key}: {path} is no UTF-8 text. Write the password into that file, on one line.")]
    NoText { key: &'static str, path: String },
    #[error("{key}: the command {command:?} cannot be run: {error}. Try it in a shell as the user who runs omerta.")]
    Command { key: &'static str, command: String, error: std::io::Error },
    #[error("{key}: the command {command:?} ended with {status}. Try it in a shell as the user who runs omerta.")]
    Status { key: &'static str, command: String, status: std::process::ExitStatus },
    #[error("{key}: the variable {name} is not set. Set it where omerta is started.")]
    Unset { key: &'static str, name: String },
    #[error("{key}: the password is empty. Write it where the key points.")]
    Empty { key: &'static str },
}

impl Password {
    /// The key in config.toml.
    pub fn key(&self) -> &'static str {
        match self {
            Password::File(_) => "password_file",
            Password::Command(_) => "password_command",
            Password::Env(_) => "password_env",
            Password::Credential(_) => "password_credential",
            Password::Plain(_) => "password",
            Password::Oauth2Command(_) => "oauth2_token_command",
        }
    }

    /// True when the secret is an access token for XOAUTH2 and no password.
    pub fn is_token(&self) -> bool {
        matches!(self, Password::Oauth2Command(_))
    }

    /// Fetches the secret. `variable` looks up the environment (`cli::load::variable`). Blocking: files and commands.
    ///
    /// # Errors
    /// When there is no secret at the end of the way; the error names the key and the cure.
    pub fn read(&self, variable: impl Fn(&str) -> Option<OsString>) -> Result<Secret, SecretFault> {
        let key = self.key();
        let text = match self {
            Password::File(path) => read_file(key, path.clone())?,
            Password::Command(command) | Password::Oauth2Command(command) => run(key, command)?,
            Password::Env(name) => text_of(key, name, variable(name))?,
            Password::Credential(name) => {
                let folder = "CREDENTIALS_DIRECTORY";
                read_file(key, PathBuf::from(text_of(key, folder, variable(folder))?).join(name))?
            }
            Password::Plain(secret) => secret.0.clone(),
        };
        let line = text.lines().next().unwrap_or_default();
        if line.is_empty() { Err(SecretFault::Empty { key }) } else { Ok(Secret::new(line)) }
    }
}

fn read_file(key: &'static str, path: PathBuf) -> Result<String, SecretFault> {
    let shown = || path.display().to_string();
    let bytes = read_plain(&path, LONGEST_SECRET).map_err(|error| SecretFault::File { key, path: shown(), error })?;
    String::from_utf8(bytes).map_err(|_| SecretFault::NoText { key, path: shown() })
}

fn text_of(key: &'static str, name: &str, value: Option<OsString>) -> Result<String, SecretFault> {
    let unset = || SecretFault::Unset { key, name: name.to_owned() };
    value.and_then(|value| value.into_string().ok()).ok_or_else(unset)
}

fn run(key: &'static str, command: &[String]) -> Result<String, SecretFault> {
    let name = command.first().cloned().unwrap_or_default();
    let output = Command::new(&name)
        .args(command.iter().skip(1))
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| SecretFault::Command { key, command: name.clone(), error })?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(SecretFault::Status { key, command: name, status: output.status })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing(_: &str) -> Option<OsString> {
        None
    }

    #[test]
    fn a_secret_does_not_print() {
        let password = Password::Plain(Secret::new("hunter2"));
        assert_eq!(format!("{password:?}"), "Plain(***)");
        assert_eq!(password.read(nothing).unwrap().reveal(), "hunter2");
    }

    #[test]
    fn a_file_gives_its_first_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        std::fs::write(&path, "пароль с пробелом \r\nsecond\n").unwrap();
        assert_eq!(Password::File(path.clone()).read(nothing).unwrap().reveal(), "пароль с пробелом ");
        std::fs::write(&path, "\n").unwrap();
        assert!(matches!(Password::File(path.clone()).read(nothing), Err(SecretFault::Empty { .. })));
        std::fs::remove_file(&path).unwrap();
        let fault = Password::File(path).read(nothing).unwrap_err().to_string();
        assert!(fault.starts_with("password_file: ") && fault.contains("cannot be read"), "{fault}");
    }

    #[test]
    fn a_command_gives_its_first_line_and_its_failure_is_told() {
        let print = ["printf", "token\nmore"].map(str::to_owned).to_vec();
        assert_eq!(Password::Oauth2Command(print).read(nothing).unwrap().reveal(), "token");
        let fail = Password::Command(vec!["false".to_owned()]).read(nothing).unwrap_err().to_string();
        assert!(fail.contains("ended with exit status: 1"), "{fail}");
        let absent = Password::Command(vec!["/nowhere/at-all".to_owned()]).read(nothing).unwrap_err().to_string();
        assert!(absent.contains("cannot be run"), "{absent}");
    }

    #[test]
    fn variables_and_credentials_are_looked_up() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("imap"), "s3cret").unwrap();
        let variable = |name: &str| match name {
            "CREDENTIALS_DIRECTORY" => Some(folder.path().as_os_str().to_owned()),
            "MAIL_PASSWORD" => Some(OsString::from("from-env")),
            _ => None,
        };
        assert_eq!(Password::Credential("imap".to_owned()).read(variable).unwrap().reveal(), "s3cret");
        assert_eq!(Password::Env("MAIL_PASSWORD".to_owned()).read(variable).unwrap().reveal(), "from-env");
        assert!(matches!(Password::Env("OTHER".to_owned()).read(variable), Err(SecretFault::Unset { .. })));
    }
}
