//! The commands: in which scene, and how each is said by letter and by hand.

use omerta::request::orders::Verb;

use super::{Scene, TAG};

const FEED: &str = "https://f.test/7";
const NEW: &str = "newcomer@example.org";
const LINK: &str = "https://forum.example.org/t/7";
const POSTED: &str = "Опубликовано - https://forum.example.org/t/7";

pub struct Row {
    pub verb: Verb,
    pub scene: Scene,
    pub russian: &'static str,
    pub english: &'static str,
    pub line: &'static [&'static str],
}

const fn row(
    verb: Verb,
    scene: Scene,
    russian: &'static str,
    english: &'static str,
    line: &'static [&'static str],
) -> Row {
    Row { verb, scene, russian, english, line }
}

/// What is done.
pub const GOOD: &[Row] = &[
    row(Verb::Open, Scene::Made, "Открыть", "Open", &["open", TAG]),
    row(Verb::Close, Scene::SignUp, "Закрыть", "Close", &["close", TAG]),
    row(Verb::Accept, Scene::SignUp, "Принять - Борис", "Accept - Борис", &["accept", TAG, "Борис"]),
    row(Verb::Decline, Scene::SignUp, "Отклонить - Борис", "Decline - Борис", &["decline", TAG, "Борис"]),
    row(
        Verb::Decline,
        Scene::SignUp,
        "Отказать - Борис, Анна",
        "Decline - Борис, Анна",
        &["decline", TAG, "Борис", "Анна"],
    ),
    row(
        Verb::Decline,
        Scene::SignUp,
        "Отклонить - Борис и анна",
        "Decline - Борис and анна",
        &["decline", TAG, "Борис, анна"],
    ),
    row(Verb::Start, Scene::Full, "Начать", "Start", &["start", TAG]),
    row(
        Verb::Deadline,
        Scene::Playing,
        "Дедлайн - завтра 21:00",
        "Deadline - tomorrow 21:00",
        &["deadline", TAG, "tomorrow", "21:00"],
    ),
    row(Verb::Extend, Scene::Playing, "Продлить - на 2 часа", "Extend - +2h", &["extend", TAG, "+2h"]),
    row(Verb::Skip, Scene::Playing, "Пропустить - 31 декабря", "Skip - 31 December", &["skip", TAG, "31", "December"]),
    row(Verb::Pause, Scene::Playing, "Пауза", "Pause", &["pause", TAG]),
    row(Verb::Resume, Scene::Paused, "Продолжить", "Resume", &["resume", TAG]),
    row(Verb::Resolve, Scene::Playing, "Закрыть ход", "Resolve", &["resolve", TAG]),
    row(Verb::Publish, Scene::Review, "Опубликовать", "Publish", &["publish", TAG]),
    row(
        Verb::Story,
        Scene::Review,
        "Сюжет - Ночь была тиха.",
        "Story - Ночь была тиха.",
        &["story", TAG, "Ночь", "была", "тиха."],
    ),
    row(
        Verb::Rule,
        Scene::Review,
        "Решение - Анна: мертва, так вышло",
        "Rule - Анна: dead, так вышло",
        &["rule", TAG, "Анна", "dead", "так", "вышло"],
    ),
    row(Verb::Undo, Scene::Review, "Отменить ход", "Undo", &["undo", TAG]),
    row(Verb::Undo, Scene::Published, "Отменить ход", "Undo", &["undo", TAG]),
    row(
        Verb::Warn,
        Scene::Playing,
        "Предупреждение - Глеб: не подсказывайте",
        "Warn - Глеб: не подсказывайте",
        &["warn", TAG, "Глеб", "не", "подсказывайте"],
    ),
    row(
        Verb::Deprive,
        Scene::Playing,
        "Лишить голоса - Анна, Егор: 2 хода",
        "Deprive - Анна, Егор: 2 turns",
        &["deprive", TAG, "Анна", "Егор", "--turns", "2"],
    ),
    row(Verb::Forgive, Scene::Missed, "Простить - Егор", "Forgive - Егор", &["forgive", TAG, "Егор"]),
    row(Verb::Forgive, Scene::Missed, "Простить всем", "Forgive all", &["forgive", TAG, "all"]),
    row(
        Verb::Forgive,
        Scene::Missed,
        "Простить - Егор: молчание",
        "Forgive - Егор: silence",
        &["forgive", TAG, "Егор", "silence"],
    ),
    row(
        Verb::Expel,
        Scene::Playing,
        "Исключить - Глеб: грубость",
        "Expel - Глеб: грубость",
        &["expel", TAG, "Глеб", "грубость"],
    ),
    row(
        Verb::Replace,
        Scene::Playing,
        "Замена - Вера: newcomer@example.org",
        "Replace - Вера: newcomer@example.org",
        &["replace", TAG, "Вера", NEW],
    ),
    row(
        Verb::Posted,
        Scene::Published,
        "Опубликовано - https://forum.example.org/t/7",
        "Posted - https://forum.example.org/t/7",
        &["posted", TAG, "https://forum.example.org/t/7"],
    ),
    row(Verb::Wrote, Scene::Published, "Писали - Анна, Глеб", "Wrote - Анна, Глеб", &["wrote", TAG, "Анна", "Глеб"]),
    row(
        Verb::Silent,
        Scene::Published,
        "Молчали - Анна, Егор и Глеб",
        "Silent - Анна, Егор and Глеб",
        &["silent", TAG, "Анна", "Егор", "Глеб"],
    ),
    row(
        Verb::Deprive,
        Scene::Playing,
        "Лишить голоса - Анна и Егор: на два хода",
        "Deprive - Анна and Егор: two turns",
        &["deprive", TAG, "Анна и Егор", "--turns", "2"],
    ),
    row(Verb::Silent, Scene::Published, "Молчали - Анна", "Silent - Анна", &["silent", TAG, "Анна"]),
    row(Verb::Feed, Scene::Playing, "Лента - https://f.test/7", "Feed - https://f.test/7", &["feed", TAG, FEED]),
    row(Verb::Feed, Scene::Made, "Лента - нет", "Feed - none", &["feed", TAG, "none"]),
    row(Verb::Finish, Scene::Playing, "Закончить - мафия", "Finish - mafia", &["finish", TAG, "mafia"]),
    row(Verb::Cancel, Scene::Playing, "Отменить игру", "Cancel game", &["cancel", TAG]),
];

/// What is refused.
pub const BAD: &[Row] = &[
    row(Verb::Open, Scene::Playing, "Открыть", "Open", &["open", TAG]),
    row(Verb::Close, Scene::Playing, "Закрыть", "Close", &["close", TAG]),
    row(Verb::Accept, Scene::SignUp, "Принять - Ольга", "Accept - Ольга", &["accept", TAG, "Ольга"]),
    row(Verb::Decline, Scene::SignUp, "Отклонить - Ольга", "Decline - Ольга", &["decline", TAG, "Ольга"]),
    row(
        Verb::Accept,
        Scene::SignUp,
        "Принять - Борис и Ольга",
        "Accept - Борис and Ольга",
        &["accept", TAG, "Борис и Ольга"],
    ),
    row(
        Verb::Accept,
        Scene::SignUp,
        "Принять - Борис, Ольга",
        "Accept - Борис, Ольга",
        &["accept", TAG, "Борис", "Ольга"],
    ),
    row(Verb::Start, Scene::SignUp, "Начать", "Start", &["start", TAG]),
    row(Verb::Deadline, Scene::Playing, "Дедлайн - как-нибудь", "Deadline - whenever", &["deadline", TAG, "whenever"]),
    row(
        Verb::Deadline,
        Scene::Playing,
        "Дедлайн - 9999-01-01 21:00",
        "Deadline - 9999-01-01 21:00",
        &["deadline", TAG, "9999-01-01", "21:00"],
    ),
    row(Verb::Extend, Scene::Playing, "Продлить - +9999999ч", "Extend - +9999999h", &["extend", TAG, "+9999999h"]),
    row(Verb::Open, Scene::SignUp, "Открыть - +367д", "Open - +367d", &["open", TAG, "--until", "+367d"]),
    row(Verb::Posted, Scene::Made, POSTED, "Posted - https://forum.example.org/t/7", &["posted", TAG, LINK]),
    row(Verb::Extend, Scene::Playing, "Продлить - немного", "Extend - a bit", &["extend", TAG, "a", "bit"]),
    row(Verb::Skip, Scene::Playing, "Пропустить - 31 ферваля", "Skip - 31 Febuary", &["skip", TAG, "31", "Febuary"]),
    row(Verb::Pause, Scene::Paused, "Пауза", "Pause", &["pause", TAG]),
    row(Verb::Resume, Scene::Playing, "Продолжить", "Resume", &["resume", TAG]),
    row(Verb::Resolve, Scene::Made, "Закрыть ход", "Resolve", &["resolve", TAG]),
    row(Verb::Publish, Scene::Playing, "Опубликовать", "Publish", &["publish", TAG]),
    row(Verb::Story, Scene::Made, "Сюжет - Ночь.", "Story - Ночь.", &["story", TAG, "Ночь."]),
    row(
        Verb::Rule,
        Scene::Playing,
        "Решение - Анна: мертва, так",
        "Rule - Анна: dead, так",
        &["rule", TAG, "Анна", "dead", "так"],
    ),
    row(Verb::Undo, Scene::Playing, "Отменить ход", "Undo", &["undo", TAG]),
    row(
        Verb::Warn,
        Scene::Playing,
        "Предупреждение - Ольга: слово",
        "Warn - Ольга: слово",
        &["warn", TAG, "Ольга", "слово"],
    ),
    row(
        Verb::Deprive,
        Scene::Playing,
        "Лишить голоса - Анна, Ольга",
        "Deprive - Анна, Ольга",
        &["deprive", TAG, "Анна", "Ольга"],
    ),
    row(
        Verb::Forgive,
        Scene::Playing,
        "Простить - Егор: молчание",
        "Forgive - Егор: silence",
        &["forgive", TAG, "Егор", "silence"],
    ),
    row(Verb::Forgive, Scene::Missed, "Простить - Анна", "Forgive - Анна", &["forgive", TAG, "Анна"]),
    row(Verb::Forgive, Scene::Playing, "Простить всем", "Forgive all", &["forgive", TAG, "all"]),
    row(
        Verb::Deprive,
        Scene::Playing,
        "Лишить голоса - Анна: 31",
        "Deprive - Анна: 31",
        &["deprive", TAG, "Анна", "--turns", "31"],
    ),
    row(Verb::Forgive, Scene::Playing, "Простить - Ольга", "Forgive - Ольга", &["forgive", TAG, "Ольга"]),
    row(Verb::Expel, Scene::Playing, "Исключить - Глеб", "Expel - Глеб", &["expel", TAG, "Глеб"]),
    row(
        Verb::Expel,
        Scene::Playing,
        "Исключить - Ольга: слово",
        "Expel - Ольга: слово",
        &["expel", TAG, "Ольга", "слово"],
    ),
    row(
        Verb::Replace,
        Scene::Playing,
        "Замена - Ольга: newcomer@example.org",
        "Replace - Ольга: newcomer@example.org",
        &["replace", TAG, "Ольга", NEW],
    ),
    row(Verb::Posted, Scene::Published, "Опубликовано - там же", "Posted - there", &["posted", TAG, "there"]),
    row(Verb::Wrote, Scene::Published, "Писали - Анна, Ольга", "Wrote - Анна, Ольга", &["wrote", TAG, "Анна", "Ольга"]),
    row(Verb::Silent, Scene::Published, "Молчали - Ольга", "Silent - Ольга", &["silent", TAG, "Ольга"]),
    row(Verb::Feed, Scene::Playing, "Лента - там же", "Feed - there", &["feed", TAG, "there"]),
    row(Verb::Feed, Scene::Over, "Лента - https://f.test/7", "Feed - https://f.test/7", &["feed", TAG, FEED]),
    row(Verb::Finish, Scene::Playing, "Закончить - соседи", "Finish - neighbours", &["finish", TAG, "neighbours"]),
    row(Verb::Cancel, Scene::Over, "Отменить игру", "Cancel game", &["cancel", TAG]),
];
