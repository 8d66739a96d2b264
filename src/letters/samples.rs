//! A letter of every kind with invented facts: templates are tried with them at load, `letters preview` shows them,
//! and the snapshots in tests/letters are made of them.

use jiff::Timestamp;

use super::{
    Alert, Answer, CheckResult, Conversion, Death, Deprivation, Digest, DigestFact, DigestRow, ExpelledSaid, Expulsion,
    Fallen, Final, FinalRow, FinalTurn, GameName, Heading, Help, Lang, Letter, Line, LineFate, NextTurn, NobodyWhy,
    Notice, Opening, PlayerRow, Promotion, Receipt, RefusalSaid, Relayed, Reminder, RoleCard, Rope, Seat, ShotSaid,
    Stranger, Summary, VoteState, Warning,
};
use crate::request::{ProblemKind, TextEnd, Word};
use crate::rules::game::Life;
use crate::rules::ledger::{Caveat, VoidWhy};
use crate::rules::report::{Cause, ExpelWhy, HuntResult, PublishVotes, Status, StoppedBy};
use crate::rules::{Gender, Kind, Role, Side, Winner};

/// One sample: its name (the snapshot's file), the heading and the letter.
pub type Sample = (String, Heading, Letter);

/// Every kind of letter, with every variant that reads differently.
pub fn named(lang: Lang) -> Vec<Sample> {
    let mut samples = Vec::new();
    beginning(lang, &mut samples);
    receipts(lang, &mut samples);
    answers(lang, &mut samples);
    strangers(lang, &mut samples);
    private(lang, &mut samples);
    discipline(lang, &mut samples);
    relayed(lang, &mut samples);
    notices(lang, &mut samples);
    summaries(lang, &mut samples);
    endings(lang, &mut samples);
    alerts(lang, &mut samples);
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
        clan,
        commissioner: (role == Role::Sergeant).then(|| s("Глеб")),
        sergeant: None,
        foundling: None,
        proof_word: s("барсук-77"),
        forum_account: None,
        results: Vec::new(),
        first_turn: true,
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

fn beginning(lang: Lang, samples: &mut Vec<Sample>) {
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
    };
    let host = Opening { nick: None, deviations: Vec::new(), dealt_as_given: true, deadline: None, ..opening.clone() };
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
        hunt_on_first_turn: true,
        status_needs_vote: false,
        ..card(Role::Commissioner)
    };
    let ghost =
        RoleCard {
            alive: false, foundling: Some(s("Егор")), deadline: None, first_turn: false, ..card(Role::Boss)
        };
    add(samples, lang, "role-later", Letter::Role(later));
    add(samples, lang, "role-ghost", Letter::Role(ghost));
}

fn receipt() -> Receipt {
    Receipt {
        nick: s("Анна"),
        arrived: arrived(),
        lines: Vec::new(),
        standing: Vec::new(),
        vote: VoteState::Missing,
        deadline: Some(deadline()),
        paused: false,
        closed: None,
        found_late: false,
        charset_guess: None,
        out: false,
        answers: Vec::new(),
    }
}

fn line(said: &str, word: Option<Word>, fate: LineFate) -> Line {
    Line { said: s(said), word, fate }
}

fn accepted(kind: Kind, target: &str, replaces: Option<(Kind, &str)>, caveat: Option<Caveat>) -> LineFate {
    LineFate::Accepted { kind, target: s(target), replaces: replaces.map(|(kind, nick)| (kind, s(nick))), caveat }
}

fn refused(kind: Option<Kind>, target: Option<&str>, why: RefusalSaid) -> LineFate {
    LineFate::Refused { kind, target: target.map(s), why }
}

fn receipts(lang: Lang, samples: &mut Vec<Sample>) {
    let vote = line("Суд Линча - Сапожник", Some(Word::Lynch), accepted(Kind::Lynch, "Сапожник", None, None));
    let no_nick = line("Охота", Some(Word::Hunt), LineFate::Problem { problem: ProblemKind::NoArgument });
    let usual = Receipt {
        lines: vec![vote.clone(), no_nick],
        standing: vec![(Kind::Lynch, s("Сапожник"))],
        vote: VoteState::In(s("Сапожник")),
        ..receipt()
    };
    add(samples, lang, "receipt", Letter::Receipt(usual));
    let one = Receipt {
        lines: vec![vote.clone()],
        standing: vec![(Kind::Lynch, s("Сапожник"))],
        vote: VoteState::In(s("Сапожник")),
        deadline: None,
        charset_guess: Some(s("koi8-r")),
        ..receipt()
    };
    add(samples, lang, "receipt-one", Letter::Receipt(one));
    let short = Receipt {
        lines: vec![line("Охота - Лев", Some(Word::Hunt), accepted(Kind::Hunt, "Лев", None, None))],
        standing: vec![(Kind::Hunt, s("Лев"))],
        vote: VoteState::NotNeeded,
        deadline: None,
        ..receipt()
    };
    let zone = s("Asia/Oral");
    samples.push((s("receipt-short"), Heading { zone, ..heading(lang, 1) }, Letter::Receipt(short)));
    let paused =
        Receipt { lines: vec![vote.clone()], vote: VoteState::In(s("Сапожник")), paused: true, ..receipt() };
    add(samples, lang, "receipt-paused", Letter::Receipt(paused));
    let late = refused(
        Some(Kind::Lynch),
        Some("Сапожник"),
        RefusalSaid::AfterDeadline { deadline: deadline(), arrived: next_deadline() },
    );
    let closed = Receipt {
        lines: vec![line("Суд Линча - Сапожник", Some(Word::Lynch), late)],
        closed: Some(deadline()),
        arrived: next_deadline(),
        ..receipt()
    };
    add(samples, lang, "receipt-closed", Letter::Receipt(closed));
    let found_late = Receipt {
        lines: vec![line("Суд Линча - Сапожник", Some(Word::Lynch), LineFate::NotNow)],
        closed: Some(deadline()),
        found_late: true,
        ..receipt()
    };
    add(samples, lang, "receipt-found-late", Letter::Receipt(found_late));
    add(samples, lang, "receipt-accepted", Letter::Receipt(accepted_lines()));
    add(samples, lang, "receipt-refused", Letter::Receipt(refused_lines()));
    add(samples, lang, "receipt-problems", Letter::Receipt(problem_lines()));
    let ghost = Receipt {
        lines: vec![
            line(
                "Суд Линча - Анна",
                Some(Word::Lynch),
                refused(Some(Kind::Lynch), Some("Анна"), RefusalSaid::DeadSender),
            ),
            line(
                "Охота - Анна",
                Some(Word::Hunt),
                refused(Some(Kind::Hunt), Some("Анна"), RefusalSaid::ExpelledSender),
            ),
        ],
        vote: VoteState::NotNeeded,
        out: true,
        ..receipt()
    };
    add(samples, lang, "receipt-out", Letter::Receipt(ghost));
}

fn accepted_lines() -> Receipt {
    let lines = vec![
        line(
            "Голос - Сапожник",
            Some(Word::Lynch),
            accepted(Kind::Lynch, "Сапожник", Some((Kind::Lynch, "Вера")), None),
        ),
        line("Охота - Вера", Some(Word::Hunt), accepted(Kind::Hunt, "Вера", None, Some(Caveat::HuntSilencesSpecial))),
        line("Охота - Лев", Some(Word::Hunt), accepted(Kind::Hunt, "Лев", None, Some(Caveat::HuntSilencesPistol))),
        line("Лечение - Егор", Some(Word::Heal), accepted(Kind::Heal, "Егор", None, Some(Caveat::HuntBlocksThis))),
        line("Проверка - Лев", Some(Word::Check), accepted(Kind::Check, "Лев", None, Some(Caveat::NeedsVote))),
        line("Охота - Вера", Some(Word::Hunt), LineFate::Duplicate { kind: Kind::Hunt, target: s("Вера") }),
        line("Записка - Егор", Some(Word::Note), LineFate::Filed { to: s("Егор"), end: TextEnd::Letter }),
        line("ЛС - Егор", Some(Word::Pm), LineFate::Relayed { to: Some(s("Егор")), end: TextEnd::Signature }),
        line("Клану:", Some(Word::Clan), LineFate::Relayed { to: None, end: TextEnd::End }),
        line("ЛС - Лев", Some(Word::Pm), LineFate::Relayed { to: Some(s("Лев")), end: TextEnd::Request }),
        line(
            "Отмена - Охота",
            Some(Word::Cancel),
            LineFate::Withdrawn { what: vec![(Kind::Hunt, s("Вера")), (Kind::Heal, s("Егор"))] },
        ),
        line("Отмена", Some(Word::Cancel), LineFate::NothingToWithdraw),
    ];
    let standing = [
        (Kind::Hunt, "Вера"),
        (Kind::Kill, "Лев"),
        (Kind::Check, "Лев"),
        (Kind::Heal, "Егор"),
        (Kind::Seek, "Глеб"),
        (Kind::Pistol, "Жанна"),
        (Kind::Note, "Егор"),
        (Kind::Pm, "Егор"),
        (Kind::Clan, ""),
    ];
    let standing = standing.iter().map(|(kind, nick)| (*kind, s(nick))).collect();
    Receipt { lines, standing, vote: VoteState::Deprived, ..receipt() }
}

fn refused_lines() -> Receipt {
    let hunt = |why| refused(Some(Kind::Hunt), Some("Сапажник"), why);
    let guess = RefusalSaid::UnknownNick { did_you_mean: all_of(&["Сапожник", "Стрелочник"]) };
    let lines = vec![
        line("Охота - Сапажник", Some(Word::Hunt), hunt(guess)),
        line(
            "Линч - Кто-нибудь",
            Some(Word::Lynch),
            refused(Some(Kind::Lynch), None, RefusalSaid::UnknownNick { did_you_mean: Vec::new() }),
        ),
        line("Танец - Анна", None, refused(None, None, RefusalSaid::UnknownRequest)),
        line("Линч - Анна", Some(Word::Lynch), refused(Some(Kind::Lynch), Some("Анна"), RefusalSaid::FirstTurn)),
        line("Отмена - Линч", Some(Word::Cancel), refused(None, None, RefusalSaid::FirstTurn)),
        line("Линч - Анна", Some(Word::Lynch), refused(Some(Kind::Lynch), Some("Анна"), RefusalSaid::Deprived)),
        line("Охота - Анна", Some(Word::Hunt), hunt(RefusalSaid::MafiaNoHunt)),
        line("Охота - Анна", Some(Word::Hunt), hunt(RefusalSaid::LonerNoHunt)),
        line("Лечение - Анна", Some(Word::Heal), refused(Some(Kind::Heal), Some("Анна"), RefusalSaid::NotYourRole)),
        line("Роль - Анна", Some(Word::Role), refused(None, None, RefusalSaid::NotYourRole)),
        line("Охота - Лев", Some(Word::Hunt), hunt(RefusalSaid::TargetOut { nick: s("Лев") })),
        line("Охота - Анна", Some(Word::Hunt), hunt(RefusalSaid::SelfTarget)),
        line("Убийство - Борис", Some(Word::Kill), refused(Some(Kind::Kill), Some("Борис"), RefusalSaid::OwnClan)),
        line(
            "Лечение - Вера",
            Some(Word::Heal),
            refused(Some(Kind::Heal), Some("Вера"), RefusalSaid::HealTwice { nick: s("Вера") }),
        ),
        line("Записка - Вера", Some(Word::Note), refused(Some(Kind::Note), Some("Вера"), RefusalSaid::NoteAlreadySent)),
        line("ЛС - Вера", Some(Word::Pm), refused(Some(Kind::Pm), Some("Вера"), RefusalSaid::RelayOff)),
        line("ЛС - Вера", Some(Word::Pm), refused(Some(Kind::Pm), Some("Вера"), RefusalSaid::RelayCap { limit: 10 })),
        line("Заявка", Some(Word::Join), LineFate::NotNow),
    ];
    Receipt { lines, ..receipt() }
}

fn problem_lines() -> Receipt {
    let problem = |said: &str, word, problem| line(said, word, LineFate::Problem { problem });
    let lines = vec![
        problem("Суд Линча", Some(Word::Lynch), ProblemKind::NoArgument),
        problem("Лечение -", Some(Word::Heal), ProblemKind::NoArgument),
        problem("Адрес -", Some(Word::Address), ProblemKind::NoArgument),
        problem("Что-то -", None, ProblemKind::NoArgument),
        problem("Записка - Вера", Some(Word::Note), ProblemKind::NoText),
        problem("Суд Линча Вера", Some(Word::Lynch), ProblemKind::NoSeparator),
        problem("Re: Охота - Вера", Some(Word::Hunt), ProblemKind::SubjectReply),
        problem("", None, ProblemKind::Undecodable),
        problem("ЛС - Вера", Some(Word::Pm), ProblemKind::DoubtfulText),
    ];
    Receipt { lines, ..receipt() }
}

fn answers(lang: Lang, samples: &mut Vec<Sample>) {
    let asked = |said: &str, word| vec![line(said, Some(word), LineFate::Answered)];
    let status = Receipt {
        lines: asked("Статус", Word::Status),
        standing: vec![(Kind::Heal, s("Вера"))],
        answers: vec![Answer::Status { alive: 8, note_filed: true, pistol: Some(s("Жанна")) }],
        ..receipt()
    };
    add(samples, lang, "answer-status", Letter::Answer(status));
    let row = |nick: &str, characteristic: &str, life, gender, role| PlayerRow {
        nick: s(nick),
        characteristic: s(characteristic),
        life,
        gender,
        role,
    };
    let players = vec![
        row("Анна", "аптекарша", Life::Alive, Some(Gender::Female), None),
        row("Вера", "", Life::Dead, Some(Gender::Female), Some(Role::Citizen)),
        row("Лев", "цирк", Life::Dead, None, Some(Role::Maniac)),
        row("Зоя", "", Life::Expelled, Some(Gender::Female), None),
    ];
    let players =
        Receipt {
            lines: asked("Игроки", Word::Players), answers: vec![Answer::Players { players }], ..receipt()
        };
    add(samples, lang, "answer-players", Letter::Answer(players));
    let rules = Receipt {
        lines: asked("Правила", Word::Rules),
        answers: vec![Answer::Rules { deviations: vec![(s("hunt_on_first_turn"), s("true"))] }],
        ..receipt()
    };
    add(samples, lang, "answer-rules", Letter::Answer(rules));
    let role = Receipt {
        lines: asked("Роль", Word::Role),
        answers: vec![Answer::Role(RoleCard { first_turn: false, ..card(Role::Doctor) })],
        vote: VoteState::In(s("Сапожник")),
        ..receipt()
    };
    add(samples, lang, "answer-role", Letter::Answer(role));
    let many = Receipt {
        lines: asked("Помощь", Word::Help),
        answers: vec![
            Answer::Help,
            Answer::HostOnly,
            Answer::Status { alive: 1, note_filed: false, pistol: None },
            Answer::Rules { deviations: Vec::new() },
        ],
        deadline: None,
        ..receipt()
    };
    samples.push((s("answer-many"), heading(lang, 0), Letter::Answer(many)));
}

fn strangers(lang: Lang, samples: &mut Vec<Sample>) {
    let help = Help { nick: s("Анна"), deadline: Some(deadline()), vote: VoteState::Missing, undecodable: false };
    let undecodable =
        Help { undecodable: true, vote: VoteState::In(s("Сапожник")), deadline: None, ..help.clone() };
    add(samples, lang, "help", Letter::Help(help));
    samples.push((s("help-undecodable"), heading(lang, 0), Letter::Help(undecodable)));
    let nowhere = Heading { game: None, turn: 0, ..heading(lang, 0) };
    let candidates = vec![
        GameName { tag: s("palermo"), title: s("Палермо, зима") },
        GameName { tag: s("corleone"), title: s("Корлеоне") },
    ];
    samples.push((s("refused-unknown"), nowhere.clone(), Letter::Refused(Stranger::Unknown)));
    samples.push((s("refused-which"), nowhere.clone(), Letter::Refused(Stranger::WhichGame { candidates })));
    samples.push((s("refused-none"), nowhere, Letter::Refused(Stranger::WhichGame { candidates: Vec::new() })));
    add(samples, lang, "refused-expelled", Letter::Refused(Stranger::Expelled));
}

fn private(lang: Lang, samples: &mut Vec<Sample>) {
    add(samples, lang, "result", Letter::Result(check(true)));
    let killed = CheckResult {
        status: Status::Side(Side::Town),
        killers: vec![Cause::Mafia, Cause::Maniac],
        killer_nicks: all_of(&["Борис", "Лев"]),
        ..check(true)
    };
    add(samples, lang, "result-killed", Letter::Result(killed));
    add(samples, lang, "result-copy", Letter::Result(check(false)));
    let new = RoleCard { first_turn: false, results: vec![check(false)], ..card(Role::Commissioner) };
    add(samples, lang, "promotion", Letter::Promotion(Promotion { nick: s("Анна"), card: new }));
    let turned = Box::new(RoleCard { first_turn: false, ..card(Role::FoundlingMafioso) });
    add(samples, lang, "conversion", Letter::Conversion(Conversion::Turned { card: turned }));
    add(samples, lang, "conversion-clan", Letter::Conversion(Conversion::NewMember { nick: s("Егор") }));
    let death = Death { nick: s("Анна"), gender: Some(Gender::Female), hanged: false, game_over: false };
    add(samples, lang, "death", Letter::Death(death.clone()));
    add(samples, lang, "death-rope", Letter::Death(Death { hanged: true, gender: None, ..death.clone() }));
    add(samples, lang, "death-over", Letter::Death(Death { game_over: true, gender: Some(Gender::Male), ..death }));
}

fn discipline(lang: Lang, samples: &mut Vec<Sample>) {
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
    add(samples, lang, "deprivation", Letter::Deprivation(Deprivation { nick: s("Анна"), until_turn: 3 }));
    add(samples, lang, "deprivation-long", Letter::Deprivation(Deprivation { nick: s("Анна"), until_turn: 5 }));
}

fn relayed(lang: Lang, samples: &mut Vec<Sample>) {
    let text = s(
        "Смотрите на Льва: он слишком спокоен.\n\nСуд Линча - Лев\nи вот ещё одна строка, которая заведомо длиннее, чем помещается в письме, потому что автор увлёкся.",
    );
    let talk = Relayed { nick: s("Анна"), author: s("Дядя Стёпа"), text, author_dead: false };
    add(samples, lang, "note", Letter::Note(Relayed { author_dead: true, ..talk.clone() }));
    add(samples, lang, "note-living", Letter::Note(talk.clone()));
    add(samples, lang, "pm", Letter::Pm(talk.clone()));
    add(samples, lang, "clan", Letter::Clan(talk));
}

fn notices(lang: Lang, samples: &mut Vec<Sample>) {
    let moved = Notice::DeadlineMoved { was: Some(deadline()), deadline: next_deadline() };
    let first = Notice::DeadlineMoved { was: None, deadline: next_deadline() };
    add(samples, lang, "notice-moved", Letter::Notice(moved));
    add(samples, lang, "notice-first", Letter::Notice(first));
    add(samples, lang, "notice-paused", Letter::Notice(Notice::Paused));
    add(samples, lang, "notice-resumed", Letter::Notice(Notice::Resumed { deadline: next_deadline() }));
    add(samples, lang, "notice-awaited", Letter::Notice(Notice::ResultsAwaited));
    samples.push((s("notice-cancelled"), heading(lang, 0), Letter::Notice(Notice::Cancelled)));
    let words = s("Дорогие горожане, сегодня ход короче: вечером отключают свет.\nСрок - 20:00");
    add(samples, lang, "notice-host", Letter::Notice(Notice::Host { text: words }));
}

fn fallen(nick: &str, gender: Option<Gender>, role: Role) -> Fallen {
    Fallen { nick: s(nick), gender, role, causes: Vec::new() }
}

fn summary() -> Summary {
    let ballots = [("Анна", "Лев"), ("Борис", "Анна"), ("Вера", "Лев"), ("Дядя Стёпа", "Лев"), ("Лев", "Анна")];
    Summary {
        turn: 3,
        night: vec![
            fallen("Вера", Some(Gender::Female), Role::Citizen),
            fallen("Борис", Some(Gender::Male), Role::Mafioso),
        ],
        also_fell: Vec::new(),
        shot: None,
        rope: Rope::Hanged {
            nick: s("Лев"),
            gender: Some(Gender::Male),
            role: Role::Maniac,
            votes: Some(3),
            of: Some(5),
        },
        publish: PublishVotes::ByNick,
        ballots: ballots.iter().map(|(voter, target)| (s(voter), s(target))).collect(),
        tally: vec![(s("Лев"), 3), (s("Анна"), 2)],
        tied: Vec::new(),
        nonvoters: vec![s("Егор")],
        expelled: Vec::new(),
        saved: Vec::new(),
        alive: all_of(&["Анна", "Дарья", "Дядя Стёпа", "Егор", "Захар", "Nika"]),
        next: Some(NextTurn { turn: 4, deadline: Some(next_deadline()) }),
        winner: None,
        story: Vec::new(),
        paste: false,
    }
}

fn summaries(lang: Lang, samples: &mut Vec<Sample>) {
    add(samples, lang, "summary", Letter::Summary(summary()));
    add(samples, lang, "summary-paste", Letter::Summary(busy_summary()));
    let first = Summary {
        turn: 1,
        night: vec![fallen("Зоя", None, Role::Doctor)],
        rope: Rope::FirstTurn,
        publish: PublishVotes::NoLynch,
        ballots: Vec::new(),
        tally: Vec::new(),
        nonvoters: Vec::new(),
        next: Some(NextTurn { turn: 2, deadline: None }),
        ..summary()
    };
    samples.push((s("summary-first"), heading(lang, 1), Letter::Summary(first)));
    let outcome = Summary {
        night: Vec::new(),
        rope: Rope::Hanged { nick: s("Лев"), gender: None, role: Role::Maniac, votes: None, of: None },
        publish: PublishVotes::OutcomeOnly,
        ballots: Vec::new(),
        tally: Vec::new(),
        nonvoters: Vec::new(),
        paste: true,
        ..summary()
    };
    add(samples, lang, "summary-outcome", Letter::Summary(outcome.clone()));
    let reasons = [
        ("none", None),
        ("novotes", Some(NobodyWhy::NoVotes)),
        ("noquorum", Some(NobodyWhy::NoQuorum)),
        ("already", Some(NobodyWhy::AlreadyOut { nick: s("Вера") })),
    ];
    for (at, (name, reason)) in reasons.into_iter().enumerate() {
        let letter = Summary { rope: Rope::Nobody { reason }, paste: false, ..outcome.clone() };
        let turn = u16::try_from(at).unwrap_or(0).saturating_add(2);
        samples.push((
            format!("summary-nobody-{name}"),
            heading(lang, turn),
            Letter::Summary(Summary { turn, ..letter }),
        ));
    }
    for (name, winner) in
        [("town", Winner::Town), ("mafia", Winner::Mafia), ("maniac", Winner::Maniac), ("draw", Winner::Draw)]
    {
        let letter = Summary { winner: Some(winner), next: None, alive: Vec::new(), ..summary() };
        add(samples, lang, &format!("summary-{name}"), Letter::Summary(letter));
    }
}

fn busy_summary() -> Summary {
    Summary {
        night: vec![Fallen {
            causes: vec![Cause::Mafia, Cause::Hunt], ..fallen("[b]Вера[/b]", None, Role::Sergeant)
        }],
        also_fell: vec![fallen("Жанна", Some(Gender::Female), Role::Boss)],
        shot: Some(ShotSaid {
            by: s("Глеб"), at: fallen("Лев", None, Role::FoundlingMafioso), in_the_night: true
        }),
        tied: all_of(&["Лев", "Анна"]),
        expelled: vec![
            ExpelledSaid { nick: s("Егор"), gender: None, role: Some(Role::Citizen), why: ExpelWhy::MissedVotes },
            ExpelledSaid { nick: s("Зоя"), gender: None, role: None, why: ExpelWhy::Left },
        ],
        saved: vec![s("Дарья")],
        story: vec![s(
            "Ночью над заливом шёл дождь.\nУтром на пристани нашли чемодан, а в нём, как водится, ещё чемодан, поменьше и потяжелее.\nГолос: кто-то кричал",
        )],
        paste: true,
        ..summary()
    }
}

fn endings(lang: Lang, samples: &mut Vec<Sample>) {
    let row = |nick: &str, role, life, gender, person: Option<&str>| FinalRow {
        nick: s(nick),
        role,
        life,
        gender,
        person: person.map(s),
    };
    let end = Final {
        winner: Winner::Town,
        roster: vec![
            row("Анна", Role::Doctor, Life::Alive, Some(Gender::Female), Some("anna_k")),
            row("Борис", Role::Mafioso, Life::Dead, Some(Gender::Male), None),
            row("Егор", Role::Foundling, Life::Expelled, None, None),
        ],
        turns: vec![
            FinalTurn { turn: 1, ballots: Vec::new(), fell: Vec::new() },
            FinalTurn { turn: 2, ballots: vec![(s("Анна"), s("Борис"))], fell: vec![s("Борис")] },
        ],
        seed: s("60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"),
        commitment: s("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
        lot_words: vec![(s("Анна"), s("крыжовник"))],
    };
    add(samples, lang, "final", Letter::Final(end.clone()));
    add(samples, lang, "final-draw", Letter::Final(Final { winner: Winner::Draw, lot_words: Vec::new(), ..end }));
    let facts = digest_facts();
    let table = vec![
        DigestRow { nick: s("Анна"), role: Role::Doctor, life: Life::Alive, missed: 1, warned: 0 },
        DigestRow { nick: s("Вера"), role: Role::Citizen, life: Life::Dead, missed: 0, warned: 0 },
        DigestRow { nick: s("Егор"), role: Role::Foundling, life: Life::Expelled, missed: 2, warned: 1 },
    ];
    add(samples, lang, "digest", Letter::Digest(Digest { summary: summary(), facts, table }));
}

fn digest_facts() -> Vec<DigestFact> {
    let who = || s("Анна");
    let mut facts = vec![
        DigestFact::Stood { who: who(), kind: Kind::Heal, target: s("Вера") },
        DigestFact::MurderSplit,
        DigestFact::Murder { victim: s("Вера") },
        DigestFact::Stopped { who: s("Вера"), cause: Cause::Maniac, by: StoppedBy::Doctor },
        DigestFact::Stopped { who: s("Егор"), cause: Cause::Mafia, by: StoppedBy::Foundling },
        DigestFact::Learned { who: s("Глеб"), result: check(true) },
        DigestFact::Promoted { who: s("Дарья") },
        DigestFact::Converted { who: s("Егор") },
        DigestFact::NoteDelivered { from: s("Вера"), to: s("Анна") },
        DigestFact::Missed { who: s("Егор") },
        DigestFact::Warned { who: s("Захар") },
        DigestFact::Expelled { who: s("Егор"), why: ExpelWhy::MissedVotes },
        DigestFact::Lot { among: all_of(&["Лев", "Анна"]), chosen: s("Лев") },
        DigestFact::Died {
            who: s("Глеб"),
            causes: vec![
                Cause::Mafia,
                Cause::Maniac,
                Cause::Kamikaze,
                Cause::Hunt,
                Cause::Hunting,
                Cause::KamikazeSelf,
                Cause::Pistol,
                Cause::Lynch,
            ],
        },
    ];
    for result in [HuntResult::Kills, HuntResult::Dies, HuntResult::Nothing, HuntResult::Saved] {
        facts.push(DigestFact::Hunt { hunter: s("Вера"), prey: s("Борис"), result });
    }
    for why in [
        VoidWhy::Replaced,
        VoidWhy::Duplicate,
        VoidWhy::Withdrawn,
        VoidWhy::Slot,
        VoidWhy::StatusWithoutVote,
        VoidWhy::HuntWithoutVote,
        VoidWhy::NotFirst,
        VoidWhy::SenderExpelled,
        VoidWhy::Deprived,
        VoidWhy::DeadBeforeNight,
    ] {
        facts.push(DigestFact::Void { who: who(), kind: Kind::Check, target: s("Лев"), why });
    }
    facts
}

fn alerts(lang: Lang, samples: &mut Vec<Sample>) {
    let found = Alert::FoundLate { nick: s("Анна"), arrived: arrived(), deadline: deadline() };
    add(samples, lang, "alert-found-late", Letter::Alert(found));
    let misses = Alert::ManyMisses { nicks: all_of(&["Анна", "Вера", "Егор"]), living: 7 };
    add(samples, lang, "alert-misses", Letter::Alert(misses));
    add(samples, lang, "alert-unsent", Letter::Alert(Alert::ResultsUnsent { nicks: all_of(&["Анна", "Вера"]) }));
    let nowhere = Heading { game: None, ..heading(lang, 0) };
    let unreachable = Letter::Alert(Alert::InboxUnreachable { since: arrived() });
    samples.push((s("alert-inbox"), nowhere.clone(), unreachable));
    samples.push((s("alert-quarantine"), nowhere, Letter::Alert(Alert::Quarantined { count: 2 })));
    let undelivered = Alert::Undelivered { kind: s("summary"), nick: s("Анна") };
    add(samples, lang, "alert-undelivered", Letter::Alert(undelivered));
}
