//! What a player could count, time or put in order instead of reading it.

use std::collections::BTreeMap;

use omerta::desk::command::Command;
use omerta::keys::Keys;
use omerta::rules::game::Life;
use omerta::rules::{Kind, PlayerId, Role};

use super::house::{House, address};
use super::play::{Stage, text};
use super::premise::{STEPS, Step, known};
use super::script::{Event, Line, Script, Turn, What, When};

const NINE: [Role; 12] = [
    Role::Citizen,
    Role::Mafioso,
    Role::Doctor,
    Role::Commissioner,
    Role::Sergeant,
    Role::Foundling,
    Role::Boss,
    Role::Kamikaze,
    Role::Maniac,
    Role::Citizen,
    Role::Citizen,
    Role::Citizen,
];

/// Prose is explained once a day.
const PROSE_AGAIN: &str = "И снова погода";

/// A request that a role may send and one that it may not, a duplicate, a cancel, talk, a nick that fits nobody: one
/// answer of the same kind to each, whoever asks.
#[test]
fn answers_have_one_shape_whatever_the_role() {
    let mut house = House::with("[security]\nreplies_per_hour = 1000\n");
    let town: Vec<(&str, Role)> = super::script::NICKS.into_iter().zip(NINE).collect();
    house.new_game("palermo", &town, &[]);
    house.start("palermo");
    house.close("palermo");
    let letters = [
        "Суд Линча - Олег",
        "Суд Линча - Лев",
        "Охота - Лев",
        "Убийство - Лев",
        "Убийство - Лев",
        "Проверка - Лев",
        "Лечение - Лев",
        "Поиск - Лев",
        "Пистолет - Лев",
        "Отмена - Пистолет",
        "Отмена - Убийство",
        "Отмена",
        "Записка - Лев: слово\nКонец",
        "ЛС - Лев: слово\nКонец",
        "Клану: слово\nКонец",
        "Роль",
        "Статус",
        "Игроки",
        "Почему",
        "Роль\nСтатус",
        "Суд Линча Лев",
        "Погода",
        PROSE_AGAIN,
    ];
    let passed_on = ["pm", "clan"];
    for text in letters {
        let before: Vec<usize> = (0..12).map(|player| house.got_by("palermo", player).len()).collect();
        house.wait(60);
        for player in 0..12 {
            // The order of arrival is that of the roster.
            let now = house.now();
            house.write_at("palermo", player, text, now, u32::from(player));
        }
        house.round();
        let mut shapes: BTreeMap<Vec<String>, Vec<Role>> = BTreeMap::new();
        for player in 0..12 {
            let at = house.now();
            let all = house.got_by("palermo", player);
            let answers: Vec<_> = all
                .iter()
                .skip(before[usize::from(player)])
                .filter(|got| !passed_on.contains(&got.kind.as_str()))
                .collect();
            let shape = answers.iter().map(|got| {
                let date =
                    mail_parser::MessageParser::default().parse(&got.raw).unwrap().date().unwrap().to_timestamp();
                assert_eq!(date, at.as_second(), "answers of one round bear one time");
                format!("{} {:?} {}", got.kind, got.subject.split(':').next(), build(&got.raw, &got.body))
            });
            shapes.entry(shape.collect()).or_default().push(NINE[usize::from(player)]);
        }
        same_pace(&mut house, text);
        assert_eq!(shapes.len(), 1, "«{text}» is answered in several shapes: {shapes:#?}");
        let shape = shapes.keys().next().unwrap();
        assert_eq!(shape.len(), usize::from(text != PROSE_AGAIN), "«{text}»: {shape:?}");
    }
}

/// How a letter is built: its headers by name and in order, with those values that no reader has for himself, its parts,
/// and of its body the times and what of a receipt stands there.
fn build(raw: &[u8], body: &str) -> String {
    const ONES_OWN: [&str; 7] =
        ["to", "subject", "message-id", "in-reply-to", "references", "reply-to", "content-transfer-encoding"];
    let letter = mail_parser::MessageParser::default().parse(raw).unwrap();
    let headers = letter.headers_raw().map(|(name, value)| {
        let is_ones_own = ONES_OWN.contains(&name.to_lowercase().as_str());
        format!("{name}: {}", if is_ones_own { "…" } else { value.trim() })
    });
    let flat = body.split_whitespace().collect::<Vec<_>>().join(" ");
    let time = |before: &str| {
        flat.split_once(before).and_then(|(_, rest)| rest.split_once("(Москва)")).map(|(time, _)| time.to_owned())
    };
    let has = |words: &str| flat.contains(words);
    format!(
        "{:?} parts: {} deadline: {:?} arrived: {:?} lines: {} standing: {}",
        headers.collect::<Vec<_>>(),
        letter.parts.len(),
        time("до срока: "),
        time("Письмо пришло в "),
        has("Строки письма:"),
        has("Сейчас за вами в ходе"),
    )
}

/// The answers of the last round stand in the queue, were due and left in the order in which the letters came, at the same
/// moment: nothing that hangs on a role holds one of them up.
fn same_pace(house: &mut House, text: &str) {
    let rows = house
        .daemon()
        .desk()
        .store
        .read(|tx| {
            let game = tx.game("palermo")?.unwrap();
            let rows = tx.outbox(game.id)?;
            let last = rows.iter().filter_map(|row| row.at).max();
            let rows: Vec<_> = rows.into_iter().filter(|row| row.at == last).collect();
            Ok::<_, omerta::store::StoreError>(rows)
        })
        .unwrap();
    let answers = rows.iter().filter(|row| !["pm", "clan"].contains(&row.kind.as_str()));
    let order: Vec<&str> = answers.clone().map(|row| row.to.as_str()).collect();
    let all: Vec<String> = (0..12).map(|player| address("palermo", player)).collect();
    if text != PROSE_AGAIN {
        assert_eq!(order, all, "«{text}»: the answers stand in the queue as the letters came");
    }
    let states: std::collections::BTreeSet<_> = answers.map(|row| (row.state.word(), row.attempts, row.at)).collect();
    assert!(states.len() <= 1, "«{text}»: {states:?}");
}

/// R34: as long as the Boss lives nothing in his letters tells a foundling from a citizen, whatever he tries, whoever
/// comes to him.
#[test]
fn a_foundling_reads_what_a_citizen_reads() {
    let me = 5u16;
    let say = |slot: u32, when: When, from: u16, lines: Vec<Line>| Event {
        slot,
        when,
        what: What::Letter { from, lines, twice: false },
    };
    let to = |kind: Kind, target: u16| Line::Do { kind, target: Some(target) };
    let mut turns = Vec::new();
    for number in 0..3u16 {
        let mut events = Vec::new();
        for player in (0..12).filter(|_| number > 0) {
            let vote = to(Kind::Lynch, if number == 1 { 9 } else { 10 });
            events.push(say(u32::from(player), When::Morning, player, vec![vote]));
        }
        // The clan comes to him, and the doctor is there; the commissioner looks at others.
        for (slot, killer) in [(20, 1), (21, 6), (22, 7)] {
            events.push(say(slot, When::Evening, killer, vec![to(Kind::Kill, if number == 1 { 11 } else { me })]));
        }
        events.push(say(23, When::Evening, 2, vec![to(Kind::Heal, if number == 1 { 11 } else { me })]));
        let all = [Kind::Kill, Kind::Check, Kind::Heal, Kind::Seek, Kind::Pistol, Kind::Hunt];
        events.push(say(30, When::Evening, me, all.map(|kind| to(kind, 0)).to_vec()));
        let talk = |kind| Line::Text { kind, target: Some(0), text: "слово".to_owned() };
        events.push(say(31, When::Evening, me, vec![talk(Kind::Clan), talk(Kind::Pm), talk(Kind::Note)]));
        events.push(say(
            32,
            When::Evening,
            me,
            vec![Line::Cancel(Some(Kind::Hunt)), to(Kind::Kill, 3), Line::Cancel(None)],
        ));
        events.push(say(33, When::LastMinute, me, vec![Line::Question("Роль"), Line::Question("Статус")]));
        events.push(say(34, When::LastMinute, me, vec![to(Kind::Lynch, if number == 1 { 9 } else { 10 })]));
        events.push(say(35, When::TooLate, me, vec![to(Kind::Kill, 0), to(Kind::Hunt, 0)]));
        events.push(say(36, When::Lost, me, vec![to(Kind::Heal, 0)]));
        events.push(say(37, When::AfterClose, me, vec![Line::Question("Роль")]));
        turns.push(Turn { events, forgives: false });
    }
    let foundling = Script { roles: NINE.to_vec(), rules: Vec::new(), turns };
    let mut citizen = foundling.clone();
    citizen.roles[usize::from(me)] = Role::Citizen;
    let steps = 1 + 3 * STEPS.len();
    assert_eq!(known(&foundling).alike(&known(&citizen), Some(me)), steps, "the rules tell him something");
    let mut stages = Stage::like(2, "");
    stages[0].add("palermo", &foundling, steps);
    stages[1].add("palermo", &citizen, steps);
    let mut boxes: Vec<_> = stages.iter().map(|stage| stage.mailbox(&address("palermo", me))).collect();
    let mut letters = 0;
    let course = std::iter::once((0, Step::Start)).chain((0..3).flat_map(|turn| STEPS.map(|step| (turn, step))));
    for (turn, step) in course {
        for stage in &mut stages {
            stage.play(turn, step);
        }
        let news: Vec<_> = boxes.iter_mut().map(super::play::Mailbox::news).collect();
        letters += news[0].len();
        let shown = |news: &Vec<(String, Vec<u8>)>| news.iter().map(|(_, raw)| text(raw)).collect::<String>();
        assert!(news[0] == news[1], "turn {} {step:?}:\n{}\n---\n{}", turn + 1, shown(&news[0]), shown(&news[1]));
    }
    assert!(letters > 25, "{letters}");
    let table = stages[0].house.table("palermo");
    assert_eq!(table.game.turn, 4);
    assert_eq!(table.player(PlayerId(6)).map(|boss| boss.life), Some(Life::Alive));
    assert_eq!(table.player(PlayerId(me)).map(|player| player.life), Some(Life::Alive));
}

/// The order of the private wave is that of a keyed rank: of game, turn and player, and of nothing else.
#[test]
fn the_order_of_private_letters_has_nothing_to_do_with_roles() {
    let mut house = House::new();
    let keys = Keys::new(house.daemon().desk().store.key());
    let mut roles = NINE.to_vec();
    for number in 0..4 {
        roles.rotate_left(3);
        let tag = format!("game{number}");
        let town: Vec<(&str, Role)> = super::script::NICKS.into_iter().zip(roles.iter().copied()).collect();
        house.new_game(&tag, &town, &[]);
        house.command(&tag, Command::Start);
        let mut ranked: Vec<u16> = (0..12).collect();
        ranked.sort_by_key(|player| keys.rank(&tag, 1, PlayerId(*player)));
        assert_eq!(queue(&mut house, &tag, "role"), ranked, "roles of {tag}");
        let opening: Vec<u16> = (0..12).collect();
        assert_eq!(queue(&mut house, &tag, "opening"), opening, "openings of {tag}");
    }
    // Nobody votes in turn 2, so that everybody is owed a private letter.
    house.round();
    house.close("game0");
    house.close("game0");
    house.command("game0", Command::Publish);
    let mut ranked: Vec<u16> = (0..12).collect();
    ranked.sort_by_key(|player| keys.rank("game0", 2, PlayerId(*player)));
    let by_next_turn: Vec<u16> = {
        let mut ranked: Vec<u16> = (0..12).collect();
        ranked.sort_by_key(|player| keys.rank("game0", 3, PlayerId(*player)));
        ranked
    };
    let queued = queue(&mut house, "game0", "warning");
    assert!(queued == ranked || queued == by_next_turn, "{queued:?}");
}

/// Players in the order in which their letters of that kind stand in the outbox.
fn queue(house: &mut House, tag: &str, kind: &str) -> Vec<u16> {
    let config = house.folder.join("config.toml");
    let listed = std::process::Command::new(env!("CARGO_BIN_EXE_omerta"))
        .arg("--config")
        .arg(config)
        .args(["letters", tag, "--json"])
        .output()
        .unwrap();
    let mut rows: Vec<serde_json::Value> = serde_json::from_slice(&listed.stdout).unwrap();
    rows.sort_by_key(|row| row["id"].as_i64());
    let of_kind = rows.iter().filter(|row| row["kind"] == kind);
    let player = |row: &serde_json::Value| (0..12).find(|player| row["to"] == address(tag, *player));
    of_kind.filter_map(player).collect()
}

/// Over many games each role, and each seat, stands as often in front as at the back. The key is fixed, so are the
/// numbers.
#[test]
fn no_role_is_served_first() {
    let keys = Keys::new([7; 32]);
    let games = 2000u16;
    let mut places: BTreeMap<(bool, u16), f64> = BTreeMap::new();
    for game in 0..games {
        let tag = format!("game-{game}");
        let mut ranked: Vec<u16> = (0..9).collect();
        ranked.sort_by_key(|player| keys.rank(&tag, 1 + game % 5, PlayerId(*player)));
        for (place, player) in (0u16..).zip(ranked) {
            // Roles go round the table, so that seat and role are told apart.
            for key in [(true, player), (false, (player + game) % 9)] {
                *places.entry(key).or_default() += f64::from(place);
            }
        }
    }
    assert_eq!(places.len(), 18);
    for (key, sum) in places {
        // Mean 4, deviation 2.58 / sqrt(2000) = 0.058: five of them.
        let mean = sum / f64::from(games);
        assert!((mean - 4.0).abs() < 0.29, "{key:?} stands at {mean} on average");
    }
}
