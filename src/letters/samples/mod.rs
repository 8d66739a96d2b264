//! A letter of every kind with invented facts: templates are tried with them at load, `letters preview` shows them,
//! and the snapshots in tests/letters are made of them.

mod answers;
mod private;
mod signup;
mod turns;

use jiff::Timestamp;

use super::{CheckResult, GameName, Heading, Lang, Letter, RoleCard};
use crate::rules::Role;
use crate::rules::report::Status;

/// One sample: its name (the snapshot's file), the heading and the letter.
pub type Sample = (String, Heading, Letter);

/// Every kind of letter, with every variant that reads differently.
pub fn named(lang: Lang) -> Vec<Sample> {
    let mut samples = Vec::new();
    private::beginning(lang, &mut samples);
    answers::receipts(lang, &mut samples);
    answers::answers(lang, &mut samples);
    answers::strangers(lang, &mut samples);
    signup::signup(lang, &mut samples);
    answers::questions(lang, &mut samples);
    private::private(lang, &mut samples);
    private::replacement(lang, &mut samples);
    private::discipline(lang, &mut samples);
    private::relayed(lang, &mut samples);
    turns::notices(lang, &mut samples);
    turns::summaries(lang, &mut samples);
    turns::previews(lang, &mut samples);
    turns::endings(lang, &mut samples);
    turns::alerts(lang, &mut samples);
    samples
}

/// [`named`] without the names.
pub fn all(lang: Lang) -> Vec<(Heading, Letter)> {
    named(lang).into_iter().map(|(_, heading, letter)| (heading, letter)).collect()
}

fn add(samples: &mut Vec<Sample>, lang: Lang, name: &str, letter: Letter) {
    samples.push((name.to_owned(), heading(lang, 3), letter));
}

fn heading(lang: Lang, turn: u16) -> Heading {
    Heading {
        lang,
        game: Some(GameName { tag: "palermo".to_owned(), title: "Палермо, зима".to_owned() }),
        turn,
        zone: "Europe/Moscow".to_owned(),
        now: arrived(),
        host_name: if lang == Lang::Ru { "Ведущая" } else { "Irina" }.to_owned(),
    }
}

/// Tuesday, 2 December 2025, 15:40:12 in Moscow.
fn arrived() -> Timestamp {
    Timestamp::constant(1_764_679_212, 0)
}

/// The same day, 21:00.
fn deadline() -> Timestamp {
    Timestamp::constant(1_764_698_400, 0)
}

/// A day later.
fn next_deadline() -> Timestamp {
    Timestamp::constant(1_764_784_800, 0)
}

fn s(text: &str) -> String {
    text.to_owned()
}

fn all_of(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| s(text)).collect()
}

fn card(role: Role) -> RoleCard {
    let town = !matches!(role, Role::Mafioso | Role::Boss | Role::Kamikaze | Role::FoundlingMafioso | Role::Maniac);
    let clan = if town || role == Role::Maniac {
        Vec::new()
    } else {
        vec![(s("Борис"), Some(Role::Mafioso)), (s("Дядя Стёпа"), None)]
    };
    RoleCard {
        nick: s("Анна"),
        role,
        alive: true,
        expelled: false,
        over: false,
        clan,
        commissioner: (role == Role::Sergeant).then(|| s("Глеб")),
        sergeant: None,
        foundling: None,
        proof_word: s("барсук-77"),
        forum_account: None,
        results: Vec::new(),
        first_turn: true,
        turn: 1,
        deadline: Some(deadline()),
        may_hunt: town,
        hunt_on_first_turn: false,
        status_needs_vote: true,
    }
}

fn check(own: bool) -> CheckResult {
    CheckResult {
        turn: 3,
        own,
        about: s("Сапожник"),
        status: Status::Role(Role::Mafioso),
        killers: Vec::new(),
        killer_nicks: Vec::new(),
    }
}
