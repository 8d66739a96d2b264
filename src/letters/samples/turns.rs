//! What all get, and the hosts: notices, summaries, the end, trouble.

use super::{Sample, add, all_of, arrived, check, deadline, heading, next_deadline, s};
use crate::journal::{Held, SentToday};
use crate::letters::{
    Alert, Digest, DigestFact, DigestRow, ExpelledSaid, Fallen, Final, FinalRow, FinalTurn, Heading, Lang, Letter,
    LostLetter, MorningLetter, MorningTurn, MorningWaits, NextTurn, NobodyWhy, Notice, Office, OrderSaid, Orders,
    Reasons, Rope, ShotSaid, Stands, Summary, TopicGap, VoteState,
};
use crate::rules::game::Life;
use crate::rules::ledger::VoidWhy;
use crate::rules::report::{Cause, ExpelWhy, HuntResult, PublishVotes, StoppedBy};
use crate::rules::{Gender, Kind, Role, Winner};
use crate::schedule::LocalTime;

pub(super) fn notices(lang: Lang, samples: &mut Vec<Sample>) {
    let moved = Notice::DeadlineMoved { was: Some(deadline()), deadline: next_deadline() };
    let first = Notice::DeadlineMoved { was: None, deadline: next_deadline() };
    add(samples, lang, "notice-moved", Letter::Notice(moved));
    add(samples, lang, "notice-first", Letter::Notice(first));
    let all_voted = Notice::AllVoted { was: next_deadline(), deadline: deadline() };
    add(samples, lang, "notice-all-voted", Letter::Notice(all_voted));
    add(samples, lang, "notice-paused", Letter::Notice(Notice::Paused));
    add(samples, lang, "notice-resumed", Letter::Notice(Notice::Resumed { deadline: next_deadline() }));
    add(samples, lang, "notice-awaited", Letter::Notice(Notice::ResultsAwaited));
    samples.push((s("notice-cancelled"), heading(lang, 0), Letter::Notice(Notice::Cancelled)));
    add(samples, lang, "notice-replaced", Letter::Notice(Notice::Replaced { nick: s("Анна") }));
    add(samples, lang, "notice-answers-pause-host", Letter::Notice(Notice::HostAnswersPause));
    add(samples, lang, "notice-answers-pause", Letter::Notice(Notice::AnswersPause));
    add(samples, lang, "notice-talk-kept-back", Letter::Notice(Notice::TalkKeptBack));
    let waits = Notice::TalkWaits { to: vec![Some(s("Вера")), None] };
    add(samples, lang, "notice-talk-waits", Letter::Notice(waits));
    let rearranged = Notice::Rearranged {
        arrived: arrived(),
        standing: vec![(Kind::Lynch, s("Вера")), (Kind::Hunt, s("Лев"))],
        vote: VoteState::In(s("Вера")),
        note_to: Some(s("Егор")),
        deadline: Some(deadline()),
    };
    add(samples, lang, "notice-rearranged", Letter::Notice(rearranged));
    let nothing = Notice::Rearranged {
        arrived: arrived(),
        standing: Vec::new(),
        vote: VoteState::Missing,
        note_to: None,
        deadline: None,
    };
    add(samples, lang, "notice-rearranged-nothing", Letter::Notice(nothing));
    let copy = Notice::CopyFoundLate { arrived: arrived(), deadline: deadline() };
    add(samples, lang, "notice-copy-found-late", Letter::Notice(copy));
    for (name, own) in [("doctor", false), ("patient", true)] {
        let saved = Notice::Saved { nick: s("Вера"), own };
        add(samples, lang, &format!("notice-saved-{name}"), Letter::Notice(saved));
    }
    for (name, result) in [
        ("kills", HuntResult::Kills),
        ("dies", HuntResult::Dies),
        ("nothing", HuntResult::Nothing),
        ("saved", HuntResult::Saved),
    ] {
        let ended = Notice::HuntEnded { prey: s("Вера"), result };
        add(samples, lang, &format!("notice-hunt-{name}"), Letter::Notice(ended));
    }
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
        persons: Vec::new(),
        story: Vec::new(),
        paste: false,
    }
}

pub(super) fn summaries(lang: Lang, samples: &mut Vec<Sample>) {
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
        shot: Some(ShotSaid {
            by: s("Глеб"), at: fallen("Лев", None, Role::FoundlingMafioso), in_the_night: true
        }),
        tied: all_of(&["Лев", "Анна"]),
        expelled: vec![
            ExpelledSaid { nick: s("Егор"), gender: None, role: Some(Role::Citizen), why: ExpelWhy::MissedVotes },
            ExpelledSaid { nick: s("Зоя"), gender: None, role: None, why: ExpelWhy::Left },
        ],
        persons: vec![(s("Вера"), s("Марина К."))],
        saved: vec![s("Дарья")],
        story: vec![s(
            "Ночью над заливом шёл дождь.\nУтром на пристани нашли чемодан, а в нём, как водится, ещё чемодан, поменьше и потяжелее.\nГолос: кто-то кричал",
        )],
        paste: true,
        ..summary()
    }
}

/// A turn before it goes out; the same letter stands for many readers.
pub(super) fn previews(lang: Lang, samples: &mut Vec<Sample>) {
    use crate::letters::preview::{Correction, Preview, Previewed, Recipient};
    let player = |nick: &str| Recipient::Player(s(nick));
    let inside = |readers: Vec<Recipient>, everyone: bool, letter: Letter| Previewed { readers, everyone, letter };
    let letters = vec![
        inside(vec![player("Анна"), player("Nika")], true, Letter::Summary(summary())),
        inside(vec![Recipient::Moderator, Recipient::Forum], false, Letter::Summary(busy_summary())),
        inside(vec![player("Анна")], false, Letter::Result(check(true))),
    ];
    add(samples, lang, "preview", Letter::Preview(Preview { letters }));
    let void = vec![Letter::Result(check(true))];
    let letters = vec![Letter::Summary(summary())];
    add(samples, lang, "correction", Letter::Correction(Correction { letters, void: void.clone() }));
    add(samples, lang, "correction-void", Letter::Correction(Correction { letters: Vec::new(), void }));
}

pub(super) fn endings(lang: Lang, samples: &mut Vec<Sample>) {
    let row = |nick: &str, role, life, gender, person: Option<&str>| FinalRow {
        nick: s(nick),
        role,
        life,
        gender,
        person: person.map(s),
    };
    let told = |turn, ballots, fell, expelled| FinalTurn { turn, ballots, fell, expelled };
    let voted = vec![(s("Анна"), s("Борис"))];
    let end = Final {
        winner: Winner::Town,
        by_host: false,
        roster: vec![
            row("Анна", Role::Doctor, Life::Alive, Some(Gender::Female), Some("anna_k")),
            row("Борис", Role::Mafioso, Life::Dead, Some(Gender::Male), None),
            row("Егор", Role::Foundling, Life::Expelled, None, None),
        ],
        turns: vec![told(1, vec![], vec![], vec![s("Егор")]), told(2, voted, vec![s("Борис")], vec![])],
        seed: s("60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"),
        commitment: s("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
        lot_words: vec![(s("Анна"), s("крыжовник"))],
    };
    add(samples, lang, "final", Letter::Final(end.clone()));
    let by_host = Final { winner: Winner::Mafia, by_host: true, ..end.clone() };
    add(samples, lang, "final-by-host", Letter::Final(by_host));
    add(samples, lang, "final-draw", Letter::Final(Final { winner: Winner::Draw, lot_words: Vec::new(), ..end }));
    let facts = digest_facts(lang);
    let table = vec![
        DigestRow { nick: s("Анна"), role: Role::Doctor, life: Life::Alive, missed: 1, warned: 0 },
        DigestRow { nick: s("Вера"), role: Role::Citizen, life: Life::Dead, missed: 0, warned: 0 },
        DigestRow { nick: s("Егор"), role: Role::Foundling, life: Life::Expelled, missed: 2, warned: 1 },
    ];
    let reasons = match lang {
        Lang::Ru => s("Вера, мирный житель, погибает.\n1. Борис (мафиози) прислал «Убийство - Вера» (R42).\n"),
        Lang::En => s("Вера, townsperson, dies.\n1. Борис (mafioso) sent \"Kill - Вера\" (R42).\n"),
    };
    orders(lang, samples);
    add(samples, lang, "why", Letter::Why(Reasons { text: Some(reasons), roster: Vec::new() }));
    let nobody = Reasons { text: None, roster: all_of(&["Анна", "Вера"]) };
    add(samples, lang, "why-nobody", Letter::Why(nobody));
    mornings(lang, samples);
    add(samples, lang, "digest", Letter::Digest(Digest { summary: summary(), facts, table }));
}

fn digest_facts(lang: Lang) -> Vec<DigestFact> {
    let lost = match lang {
        Lang::Ru => "письмо потерялось",
        Lang::En => "the mail was lost",
    };
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
    for (who, alive, grounds) in [("Лев", true, lost), ("Егор", false, "")] {
        facts.push(DigestFact::Ruled { who: s(who), alive, grounds: s(grounds) });
    }
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
    facts.push(DigestFact::VoidMore { who: who(), more: 1990 });
    facts
}

pub(super) fn alerts(lang: Lang, samples: &mut Vec<Sample>) {
    let found = Alert::FoundLate { nick: s("Анна"), arrived: arrived(), deadline: deadline() };
    add(samples, lang, "alert-found-late", Letter::Alert(found));
    let misses = Alert::ManyMisses { nicks: all_of(&["Анна", "Вера", "Егор"]), living: 7 };
    add(samples, lang, "alert-misses", Letter::Alert(misses));
    let away = Alert::Away { nick: s("Анна"), first: s("03.05.2026"), last: s("07.05.2026") };
    add(samples, lang, "alert-away", Letter::Alert(away));
    let done = match lang {
        Lang::Ru => s("Записано, кто молчал в теме: Анна, Борис."),
        Lang::En => s("noted who was silent in the topic: Анна, Борис"),
    };
    add(samples, lang, "alert-moderator", Letter::Alert(Alert::Moderator { done: vec![done] }));
    for (name, by_itself, days) in [("silent", true, 2), ("silent-by-hand", false, 1)] {
        let silent = Alert::SilentInTopic { nicks: all_of(&["Анна", "Борис"]), days, by_itself };
        add(samples, lang, &format!("alert-{name}"), Letter::Alert(silent));
    }
    for (name, why) in [
        ("never", TopicGap::Never),
        ("until", TopicGap::Until { at: arrived() }),
        ("since", TopicGap::Since { at: arrived() }),
        ("named", TopicGap::Named { at: arrived() }),
        ("nobody", TopicGap::Nobody),
        ("many-games", TopicGap::ManyGames),
    ] {
        add(samples, lang, &format!("alert-topic-{name}"), Letter::Alert(Alert::TopicUnread { why, days: 2 }));
    }
    add(samples, lang, "alert-approval", Letter::Alert(Alert::AwaitsApproval));
    add(samples, lang, "alert-unsent", Letter::Alert(Alert::ResultsUnsent { nicks: all_of(&["Анна", "Вера"]) }));
    let nowhere = Heading { game: None, ..heading(lang, 0) };
    let unreachable = Letter::Alert(Alert::InboxUnreachable { since: arrived() });
    samples.push((s("alert-inbox"), nowhere.clone(), unreachable));
    add(samples, lang, "alert-clock", Letter::Alert(Alert::ClockLeapt { from: arrived(), days: 3652 }));
    add(samples, lang, "alert-blocked", Letter::Alert(Alert::SendingBlocked { until: arrived() }));
    samples.push((s("alert-quarantine"), nowhere, Letter::Alert(Alert::Quarantined { count: 2 })));
    for (name, unknown) in [("undelivered", false), ("unknown", true)] {
        let undelivered = Alert::Undelivered { kind: s("summary"), nick: s("Анна"), unknown };
        add(samples, lang, &format!("alert-{name}"), Letter::Alert(undelivered));
        let lost = |kind: &str, nick: &str| LostLetter { kind: s(kind), nick: s(nick) };
        let letters = vec![lost("summary", "Анна"), lost("receipt", "Вера"), lost("receipt", "Вера")];
        let many = Alert::ManyUndelivered { letters, more: if unknown { 0 } else { 3 }, unknown };
        add(samples, lang, &format!("alert-many-{name}"), Letter::Alert(many));
    }
    for (name, office, unknown) in
        [("host", Office::Host, false), ("moderator", Office::Moderator, true), ("forum", Office::Forum, false)]
    {
        let undelivered = Alert::OfficerUndelivered { kind: s("summary"), office, number: 1, unknown };
        add(samples, lang, &format!("alert-undelivered-{name}"), Letter::Alert(undelivered));
    }
    for (name, nick, rests) in
        [("gone", Some(s("Анна")), true), ("full", Some(s("Анна")), false), ("forum", None, false)]
    {
        let returned = Alert::Returned { kind: s("role"), nick, rests };
        add(samples, lang, &format!("alert-returned-{name}"), Letter::Alert(returned));
    }
    for (name, who) in [("seat-gone", s("Лев")), ("seat-gone-nameless", String::new())] {
        add(samples, lang, &format!("alert-{name}"), Letter::Alert(Alert::SeatGone { nick: s("Вера"), who }));
    }
    add(samples, lang, "alert-delayed", Letter::Alert(Alert::Delayed { kind: s("summary"), nick: Some(s("Анна")) }));
    samples.push((s("kept"), Heading { game: None, ..heading(lang, 0) }, Letter::Kept));
    counted_alerts(lang, samples);
}

/// Alerts whose words follow a number, or say less where less is known.
fn counted_alerts(lang: Lang, samples: &mut Vec<Sample>) {
    let day = Alert::Away { nick: s("Анна"), first: s("03.05.2026"), last: s("03.05.2026") };
    add(samples, lang, "alert-away-day", Letter::Alert(day));
    let one = Alert::SilentInTopic { nicks: all_of(&["Анна"]), days: 5, by_itself: true };
    add(samples, lang, "alert-silent-one", Letter::Alert(one));
    for (name, days) in [("day", 1), ("five", 5)] {
        let unread = Alert::TopicUnread { why: TopicGap::Never, days };
        add(samples, lang, &format!("alert-topic-{name}"), Letter::Alert(unread));
    }
    for (name, count) in [("one", 1), ("five", 5)] {
        let nowhere = Heading { game: None, ..heading(lang, 0) };
        samples.push((format!("alert-quarantine-{name}"), nowhere, Letter::Alert(Alert::Quarantined { count })));
        let letters = vec![LostLetter { kind: s("summary"), nick: s("Анна") }];
        let many = Alert::ManyUndelivered { letters, more: count, unknown: false };
        add(samples, lang, &format!("alert-many-and-{name}"), Letter::Alert(many));
    }
    let delayed = Alert::Delayed { kind: s("summary"), nick: None };
    add(samples, lang, "alert-delayed-forum", Letter::Alert(delayed));
}

/// The answers to a host's letters.
fn orders(lang: Lang, samples: &mut Vec<Sample>) {
    use crate::letters::orders::{Did, NotDone, did, not_done, taught_line};
    use crate::request::orders::Verb;
    let zone = "Europe/Moscow";
    let extended =
        did(lang, zone, &Did::DeadlineSet { deadline: next_deadline(), was: Some(deadline()), local: LocalTime::Once });
    let nobody = not_done(lang, &NotDone::UnknownNick { said: s("Аня"), nicks: vec![s("Анна"), s("Сапожник")] });
    let line = |said: &str, done: bool, told: crate::letters::orders::Said| OrderSaid {
        said: s(said),
        done,
        what: told.what,
        then: told.then,
    };
    let stands = Stands {
        state: s("playing"),
        phase: Some(s("open")),
        turn: 3,
        deadline: Some(next_deadline()),
        held: None,
        publishes: None,
        living: vec![s("Анна"), s("Сапожник")],
        owing: vec![s("Анна")],
        signup: None,
    };
    let nothing = Orders {
        arrived: arrived(),
        lines: Vec::new(),
        stands: None,
        reasons: None,
        forms: Vec::new(),
        bare_yes: None,
    };
    for (name, office) in [("yes", Office::Host), ("yes-moderator", Office::Moderator)] {
        let yes = Orders { bare_yes: Some(office), ..nothing.clone() };
        add(samples, lang, &format!("orders-{name}"), Letter::Orders(yes));
    }
    for (name, phase, held, publishes) in [
        ("settling", "settling", None, None),
        ("window", "window", Some(Held::Window), None),
        ("taken-back", "review", Some(Held::TakenBack), None),
        ("misses", "review", Some(Held::ManyMisses), None),
        ("approval", "review", Some(Held::Approval), None),
        ("by-itself", "review", Some(Held::Approval), Some(next_deadline())),
    ] {
        let deadline = Some(deadline()).filter(|_| phase == "settling");
        let stands = Stands { phase: Some(s(phase)), held, publishes, deadline, owing: Vec::new(), ..stands.clone() };
        let said = Orders { stands: Some(stands), ..nothing.clone() };
        add(samples, lang, &format!("orders-{name}"), Letter::Orders(said));
    }
    let lines = vec![
        line("Продлить - +1д", true, extended),
        line("Предупреждение - Аня", false, nobody),
        line("Пауза", false, not_done(lang, &NotDone::BelowSignature)),
    ];
    let obeyed = Orders { lines, stands: Some(stands), reasons: Some(s("R41")), ..nothing.clone() };
    add(samples, lang, "orders", Letter::Orders(obeyed));
    let forms = Verb::ALL.iter().map(|verb| taught_line(lang, *verb)).collect();
    add(samples, lang, "orders-forms", Letter::Orders(Orders { forms, ..nothing }));
}

fn mornings(lang: Lang, samples: &mut Vec<Sample>) {
    let busy = MorningLetter {
        since: Some(arrived()),
        letters: 12,
        late: 1,
        unclear: 2,
        asked: 1,
        silent: Vec::new(),
        turns: vec![
            MorningTurn { turn: 1, fell: vec![s("Глеб"), s("Вера")], ruled: Vec::new() },
            MorningTurn { turn: 2, fell: Vec::new(), ruled: vec![(s("Лев"), true), (s("Егор"), false)] },
        ],
        turn: 3,
        is_paused: false,
        is_review: true,
        deadline: None,
        living: 7,
        owing: Vec::new(),
        waits: MorningWaits {
            approval: true,
            many_misses: true,
            pause: false,
            resting: vec![s("Борис")],
            quarantined: 1,
            host_unreached: true,
        },
        inbox_read: Some(arrived()),
        queued: 4,
        sent_today: Some(SentToday { sent: 441, daily: 500, waits_until: Some(next_deadline()) }),
    };
    let nothing = MorningWaits {
        approval: false,
        many_misses: false,
        pause: false,
        resting: Vec::new(),
        quarantined: 0,
        host_unreached: false,
    };
    let quiet = MorningLetter {
        letters: 0,
        late: 0,
        unclear: 0,
        asked: 0,
        turns: Vec::new(),
        is_review: false,
        deadline: Some(next_deadline()),
        owing: vec![s("Борис"), s("Вера")],
        waits: nothing.clone(),
        queued: 0,
        sent_today: None,
        ..busy.clone()
    };
    let paused = MorningWaits { pause: true, ..nothing };
    let paused = MorningLetter { is_paused: true, deadline: None, waits: paused, owing: Vec::new(), ..quiet.clone() };
    let before =
        MorningLetter { silent: all_of(&["Анна", "Глеб"]), owing: Vec::new(), turn: 0, ..quiet.clone() };
    samples.push((s("morning-before"), heading(lang, 0), Letter::Morning(MorningLetter { deadline: None, ..before })));
    add(samples, lang, "morning", Letter::Morning(busy));
    add(samples, lang, "morning-quiet", Letter::Morning(quiet));
    add(samples, lang, "morning-paused", Letter::Morning(paused));
}
