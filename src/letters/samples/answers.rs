//! What answers a letter: receipts, facts asked for, the form, strangers.

use super::{Sample, add, all_of, arrived, card, deadline, heading, next_deadline, s};
use crate::journal::{AskedWhy, WeightyFate};
use crate::letters::{
    Answer, Confirm, GameName, Heading, Help, Lang, Letter, Line, LineFate, Moved, Over, PlayerRow, Receipt,
    RefusalSaid, RoleCard, Stranger, VoteState,
};
use crate::request::{ProblemKind, TextEnd, Word};
use crate::rules::game::Life;
use crate::rules::ledger::Caveat;
use crate::rules::{Gender, Kind, Role};

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
        over: None,
        delayed: false,
        answers: Vec::new(),
    }
}

fn line(said: &str, word: Option<Word>, fate: LineFate) -> Line {
    Line { said: s(said), word, understood: None, fate }
}

/// A nick that was not quite as written.
fn near(line: Line, understood: &str) -> Line {
    Line { understood: Some(s(understood)), ..line }
}

fn accepted(kind: Kind, target: &str, replaces: Option<(Kind, &str)>, caveat: Option<Caveat>) -> LineFate {
    LineFate::Accepted { kind, target: s(target), replaces: replaces.map(|(kind, nick)| (kind, s(nick))), caveat }
}

fn refused(kind: Option<Kind>, target: Option<&str>, why: RefusalSaid) -> LineFate {
    LineFate::Refused { kind, target: target.map(s), why }
}

pub(super) fn receipts(lang: Lang, samples: &mut Vec<Sample>) {
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
    let delayed =
        Receipt { lines: vec![vote.clone()], vote: VoteState::In(s("Сапожник")), delayed: true, ..receipt() };
    let nothing = Receipt { vote: VoteState::NotNeeded, ..receipt() };
    add(samples, lang, "receipt-nothing", Letter::Receipt(nothing));
    add(samples, lang, "receipt-delayed", Letter::Receipt(delayed));
    for (name, over) in [("finished", Over::Finished), ("cancelled", Over::Cancelled)] {
        let lines = vec![line("Суд Линча - Сапожник", Some(Word::Lynch), LineFate::NotNow)];
        let answers = vec![Answer::Status { alive: 5, note_filed: true, pistol: None }];
        let ended = Receipt {
            lines,
            vote: VoteState::NotNeeded,
            deadline: None,
            over: Some(over),
            answers: answers.clone(),
            ..receipt()
        };
        add(samples, lang, &format!("receipt-{name}"), Letter::Receipt(ended.clone()));
        let status = Receipt { lines: Vec::new(), ..ended };
        add(samples, lang, &format!("answer-status-{name}"), Letter::Answer(status));
    }
    let closed_before = refused(
        Some(Kind::Lynch),
        Some("Сапожник"),
        RefusalSaid::AfterDeadline { deadline: deadline(), arrived: arrived() },
    );
    let found_late = Receipt {
        lines: vec![
            line("Суд Линча - Сапожник", Some(Word::Lynch), closed_before),
            line("Проверка - Сапожник", Some(Word::Check), LineFate::NotNow),
        ],
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
        line(
            "ЛС - Егор",
            Some(Word::Pm),
            LineFate::Relayed { to: Some(s("Егор")), end: TextEnd::Signature, later: false, held: false },
        ),
        line("Клану:", Some(Word::Clan), LineFate::Relayed { to: None, end: TextEnd::End, later: true, held: false }),
        line(
            "ЛС - Лев",
            Some(Word::Pm),
            LineFate::Relayed { to: Some(s("Лев")), end: TextEnd::Request, later: true, held: false },
        ),
        line("Клану:", Some(Word::Clan), LineFate::Relayed { to: None, end: TextEnd::End, later: false, held: true }),
        line(
            "Отмена - Охота",
            Some(Word::Cancel),
            LineFate::Withdrawn { what: vec![(Kind::Hunt, s("Вера")), (Kind::Heal, s("Егор"))] },
        ),
        line("Отмена", Some(Word::Cancel), LineFate::NothingToWithdraw),
        near(line("Голос - Сапажника", Some(Word::Lynch), accepted(Kind::Lynch, "Сапожник", None, None)), "Сапожник"),
        near(
            line(
                "ЛС - Егору",
                Some(Word::Pm),
                LineFate::Relayed { to: Some(s("Егор")), end: TextEnd::Letter, later: false, held: false },
            ),
            "Егор",
        ),
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
        line("Отмена - Записка", Some(Word::Cancel), refused(Some(Kind::Note), None, RefusalSaid::NoteStays)),
        near(
            line(
                "Охота - Льва",
                Some(Word::Hunt),
                refused(Some(Kind::Hunt), Some("Лев"), RefusalSaid::TargetOut { nick: s("Лев") }),
            ),
            "Лев",
        ),
        line("ЛС - Вера", Some(Word::Pm), refused(Some(Kind::Pm), Some("Вера"), RefusalSaid::RelayOff)),
        line("ЛС - Вера", Some(Word::Pm), refused(Some(Kind::Pm), Some("Вера"), RefusalSaid::RelayCap { limit: 10 })),
        line("Клану", Some(Word::Clan), refused(Some(Kind::Clan), None, RefusalSaid::ClanCap { limit: 20 })),
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
        problem("Проверка - ‹Вера›", Some(Word::Check), ProblemKind::InBrackets),
        problem("Праверка - Вера", Some(Word::Check), ProblemKind::MisspeltWord),
        problem("Клнау: бьём ночью", Some(Word::Clan), ProblemKind::MisspeltWord),
        problem("Охота - Вера", Some(Word::Hunt), ProblemKind::BelowSignature),
        problem("ЛС - Вера:", Some(Word::Pm), ProblemKind::BelowSignature),
        problem("Re: Охота - Вера", Some(Word::Hunt), ProblemKind::SubjectReply),
        problem("", None, ProblemKind::Undecodable),
        problem("ЛС - Вера", Some(Word::Pm), ProblemKind::DoubtfulText),
    ];
    Receipt { lines, ..receipt() }
}

pub(super) fn answers(lang: Lang, samples: &mut Vec<Sample>) {
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
        answers: vec![Answer::Role(Box::new(RoleCard { first_turn: false, turn: 3, ..card(Role::Doctor) }))],
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

pub(super) fn strangers(lang: Lang, samples: &mut Vec<Sample>) {
    let help = Help {
        nick: s("Анна"),
        deadline: Some(deadline()),
        vote: VoteState::Missing,
        undecodable: false,
        asked: false,
        too_large: false,
        over: false,
        expelled: false,
    };
    let help_again = help.clone();
    let (over, expelled) = (Help { over: true, ..help.clone() }, Help { expelled: true, ..help.clone() });
    add(samples, lang, "help-over", Letter::Help(over));
    add(samples, lang, "help-expelled", Letter::Help(expelled));
    let too_large = Help { too_large: true, ..help.clone() };
    let undecodable =
        Help { undecodable: true, vote: VoteState::In(s("Сапожник")), deadline: None, ..help.clone() };
    add(samples, lang, "help", Letter::Help(help));
    samples.push((s("help-undecodable"), heading(lang, 0), Letter::Help(undecodable)));
    samples.push((s("help-asked"), heading(lang, 2), Letter::Help(Help { asked: true, ..help_again })));
    samples.push((s("help-too-large"), heading(lang, 2), Letter::Help(too_large)));
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

pub(super) fn questions(lang: Lang, samples: &mut Vec<Sample>) {
    let unproved = Confirm {
        nick: Some(s("Анна")),
        arrived: arrived(),
        why: AskedWhy::Unproved,
        lines: all_of(&["Суд Линча - Сапожник", "Охота - Лев"]),
        holds_more: false,
        last: false,
        until: Some(deadline()),
    };
    let later = Confirm { until: None, lines: Vec::new(), ..unproved.clone() };
    let weighty =
        Confirm { why: AskedWhy::Weighty, lines: all_of(&["Адрес - anna@example.org"]), ..unproved.clone() };
    let host = Confirm { nick: None, lines: all_of(&["Почему - Глеб"]), ..unproved.clone() };
    add(samples, lang, "confirm", Letter::Confirm(unproved));
    add(samples, lang, "confirm-later", Letter::Confirm(later));
    add(samples, lang, "confirm-weighty", Letter::Confirm(weighty));
    let (why, lines) = (AskedWhy::Weighty, all_of(&["Отменить игру"]));
    let part = Confirm { why, lines, holds_more: true, ..host.clone() };
    add(samples, lang, "confirm-last", Letter::Confirm(Confirm { last: true, ..host.clone() }));
    add(samples, lang, "confirm-host", Letter::Confirm(host));
    add(samples, lang, "confirm-host-part", Letter::Confirm(part));
    add(samples, lang, "moved", Letter::Moved(Moved { nick: s("Анна"), here: true }));
    add(samples, lang, "moved-before", Letter::Moved(Moved { nick: s("Анна"), here: false }));
    let address = |fate| line("Адрес - anna@example.org", Some(Word::Address), LineFate::Weighty { fate });
    let lines = vec![
        address(WeightyFate::Asked),
        address(WeightyFate::Done),
        address(WeightyFate::Unfit),
        line("Отпуск - 3-7 мая", Some(Word::Absence), LineFate::Away { first: s("03.05.2026"), last: s("07.05.2026") }),
        line("Отпуск - 3 мая", Some(Word::Absence), LineFate::Away { first: s("03.05.2026"), last: s("03.05.2026") }),
        line("Отпуск - скоро", Some(Word::Absence), LineFate::NoDays),
        line("Отказ", Some(Word::Leave), LineFate::Weighty { fate: WeightyFate::Asked }),
        line("Отказ", Some(Word::Leave), LineFate::Weighty { fate: WeightyFate::Done }),
        line("Да", Some(Word::Yes), LineFate::NotNow),
    ];
    add(samples, lang, "receipt-weighty", Letter::Receipt(Receipt { lines, ..receipt() }));
}
