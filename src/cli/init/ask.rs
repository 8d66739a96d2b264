//! The dialogue: questions to whoever sits there, or stands behind a pipe. A wrong answer is explained and asked again,
//! the end of the input ends everything.

use std::io::{BufRead, IsTerminal};

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

use super::Stop;
use crate::cli::{exit, out};
use crate::config::Secret;
use crate::letters::Lang;

/// Who asks, in which language.
pub struct Dialogue {
    pub lang: Lang,
    /// `--yes`: every default is taken, and what has none is an error.
    pub silent: bool,
}

/// One question.
pub struct Question<'a> {
    pub words: &'a str,
    /// As the command line has it: `--address`.
    pub flag: &'a str,
    /// What the command line said.
    pub given: Option<&'a str>,
    /// Taken for an empty answer.
    pub default: Option<&'a str>,
}

impl Dialogue {
    pub fn words(&self, ru: &'static str, en: &'static str) -> &'static str {
        match self.lang {
            Lang::Ru => ru,
            Lang::En => en,
        }
    }

    /// Says something that is no question.
    ///
    /// # Errors
    /// When nobody can hear it.
    pub fn say(&self, words: &str) -> Result<(), Stop> {
        let written = out::say_through(|out| out.write_all(format!("{words}\n").as_bytes()));
        written
            .map_err(|error: std::io::Error| Stop::new(exit::UNAVAILABLE, format!("stdout can't be written: {error}")))
    }

    /// The answer, once `read` takes it; `read` gives the explanation for one that it does not take.
    ///
    /// # Errors
    /// What the command line said is wrong, nothing was said where something must be, or the input ended.
    pub fn ask<T>(&self, question: &Question<'_>, read: impl Fn(&str) -> Result<T, String>) -> Result<T, Stop> {
        if let Some(given) = question.given {
            return read(given).map_err(|why| Stop::usage(format!("{}: {why}", question.flag)));
        }
        if self.silent {
            let Some(default) = question.default else { return Err(self.missing(question.flag)) };
            return read(default).map_err(|why| Stop::usage(format!("{}: {why}", question.flag)));
        }
        loop {
            self.prompt(question.words, question.default)?;
            let line = self.line(question.flag)?;
            let answer = line.trim();
            let answer = match question.default {
                Some(default) if answer.is_empty() => default,
                _ => answer,
            };
            match read(answer) {
                Ok(value) => return Ok(value),
                Err(why) => self.say(&format!("  {why}"))?,
            }
        }
    }

    /// A secret: it is not shown while it is typed, and not trimmed.
    ///
    /// # Errors
    /// As [`Dialogue::ask`].
    pub fn ask_secret(&self, words: &str, flag: &str) -> Result<Secret, Stop> {
        if self.silent {
            return Err(self.missing(flag));
        }
        loop {
            self.prompt(words, None)?;
            let hidden = Hidden::begin();
            let line = self.line(flag);
            let was_hidden = hidden.is_some();
            drop(hidden);
            if was_hidden {
                // The line end was not shown either.
                self.say("")?;
            }
            let line = line?;
            if !line.trim().is_empty() {
                return Ok(Secret::new(line));
            }
            self.say(self.words("  Пароль пуст.", "  The password is empty."))?;
        }
    }

    fn prompt(&self, words: &str, default: Option<&str>) -> Result<(), Stop> {
        let default = default.map(|default| format!(" [{default}]")).unwrap_or_default();
        let written = out::say_through(|out| out.write_all(format!("{words}{default}: ").as_bytes()));
        written
            .map_err(|error: std::io::Error| Stop::new(exit::UNAVAILABLE, format!("stdout can't be written: {error}")))
    }

    fn line(&self, flag: &str) -> Result<String, Stop> {
        let mut line = String::new();
        match std::io::stdin().lock().read_line(&mut line) {
            Ok(0) => Err(Stop::usage(match self.lang {
                Lang::Ru => format!("ответы кончились раньше вопросов: не хватает {flag}. Ничего не записано."),
                Lang::En => format!("the answers ended before the questions: {flag} is missing. Nothing was written."),
            })),
            Ok(_) => Ok(line.trim_end_matches(['\r', '\n']).to_owned()),
            Err(error) => Err(Stop::usage(format!("the answer can't be read: {error}. Nothing was written."))),
        }
    }

    fn missing(&self, flag: &str) -> Stop {
        Stop::usage(match self.lang {
            Lang::Ru => format!("не хватает {flag}. Ничего не записано."),
            Lang::En => format!("{flag} is missing. Nothing was written."),
        })
    }
}

/// While it lives the terminal shows nothing of what is typed.
struct Hidden(Termios);

impl Hidden {
    /// None when the input is no terminal: nothing is shown anyway.
    fn begin() -> Option<Hidden> {
        let input = std::io::stdin();
        if !input.is_terminal() {
            return None;
        }
        let shown = tcgetattr(&input).ok()?;
        let mut hidden = shown.clone();
        hidden.local_modes.remove(LocalModes::ECHO);
        tcsetattr(&input, OptionalActions::Now, &hidden).ok()?;
        Some(Hidden(shown))
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        // A terminal that has gone needs nothing any more.
        let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, &self.0);
    }
}
