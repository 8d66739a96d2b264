//! What the demo shows: letters as they fly, the results of each turn, where to look afterwards.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::demo::postbag::Fetched;
use crate::demo::{Options, Pace, TAG};
use crate::letters::Lang;

pub struct Screen<'a> {
    out: &'a mut dyn Write,
    lang: Lang,
    pace: Pace,
    zone: TimeZone,
    /// Nicks by address; everybody else is shown by what he is.
    names: BTreeMap<String, String>,
}

impl<'a> Screen<'a> {
    pub fn new(out: &'a mut dyn Write, options: &Options, names: BTreeMap<String, String>, zone: TimeZone) -> Self {
        Screen { out, lang: options.lang, pace: options.pace, zone, names }
    }

    pub fn opening(&mut self, options: &Options) -> io::Result<()> {
        let (players, seed, folder) = (options.players, options.seed, options.folder.display());
        match self.lang {
            Lang::Ru => writeln!(
                self.out,
                "Игра: {players} игроков, настоящий демон, почта в {folder}. Причуды игроков: --seed {seed}.\n"
            ),
            Lang::En => writeln!(
                self.out,
                "A game of {players} players, the real daemon, mail in {folder}. The players' whims: --seed {seed}.\n"
            ),
        }
    }

    /// `12:40  Ёжик → Омерта    Re: [demo] Ход 2 | Суд Линча - Nika`
    pub fn letter_in(&mut self, at: Timestamp, address: &str, subject: &str, line: &str) -> io::Result<()> {
        let time = at.to_zoned_datetime(self.zone.clone()).strftime("%H:%M").to_string();
        let who = self.name(address);
        let us = self.us();
        let route = format!("{who} → {us}");
        let said = if line.is_empty() { subject.to_owned() } else { format!("{subject} | {line}") };
        self.line(&format!("{time}  {route:<28} {said}"))
    }

    /// Letters of the daemon; many of one kind are one line.
    pub fn letters_out(&mut self, fetched: &[Fetched]) -> io::Result<()> {
        const SHOWN_SINGLY: usize = 3;
        let mut rest: Vec<&Fetched> = fetched.iter().collect();
        while let Some(first) = rest.first() {
            let key = |fetched: &Fetched| (fetched.letter.kind.clone(), fetched.letter.subject.clone());
            let same = key(first);
            let (group, others): (Vec<&Fetched>, Vec<&Fetched>) = if same.0 == "receipt" {
                (rest.drain(..1).collect(), rest)
            } else {
                rest.into_iter().partition(|fetched| key(fetched) == same)
            };
            rest = others;
            if group.len() > SHOWN_SINGLY {
                let many = match self.lang {
                    Lang::Ru => format!("{} адресатов", group.len()),
                    Lang::En => format!("{} readers", group.len()),
                };
                self.letter_out(&many, &same.1)?;
            } else {
                for fetched in group {
                    let name = self.name(&fetched.address);
                    self.letter_out(&name, &same.1)?;
                }
            }
        }
        Ok(())
    }

    pub fn turn(&mut self, turn: u16, deadline: Timestamp) -> io::Result<()> {
        let deadline = deadline.to_zoned_datetime(self.zone.clone()).strftime("%d.%m.%Y %H:%M").to_string();
        match self.lang {
            Lang::Ru => writeln!(self.out, "\n--- Ход {turn}, срок {deadline} ---")?,
            Lang::En => writeln!(self.out, "\n--- Turn {turn}, deadline {deadline} ---")?,
        }
        self.out.flush()
    }

    /// A letter that tells the story, whole.
    pub fn story(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out)?;
        for line in text.trim().lines() {
            writeln!(self.out, "{}", format!("    {line}").trim_end())?;
        }
        self.breathe(4);
        self.out.flush()
    }

    pub fn ending(&mut self, folder: &Path, letters_in: usize, letters_out: usize) -> io::Result<()> {
        let config = folder.join("config.toml");
        let (config, folder) = (config.display(), folder.display());
        match self.lang {
            Lang::Ru => writeln!(
                self.out,
                "\nИгроки написали {letters_in} писем и получили {letters_out}. Всё осталось здесь:\n  \
                 {folder}/mail/in   письма игроков\n  \
                 {folder}/mail/out  письма каждому: на каждый адрес папка Maildir, её откроет почтовая программа (mutt -R -f)\n  \
                 omerta --config {config} game show {TAG}\n  \
                 omerta --config {config} letters {TAG}\n  \
                 omerta --config {config} export {TAG}"
            ),
            Lang::En => writeln!(
                self.out,
                "\nThe players wrote {letters_in} letters and got {letters_out}. All of it is still here:\n  \
                 {folder}/mail/in   the players' letters\n  \
                 {folder}/mail/out  letters to each, by address: open any as a Maildir\n  \
                 omerta --config {config} game show {TAG}\n  \
                 omerta --config {config} letters {TAG}\n  \
                 omerta --config {config} export {TAG}"
            ),
        }
    }

    fn letter_out(&mut self, to: &str, subject: &str) -> io::Result<()> {
        let route = format!("{} → {to}", self.us());
        self.line(&format!("       {route:<28} {subject}"))
    }

    fn line(&mut self, text: &str) -> io::Result<()> {
        const WIDTH: usize = 110;
        let short: String = text.chars().take(WIDTH).collect();
        let more = if text.chars().count() > WIDTH { "…" } else { "" };
        writeln!(self.out, "{short}{more}")?;
        self.breathe(1);
        self.out.flush()
    }

    #[expect(clippy::disallowed_methods, reason = "the demo waits for its reader, and for nothing else")]
    fn breathe(&self, steps: u32) {
        const STEP: Duration = Duration::from_millis(250);
        if self.pace == Pace::Slow {
            std::thread::sleep(STEP.saturating_mul(steps));
        }
    }

    fn us(&self) -> &'static str {
        match self.lang {
            Lang::Ru => "Омерта",
            Lang::En => "Omerta",
        }
    }

    fn name(&self, address: &str) -> String {
        self.names.get(address).cloned().unwrap_or_else(|| address.to_owned())
    }
}
