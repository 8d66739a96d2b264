//! What one player gets of our own accord: beginning, results, death, discipline, the words of others.

use super::{Sample, add, all_of, card, check, deadline, heading, s};
use crate::letters::{
    Alert, CheckResult, Conversion, Death, Deprivation, Expulsion, Lang, Letter, Newcomer, Opening, PistolQuestion,
    PlayerRow, Promotion, Relayed, Reminder, Replacement, RoleCard, Seat, VoteState, Warning,
};
use crate::rules::game::Life;
use crate::rules::report::{Cause, ExpelWhy, Status};
use crate::rules::{Gender, Kind, Role, Side};

pub(super) fn beginning(lang: Lang, samples: &mut Vec<Sample>) {
    let opening = Opening {
        nick: Some(s("Анна")),
        roster: vec![
            Seat { nick: s("Анна"), characteristic: s("аптекарша"), gender: Some(Gender::Female) },
            Seat {
                nick: s("Сапожник"), characteristic: s("чинит всё, кроме репутации"), gender: Some(Gender::Male)
            },
            Seat { nick: s("Дядя Стёпа"), characteristic: String::new(), gender: None },
        ],
        deviations: vec![(s("self_vote"), s("rejected")), (s("missed_votes_limit"), s("3"))],
        commitment: s("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
        dealt_as_given: false,
        deadline: Some(deadline()),
        early_close: true,
    };
    let host = Opening {
        nick: None,
        early_close: false,
        deviations: Vec::new(),
        dealt_as_given: true,
        deadline: None,
        ..opening.clone()
    };
    samples.push((s("opening"), heading(lang, 1), Letter::Opening(opening)));
    samples.push((s("opening-host"), heading(lang, 1), Letter::Opening(host)));
    let roles = [
        ("citizen", Role::Citizen),
        ("commissioner", Role::Commissioner),
        ("doctor", Role::Doctor),
        ("sergeant", Role::Sergeant),
        ("mafioso", Role::Mafioso),
        ("boss", Role::Boss),
        ("kamikaze", Role::Kamikaze),
        ("maniac", Role::Maniac),
    ];
    for (name, role) in roles {
        samples.push((format!("role-{name}"), heading(lang, 1), Letter::Role(card(role))));
    }
    let later = RoleCard {
        sergeant: Some(s("Дарья")),
        forum_account: Some((s("Аптекарша"), s("qW3-рты"))),
        results: vec![
            check(true),
            CheckResult {
                turn: 2,
                status: Status::Role(Role::Foundling),
                killers: vec![Cause::Mafia, Cause::Hunt],
                killer_nicks: all_of(&["Борис", "Вера"]),
                ..check(true)
            },
        ],
        first_turn: false,
        turn: 4,
        hunt_on_first_turn: true,
        status_needs_vote: false,
        ..card(Role::Commissioner)
    };
    let ghost = RoleCard {
        alive: false,
        foundling: Some(s("Егор")),
        deadline: None,
        first_turn: false,
        turn: 4,
        ..card(Role::Boss)
    };
    let expelled = RoleCard { expelled: true, ..ghost.clone() };
    let over = RoleCard { over: true, deadline: None, ..later.clone() };
    add(samples, lang, "role-expelled", Letter::Role(expelled));
    add(samples, lang, "role-over", Letter::Role(over));
    add(samples, lang, "role-later", Letter::Role(later));
    add(samples, lang, "role-ghost", Letter::Role(ghost));
}

pub(super) fn private(lang: Lang, samples: &mut Vec<Sample>) {
    add(samples, lang, "result", Letter::Result(check(true)));
    let killed = CheckResult {
        status: Status::Side(Side::Town),
        killers: vec![Cause::Mafia, Cause::Maniac],
        killer_nicks: all_of(&["Борис", "Лев"]),
        ..check(true)
    };
    add(samples, lang, "result-killed", Letter::Result(killed));
    add(samples, lang, "result-copy", Letter::Result(check(false)));
    let new = RoleCard { first_turn: false, turn: 4, results: vec![check(false)], ..card(Role::Commissioner) };
    let question = PistolQuestion { nick: s("Анна"), until: deadline(), standing: Some(s("Борис")) };
    let silent = PistolQuestion { standing: None, ..question.clone() };
    add(samples, lang, "pistol", Letter::Pistol(question));
    add(samples, lang, "pistol-no-order", Letter::Pistol(silent));
    add(samples, lang, "promotion", Letter::Promotion(Promotion { nick: s("Анна"), card: new }));
    let turned = Box::new(RoleCard { first_turn: false, turn: 4, ..card(Role::FoundlingMafioso) });
    add(samples, lang, "conversion", Letter::Conversion(Conversion::Turned { card: turned }));
    add(samples, lang, "conversion-clan", Letter::Conversion(Conversion::NewMember { nick: s("Егор") }));
    let death = Death { nick: s("Анна"), gender: Some(Gender::Female), hanged: false, game_over: false };
    add(samples, lang, "death", Letter::Death(death.clone()));
    add(samples, lang, "death-rope", Letter::Death(Death { hanged: true, gender: None, ..death.clone() }));
    add(samples, lang, "death-over", Letter::Death(Death { game_over: true, gender: Some(Gender::Male), ..death }));
}

pub(super) fn replacement(lang: Lang, samples: &mut Vec<Sample>) {
    let row =
        |nick: &str, life, gender, role| PlayerRow { nick: s(nick), characteristic: String::new(), life, gender, role };
    let newcomer = Newcomer {
        card: RoleCard { first_turn: false, turn: 3, results: vec![check(true)], ..card(Role::Commissioner) },
        players: vec![
            row("Анна", Life::Alive, None, None),
            row("Борис", Life::Dead, Some(Gender::Male), Some(Role::Doctor)),
            row("Вера", Life::Expelled, Some(Gender::Female), None),
        ],
        deviations: vec![(s("self_vote"), s("rejected"))],
        standing: vec![(Kind::Lynch, s("Глеб")), (Kind::Check, s("Егор"))],
        vote: VoteState::In(s("Глеб")),
        note_filed: true,
        missed: 1,
        missed_limit: 2,
        warned: 1,
        deprived_until: None,
        deprived_is_miss: false,
        paused: false,
    };
    let bare = Newcomer {
        card: RoleCard { deadline: None, ..card(Role::Citizen) },
        deviations: Vec::new(),
        standing: Vec::new(),
        vote: VoteState::Missing,
        note_filed: false,
        missed: 0,
        warned: 0,
        paused: true,
        ..newcomer.clone()
    };
    let deprived =
        Newcomer { standing: Vec::new(), vote: VoteState::Deprived, deprived_until: Some(4), ..newcomer.clone() };
    let missing = Newcomer { deprived_is_miss: true, ..deprived.clone() };
    let letter = |newcomer| Letter::Replacement(Replacement::Newcomer(Box::new(newcomer)));
    add(samples, lang, "replacement-deprived-miss", letter(missing));
    add(samples, lang, "replacement", letter(newcomer));
    add(samples, lang, "replacement-bare", letter(bare));
    add(samples, lang, "replacement-deprived", letter(deprived));
    add(samples, lang, "replacement-leaver", Letter::Replacement(Replacement::Leaver { nick: s("Анна") }));
}

pub(super) fn discipline(lang: Lang, samples: &mut Vec<Sample>) {
    let reminder =
        Reminder { nick: s("Анна"), deadline: deadline(), vote_missing: true, missed: 1, missed_limit: 2 };
    add(samples, lang, "reminder", Letter::Reminder(reminder.clone()));
    let other = Reminder { missed_limit: 4, ..reminder.clone() };
    add(samples, lang, "reminder-limit", Letter::Reminder(other));
    add(samples, lang, "reminder-voted", Letter::Reminder(Reminder { vote_missing: false, missed: 0, ..reminder }));
    let expulsion = Expulsion {
        nick: s("Анна"),
        gender: Some(Gender::Female),
        why: ExpelWhy::Host,
        text: s("Показали письмо в теме.\nОхота - Анна"),
        role_shown: true,
    };
    add(samples, lang, "expulsion", Letter::Expulsion(expulsion.clone()));
    for (name, why) in [("missed", ExpelWhy::MissedVotes), ("silent", ExpelWhy::Inactivity), ("left", ExpelWhy::Left)] {
        let letter = Expulsion { why, text: String::new(), role_shown: false, ..expulsion.clone() };
        add(samples, lang, &format!("expulsion-{name}"), Letter::Expulsion(letter));
    }
    add(samples, lang, "warning", Letter::Warning(Warning::Missed { nick: s("Анна"), missed: 1, limit: 2 }));
    add(samples, lang, "warning-silent", Letter::Warning(Warning::Silent { nick: s("Анна") }));
    let host = Warning::Host { nick: s("Анна"), text: s("Пожалуйста, без личностей.") };
    add(samples, lang, "warning-host", Letter::Warning(host));
    for (name, until_turn, is_miss) in
        [("deprivation", 3, false), ("deprivation-long", 5, false), ("deprivation-miss", 5, true)]
    {
        let deprivation = Deprivation { nick: s("Анна"), until_turn, is_miss };
        add(samples, lang, name, Letter::Deprivation(deprivation));
    }
}

pub(super) fn relayed(lang: Lang, samples: &mut Vec<Sample>) {
    let text = s(
        "Смотрите на Льва: он слишком спокоен.\n\nСуд Линча - Лев\nи вот ещё одна строка, которая заведомо длиннее, чем помещается в письме, потому что автор увлёкся.",
    );
    let talk = Relayed { nick: s("Анна"), author: s("Дядя Стёпа"), text, author_dead: false };
    add(samples, lang, "note", Letter::Note(Relayed { author_dead: true, ..talk.clone() }));
    add(samples, lang, "note-living", Letter::Note(talk.clone()));
    add(samples, lang, "pm", Letter::Pm(talk.clone()));
    add(samples, lang, "clan", Letter::Clan(talk));
    add(samples, lang, "alert-shows-letter", Letter::Alert(Alert::ShowsLetter { nick: s("Дядя Стёпа") }));
}
