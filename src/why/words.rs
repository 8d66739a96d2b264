//! The steps in words, in the game's language. Every line begins with a number and a word that begins no request.

use jiff::Timestamp;

use super::{About, Chapter, Step, Story, clauses, english, russian};
use crate::letters::Lang;
use crate::letters::glossary;
use crate::letters::phrase::{self, Telling};
use crate::rules::report::Cause;
use crate::rules::{Kind, PlayerId};

/// A chapter in words: its heading, and its steps with their clauses.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Said {
    pub heading: String,
    pub steps: Vec<SaidStep>,
}

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct SaidStep {
    pub said: String,
    pub clauses: Vec<&'static str>,
}

/// The first line of the whole: what it is, and that it is for the host's eyes.
pub fn title(story: &Story, now: Timestamp) -> String {
    let speaker = Speaker::new(story, now);
    match speaker.lang {
        Lang::Ru => format!(
            "[{}] Разбор хода {}. Ниже роли и заявки: это только для ведущего, игрокам не показывать.",
            story.table.tag, story.turn
        ),
        Lang::En => format!(
            "[{}] Turn {} explained. Roles and requests follow: for the host alone, not to be shown to players.",
            story.table.tag, story.turn
        ),
    }
}

/// `now` only decides how times are told: those of another day with their date.
pub fn say(story: &Story, chapters: &[Chapter], now: Timestamp) -> Vec<Said> {
    let speaker = Speaker::new(story, now);
    let step = |step: &Step| SaidStep { said: speaker.step(step), clauses: clauses(step) };
    let said = |chapter: &Chapter| Said {
        heading: speaker.heading(chapter.about),
        steps: chapter.steps.iter().map(step).collect(),
    };
    chapters.iter().map(said).collect()
}

/// Plain text: a heading, then a numbered line a step.
pub fn plain(said: &[Said]) -> String {
    let mut text = String::new();
    for chapter in said {
        text.push_str(&format!("\n{}\n", chapter.heading));
        for (number, step) in (1..).zip(&chapter.steps) {
            let clauses =
                if step.clauses.is_empty() { String::new() } else { format!(" ({})", step.clauses.join(", ")) };
            text.push_str(&format!("{number}. {}{clauses}.\n", step.said));
        }
    }
    text
}

/// What both languages need to name people, times and requests.
pub struct Speaker<'s> {
    pub story: &'s Story,
    pub lang: Lang,
    telling: Telling,
}

impl<'s> Speaker<'s> {
    fn new(story: &'s Story, now: Timestamp) -> Speaker<'s> {
        let lang = story.table.lang;
        Speaker { story, lang, telling: Telling { lang, zone: story.table.zone.clone(), now } }
    }

    fn heading(&self, about: About) -> String {
        match self.lang {
            Lang::Ru => russian::heading(self, about),
            Lang::En => english::heading(self, about),
        }
    }

    fn step(&self, step: &Step) -> String {
        match self.lang {
            Lang::Ru => russian::step(self, step),
            Lang::En => english::step(self, step),
        }
    }

    pub fn nick(&self, who: PlayerId) -> &str {
        self.story.table.nick(who)
    }

    /// «Глеб (комиссар Каттани)».
    pub fn person(&self, who: PlayerId) -> String {
        match self.story.table.game.role(who) {
            Some(role) => format!("{} ({})", self.nick(who), glossary::role(self.lang, role)),
            None => self.nick(who).to_owned(),
        }
    }

    /// The same at the beginning of a line, where a nick alone might read as a request.
    pub fn subject(&self, who: PlayerId) -> String {
        match self.lang {
            Lang::Ru => format!("Игрок {}", self.person(who)),
            Lang::En => format!("Player {}", self.person(who)),
        }
    }

    pub fn people(&self, who: &[PlayerId]) -> String {
        let people: Vec<String> = who.iter().map(|who| self.person(*who)).collect();
        phrase::enumeration(self.lang, &people)
    }

    pub fn nicks(&self, who: &[PlayerId]) -> String {
        let nicks: Vec<String> = who.iter().map(|who| self.nick(*who).to_owned()).collect();
        phrase::enumeration(self.lang, &nicks)
    }

    pub fn arrival(&self, second: i64) -> String {
        Timestamp::from_second(second).map_or_else(|_| "?".to_owned(), |at| self.telling.arrival(at))
    }

    /// «Поиск - Глеб», as the request is written; `unknown` stands for a nick that fits nobody.
    pub fn request(&self, kind: Kind, target: Option<PlayerId>, unknown: &str) -> String {
        let nick = target.map_or(unknown, |target| self.nick(target));
        let example = glossary::example(self.lang, kind);
        let filled = example.replace("‹ник›", nick).replace("‹nick›", nick);
        // A text is not the host's to know.
        filled.replace(": ‹текст›", "").replace(": ‹text›", "")
    }

    pub fn causes(&self, causes: &[Cause]) -> String {
        let causes: Vec<String> = causes.iter().map(|cause| glossary::cause(self.lang, *cause).to_owned()).collect();
        causes.join(", ")
    }
}
