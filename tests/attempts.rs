//! Lines that look like requests and fail are answered with the nearest right form; prose stays prose.

#![cfg(test)]

mod house;

use house::{House, SEVEN};
use omerta::request::read::read;
use omerta::request::words::kind_name;

/// The problems of a line: `kind problem`.
fn problems(line: &str) -> Vec<String> {
    let reading = read("", line);
    assert_eq!(reading.requests().count(), 0, "{line} is a request");
    let name = |problem: &omerta::request::Problem| {
        let word = problem.word.map(kind_name).unwrap_or_default();
        format!("{word} {}", serde_json::to_value(problem.problem).unwrap().as_str().unwrap())
    };
    reading.problems().map(name).collect()
}

const ATTEMPTS: &[(&str, &str)] = &[
    ("Суд Линьча - Аня", "lynch misspelt_word"),
    ("Суд Личча - Аня", "lynch misspelt_word"),
    ("Сут Линча - Аня", "lynch misspelt_word"),
    ("суд линчя - аня", "lynch misspelt_word"),
    ("Суд Лнича: Аня", "lynch misspelt_word"),
    ("Сул Линьча — Дон Педро", "lynch misspelt_word"),
    ("Гослос - Аня", "lynch misspelt_word"),
    ("Глоос - Аня", "lynch misspelt_word"),
    ("Голсо: Аня", "lynch misspelt_word"),
    ("Голлос — «Аня»", "lynch misspelt_word"),
    ("Лнич - Аня", "lynch misspelt_word"),
    ("Lynhc - X", "lynch misspelt_word"),
    ("Linch - Bob", "lynch misspelt_word"),
    ("Voet - Bob", "lynch misspelt_word"),
    ("Oхотта - Аня", "hunt misspelt_word"),
    ("Ахота - Аня", "hunt misspelt_word"),
    ("1. Охтоа - Кот-Баюн", "hunt misspelt_word"),
    ("Охоту - Аня", "hunt misspelt_word"),
    ("Hutn - Bob", "hunt misspelt_word"),
    ("Убийсво - Аня", "kill misspelt_word"),
    ("Убийстов - Аня", "kill misspelt_word"),
    ("Убиство - аня", "kill misspelt_word"),
    ("Klil - Bob", "kill misspelt_word"),
    ("Праверка - Аня", "check misspelt_word"),
    ("праверка: аня", "check misspelt_word"),
    ("Провека - Аня", "check misspelt_word"),
    ("Прверка — Рыжий Лис", "check misspelt_word"),
    ("Проверку - Аня", "check misspelt_word"),
    ("Поверка - Аня", ""),
    ("Chekc - Bob", "check misspelt_word"),
    ("Investgate - Bob", "check misspelt_word"),
    ("Личение - Аня", "heal misspelt_word"),
    ("Леченее - Аня", "heal misspelt_word"),
    ("Лечнеие - Аня", "heal misspelt_word"),
    ("Протект - Bob", ""),
    ("Protekt - Bob", "heal misspelt_word"),
    ("Поисх - Аня", "seek misspelt_word"),
    ("Поиск -", "seek no_argument"),
    ("Камикадзэ - Аня", "seek misspelt_word"),
    ("Писталет - Аня", "pistol misspelt_word"),
    ("Пистолед - Аня", "pistol misspelt_word"),
    ("Высрел - Аня", "pistol misspelt_word"),
    ("Pistel - Bob", "pistol misspelt_word"),
    ("Зпаиска - Аня: прощай", "note misspelt_word"),
    ("Записака - Аня: прощай", "note misspelt_word"),
    ("Записку - Аня: прощай", "note misspelt_word"),
    ("Предсмертная зописка - Аня: прощай", "note misspelt_word"),
    ("Клнау: бьём этой ночью", "clan misspelt_word"),
    ("Отмнеа - Охота", "cancel misspelt_word"),
    ("Адерс - new@mail.test", "address misspelt_word"),
    ("Жрибий - кит", "lot misspelt_word"),
    ("Охота -", "hunt no_argument"),
    ("Охота", "hunt no_argument"),
    ("Охота:", "hunt no_argument"),
    ("Суд Линча", "lynch no_argument"),
    ("Суд Линча - ???", "lynch no_argument"),
    ("Голос —", "lynch no_argument"),
    ("Vote -", "lynch no_argument"),
    ("Проверка.", "check no_argument"),
    ("Записка", "note no_argument"),
    ("Записка - Аня", "note no_text"),
    ("ЛС - Аня:", "pm no_text"),
    ("Клану:", "clan no_text"),
    ("Суд Линча Аня", "lynch no_separator"),
    ("суд линча аня!", "lynch no_separator"),
    ("Предсмертная записка Аня: прощай", "note no_separator"),
    ("Last will Bob", "note no_separator"),
    ("Суд Линча, Аня", "lynch no_separator"),
    ("суд линча; Дон Педро.", "lynch no_separator"),
    ("Суд Линча. Аня", "lynch no_separator"),
    ("Суд Линча…Аня", "lynch no_separator"),
    ("Last will, Bob", "note no_separator"),
    ("Last will, Bob: farewell", "note no_separator"),
    ("Отмена - поездки", "cancel no_argument"),
    ("Жребий", "lot no_argument"),
];

const PROSE: &[&str] = &[
    "Привет! Это я - ваш любимый сапожник.",
    "Голод - не тётка",
    "Голоса - 3 против Анны, 2 против Бориса",
    "Голоса: Анна 3, Борис 2",
    "Голосов - пять",
    "Голосую против Анны",
    "Город - спит",
    "Охоты - мало",
    "Охоту - отложим",
    "Охотник - Анна",
    "Неохота - вот и не пишу",
    "Убит - Борис",
    "Убита: Анна",
    "Убиты - Анна и Борис",
    "Убийца - Анна",
    "Убийца: дворецкий",
    "Убийства - дело рук мафии",
    "Рубить - так рубить",
    "Губить - дело нехитрое",
    "Любить - не значит верить",
    "Течение - быстрое",
    "Влечение - великая сила",
    "Увлечение - Анна",
    "Лечение, говорят, помогло",
    "Лечит - Дарья",
    "Лечил: доктор",
    "Значение - прежнее",
    "Поверить - трудно",
    "Поверка - это перекличка",
    "Проверки - позже",
    "Проверено - мин нет",
    "Проверил - Борис чист",
    "Поиски - дело долгое",
    "Диск - у Анны",
    "Риск - благородное дело",
    "Выстрелы - три",
    "Выстрелил: Борис",
    "Пистолеты - детям не игрушка",
    "Записки - в ящике",
    "Запись - в понедельник",
    "Запись: Анна",
    "Замена - Борис",
    "Измена - дело серьёзное",
    "Клан - это семья",
    "Клан: все свои",
    "План - такой",
    "План: сначала Анна",
    "Планы - на завтра",
    "Адресат - выбыл",
    "Допуск - по спискам",
    "Отпуска - с июля",
    "Заявление - на столе",
    "Смена - Анна",
    "Судья - Борис",
    "Судьба - злодейка",
    "Суд идёт",
    "Суд Линча, говорят, жесток",
    "Суд Линча. Вот о чём я думал весь этот длинный вечер.",
    "Суд Линча, ‹ник›",
    "Суда Линча - не будет",
    "Линия - занята",
    "Роли - розданы",
    "Статуя - на площади",
    "Игрок - Анна",
    "Правило - седьмое",
    "Слава - Анне",
    "Дача - моя крепость",
    "Мне кажется - это Анна",
    "Всё просто: Анна врёт, Борис молчит.",
    "Спасибо - до завтра",
    "P.S. голос мой - не товар",
    "Lunch - noon",
    "Lunch: Bob",
    "Project - Mayhem",
    "Protest - Bob",
    "Cheek - Bob",
    "Votes: Bob",
    "Votes - two for Bob",
    "Shot: Bob",
    "Shout - Bob",
    "Piston - broken",
    "Kills - two so far",
    "Hunting - Bob's hobby",
    "Clans - two",
    "Notes: see below",
    "I think it is Bob - he never writes",
    "See you tomorrow - Bob",
];

#[test]
fn attempts_name_the_right_form() {
    let mut wrong = Vec::new();
    for (line, expected) in ATTEMPTS {
        let found = problems(line).join("; ");
        if found != *expected {
            wrong.push(format!("{line}: {found:?}, not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(ATTEMPTS.iter().filter(|(_, expected)| !expected.is_empty()).count() >= 60);
}

#[test]
fn prose_with_dashes_stays_prose() {
    assert!(PROSE.len() >= 60);
    let loud: Vec<_> = PROSE.iter().map(|line| (line, problems(line))).filter(|(_, found)| !found.is_empty()).collect();
    assert!(loud.is_empty(), "{loud:#?}");
}

/// A misspelt request in a text would be passed on with it.
#[test]
fn a_misspelt_request_makes_a_text_doubtful() {
    assert_eq!(problems("ЛС - Юнга: привет\nПраверка - Аня"), ["pm doubtful_text"]);
    assert_eq!(read("", "ЛС - Юнга: привет\n| Праверка - Аня").requests().count(), 1);
}

fn town() -> House {
    let mut house = House::new();
    house.new_game("palermo", &SEVEN, &[]);
    house.start("palermo");
    house.close("palermo");
    house
}

/// Without a dash a word and a nick of the game are an attempt: told with the right form, each time, and never done.
#[test]
fn a_word_and_a_nick_without_a_dash_are_told_and_never_done() {
    let lines = [
        ("Убийство Анна", "Убийство - ‹ник›"),
        ("Убить Вера", "Убийство - ‹ник›"),
        ("Линч Вера!", "Суд Линча - ‹ник›"),
        ("проверить анну", "Проверка - ‹ник›"),
        ("Лечить себя", "Лечение - ‹ник›"),
        ("> вчера\nГолос Боррис", "Суд Линча - ‹ник›"),
        ("Добрый день!\n\n1. Охота «Вера»\n\nСпасибо", "Охота - ‹ник›"),
    ];
    let mut house = town();
    for (line, form) in lines {
        assert_eq!(problems(line), [""; 0], "no nick is known here: {line}");
        house.write("palermo", 3, line);
        house.round();
        let body = house.last("palermo", 3, "receipt").body;
        assert!(body.contains("после слова заявки нужен дефис") && body.contains(form), "{line}: {body}");
        let written = line.lines().find(|line| line.contains(' ') && !line.starts_with(['>', 'Д'])).unwrap();
        assert!(body.contains(written), "{line}: {body}");
    }
    let receipts = house.got_by("palermo", 3).iter().filter(|got| got.kind == "receipt").count();
    assert!(receipts >= lines.len(), "each is answered: {receipts}");
    assert!(house.table("palermo").game.ledger.acts.iter().all(|(_, act)| !format!("{act:?}").contains("Do {")));
}

/// Who fills in an example of ours and leaves its brackets is told; the example itself stays one.
#[test]
fn a_nick_in_the_brackets_of_our_examples_is_told_and_never_done() {
    let mut house = town();
    for line in ["Суд Линча - ‹Вера›", "Линч: ‹вера›.", "1. Lynch - ‹ Вера ›"] {
        assert_eq!(problems(line), [""; 0], "no nick is known here: {line}");
        house.write("palermo", 3, line);
        house.round();
        let body = house.last("palermo", 3, "receipt").body;
        assert!(body.contains("ник стоит в скобках ‹ ›") && body.contains(line), "{line}: {body}");
    }
    assert!(house.table("palermo").game.ledger.acts.iter().all(|(_, act)| !format!("{act:?}").contains("Do {")));
    let nicks = ["Вера", "Ник"];
    for line in [
        "Суд Линча - ‹ник›",
        "Lynch - ‹Nick›",
        "Суд Линча - ‹Вася›",
        "> Суд Линча - ‹Вера›",
        "│ Суд Линча - ‹Вера›",
        "ЛС - ‹Вера›: ‹текст›",
    ] {
        let among = read("", line).with_attempts(|written| omerta::request::names::is_named(&nicks, written));
        assert!(among.items.is_empty(), "{line}: {among:?}");
    }
}

#[test]
fn an_attempt_beside_good_lines_is_counted_and_its_text_goes_nowhere() {
    let mut house = town();
    house.write("palermo", 4, "Охота-Анна\nзаписка Вере: я мирная\nЛинч Анна\nСуд идёт");
    house.round();
    let got = house.last("palermo", 4, "receipt");
    assert!(got.subject.contains("1 из 3") || got.body.contains("1 из 3"), "{got:?}");
    assert!(got.body.contains("│ Линч Анна") && got.body.contains("│ записка Вере:"), "{}", got.body);
    assert!(!got.body.contains("мирная") && !got.body.contains("Суд идёт"), "{}", got.body);
    assert!(got.body.find("Охота-Анна") < got.body.find("записка Вере"), "{}", got.body);
}

/// What only begins with such a word, asks, or is quoted asks for nothing.
#[test]
fn prose_round_a_nick_stays_prose() {
    let prose = [
        "Суд идёт",
        "Суд Линча, говорят, жесток",
        "Суд Линча. Вот о чём я думал весь этот длинный вечер.",
        "Суд Линча, ‹ник›",
        "Суд над Анной будет скорым",
        "Убить Анна и Вера всегда успеют",
        "Голос Анны дрогнул",
        "Линч Анна?",
        "> Линч Анна",
        "│ Линч Анна",
        "Охота вер",
        "Анна, привет",
    ];
    let mut house = town();
    for (at, line) in (0..).zip(prose).filter(|(at, _)| *at < 7) {
        house.write("palermo", at, line);
    }
    house.round();
    for at in 0..7 {
        let told = house.got_by("palermo", at).iter().any(|got| got.body.contains("нужен дефис"));
        assert!(!told, "{}", prose[usize::from(at)]);
    }
    let nicks = ["Анна", "Вера"];
    for line in prose {
        let among = read("", line).with_attempts(|written| omerta::request::names::is_named(&nicks, written));
        assert!(among.items.is_empty(), "{line}: {among:?}");
    }
    let subject = read("Линч Анна", "").with_attempts(|written| omerta::request::names::is_named(&nicks, written));
    assert_eq!(subject.problems().count(), 1);
}

#[test]
fn a_writer_may_name_himself() {
    for (written, is_doctor) in [("себя", true), ("Меня.", true), ("- я", true), ("myself", true), ("себе", false)]
    {
        let mut house = town();
        house.write("palermo", if is_doctor { 3 } else { 0 }, &format!("Лечение - {written}"));
        house.round();
        let body = house.last("palermo", if is_doctor { 3 } else { 0 }, "receipt").body;
        assert_eq!(body.contains("понято как «Глеб»"), is_doctor, "{written}: {body}");
        assert!(!body.contains("такого игрока"), "{written}: {body}");
    }
    let mut house = House::new();
    let mut roster = SEVEN;
    roster[0].0 = "Я";
    house.new_game("palermo", &roster, &[]);
    house.start("palermo");
    house.close("palermo");
    house.write("palermo", 3, "Лечение - я");
    house.round();
    let body = house.last("palermo", 3, "receipt").body;
    assert!(!body.contains("понято как") && body.contains("Я"), "{body}");
}
