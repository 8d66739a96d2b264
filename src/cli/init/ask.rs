//! The dialogue: questions to whoever sits there, or stands behind a pipe. A wrong answer is explained and asked again,
//! the end of the input ends everything.

use std::io::{BufRead, IsTerminal, Read};

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

/// The longest answer that anything asked for can have, in characters; an address has at most 254.
const LONGEST: usize = 320;
/// The longest line that is read, in bytes; a password may be longer than any other answer.
const LONGEST_LINE: u64 = 8 << 10;

/// A line that was typed.
enum Line {
    Text(String),
    /// Bytes that are no UTF-8.
    Unreadable,
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
        self.write(&format!("{words}\n"))
    }

    /// The answer, once `read` takes it; `read` gives the explanation for one that it does not take.
    ///
    /// # Errors
    /// What the command line said is wrong, nothing was said where something must be, or the input ended.
    pub fn ask<T>(&self, question: &Question<'_>, read: impl Fn(&str) -> Result<T, String>) -> Result<T, Stop> {
        let read = |answer: &str| self.fit(answer).and_then(|()| read(answer));
        if let Some(given) = question.given {
            return read(given.trim()).map_err(|why| self.wrong_flag(question.flag, &why));
        }
        if self.silent {
            let Some(default) = question.default else { return Err(self.missing(question.flag)) };
            return read(default).map_err(|why| self.wrong_flag(question.flag, &why));
        }
        loop {
            self.prompt(question.words, question.default)?;
            let Line::Text(line) = self.line(question.flag)? else {
                self.say(self.no_utf_8())?;
                continue;
            };
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
            match line? {
                Line::Text(line) if !line.trim().is_empty() => return Ok(Secret::new(line)),
                Line::Text(_) => self.say(self.words(
                    "  Пароль пуст: наберите его, или Ctrl-C, чтобы прервать.",
                    "  The password is empty: type it, or Ctrl-C to stop.",
                ))?,
                Line::Unreadable => self.say(self.no_utf_8())?,
            }
        }
    }

    fn prompt(&self, words: &str, default: Option<&str>) -> Result<(), Stop> {
        let default = default.map(|default| format!(" [{default}]")).unwrap_or_default();
        self.write(&format!("{words}{default}: "))
    }

    fn write(&self, words: &str) -> Result<(), Stop> {
        let written = out::say_through(|out| out.write_all(words.as_bytes()));
        written.map_err(|error: std::io::Error| {
            let said = match self.lang {
                Lang::Ru => format!("вывести текст не удалось: {error}. Ничего не записано."),
                Lang::En => format!("stdout can't be written: {error}. Nothing was written."),
            };
            Stop::new(exit::UNAVAILABLE, said)
        })
    }

    /// What no answer may hold, whatever was asked.
    fn fit(&self, answer: &str) -> Result<(), String> {
        if let Some(c) = answer.chars().find(|c| c.is_control()) {
            let c = c.escape_unicode();
            return Err(match self.lang {
                Lang::Ru => format!("В ответе есть управляющий знак ({c}): наберите его заново, без стрелок и Esc"),
                Lang::En => {
                    format!("There is a control character in the answer ({c}): type it again, without arrows and Esc")
                }
            });
        }
        if answer.chars().count() > LONGEST {
            return Err(match self.lang {
                Lang::Ru => format!("Слишком длинный ответ: больше {LONGEST} знаков не нужно нигде"),
                Lang::En => format!("The answer is too long: nothing here needs more than {LONGEST} characters"),
            });
        }
        Ok(())
    }

    fn no_utf_8(&self) -> &'static str {
        self.words(
            "  Ответ не в UTF-8: переключите терминал на UTF-8 и наберите его ещё раз.",
            "  The answer is not UTF-8: switch the terminal to UTF-8 and type it again.",
        )
    }

    /// What the command line said is wrong.
    fn wrong_flag(&self, flag: &str, why: &str) -> Stop {
        let stop = if why.ends_with(['.', '?']) { "" } else { "." };
        let nothing = self.words("Ничего не записано.", "Nothing was written.");
        Stop::usage(format!("{flag}: {why}{stop} {nothing}"))
    }

    fn line(&self, flag: &str) -> Result<Line, Stop> {
        let mut bytes = Vec::new();
        let read = std::io::stdin().lock().take(LONGEST_LINE).read_until(b'\n', &mut bytes);
        let stop = |ru: String, en: String| {
            Err(Stop::usage(match self.lang {
                Lang::Ru => format!("{ru}. Ничего не записано."),
                Lang::En => format!("{en}. Nothing was written."),
            }))
        };
        match read {
            Ok(0) => stop(
                format!("ответы кончились раньше вопросов: не хватает {flag}"),
                format!("the answers ended before the questions: {flag} is missing"),
            ),
            Ok(length) if u64::try_from(length).is_ok_and(|length| length >= LONGEST_LINE) => stop(
                format!("{flag}: в ответе больше {LONGEST_LINE} байт"),
                format!("{flag}: the answer has over {LONGEST_LINE} bytes"),
            ),
            Ok(_) => Ok(match String::from_utf8(bytes) {
                Ok(line) => Line::Text(line.trim_end_matches(['\r', '\n']).to_owned()),
                Err(_) => Line::Unreadable,
            }),
            Err(error) => stop(
                format!("{flag}: ответ не читается ({error})"),
                format!("{flag}: the answer can't be read ({error})"),
            ),
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
