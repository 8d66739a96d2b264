//! Letters of our own making against what must be read in them: every rule of "Requests" has its rows.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use omerta::request::read::read;
use omerta::request::words::kind_name;
use omerta::request::{Item, JoinFields, Reading};
use omerta::rules::Gender;

/// A reading in one line: `lynch Боцман; note Юнга = текст / вторая строка; !no_argument`.
fn in_short(reading: &Reading) -> String {
    let items = reading.items.iter().map(|item| match item {
        Item::Request(request) => {
            let mut short = kind_name(request.word).to_owned();
            if let Some(argument) = &request.argument {
                short += &format!(" {argument}");
            }
            if let Some(text) = &request.text {
                short += &format!(" = {}", text.replace('\n', " / "));
            }
            if let Some(fields) = &request.fields {
                short += &fields_in_short(fields);
            }
            short
        }
        Item::Problem(problem) => format!("!{}", serde_json::to_value(problem.problem).unwrap().as_str().unwrap()),
    });
    items.collect::<Vec<_>>().join("; ")
}

fn fields_in_short(fields: &JoinFields) -> String {
    let gender = fields.gender.map(|gender| if gender == Gender::Male { "m" } else { "f" });
    let field = |value: Option<&str>| value.unwrap_or("-").to_owned();
    format!(
        " {{{}|{}|{}|{}}}",
        field(fields.character.as_deref()),
        field(fields.characteristic.as_deref()),
        field(gender),
        field(fields.forum_name.as_deref())
    )
}

fn check(rows: &[(&str, &str)]) {
    for (body, expected) in rows {
        assert_eq!(in_short(&read("", body)), *expected, "{body}");
    }
}

fn check_subjects(rows: &[(&str, &str, &str)]) {
    for (subject, body, expected) in rows {
        assert_eq!(in_short(&read(subject, body)), *expected, "{subject} // {body}");
    }
}

#[test]
fn every_word_in_both_languages() {
    check(&[
        ("Суд Линча - Боцман", "lynch Боцман"),
        ("Линч - Боцман", "lynch Боцман"),
        ("Суд - Боцман", "lynch Боцман"),
        ("Голос - Боцман", "lynch Боцман"),
        ("Lynch - Boatswain", "lynch Boatswain"),
        ("Vote - Boatswain", "lynch Boatswain"),
        ("Охота - Юнга", "hunt Юнга"),
        ("Hunt - Cabin Boy", "hunt Cabin Boy"),
        ("Убийство - Кок", "kill Кок"),
        ("Убить - Кок", "kill Кок"),
        ("Kill - Cook", "kill Cook"),
        ("Проверка - Кок", "check Кок"),
        ("Проверить - Кок", "check Кок"),
        ("Check - Cook", "check Cook"),
        ("Investigate - Cook", "check Cook"),
        ("Лечение - Кок", "heal Кок"),
        ("Лечить - Кок", "heal Кок"),
        ("Heal - Cook", "heal Cook"),
        ("Protect - Cook", "heal Cook"),
        ("Поиск - Кок", "seek Кок"),
        ("Камикадзе - Кок", "seek Кок"),
        ("Seek - Cook", "seek Cook"),
        ("Kamikaze - Cook", "seek Cook"),
        ("Пистолет - Кок", "pistol Кок"),
        ("Выстрел - Кок", "pistol Кок"),
        ("Pistol - Cook", "pistol Cook"),
        ("Shoot - Cook", "pistol Cook"),
        ("Записка - Юнга: прощай", "note Юнга = прощай"),
        ("Предсмертная записка - Юнга: прощай", "note Юнга = прощай"),
        ("Note - Boy: farewell", "note Boy = farewell"),
        ("Last will - Boy: farewell", "note Boy = farewell"),
        ("ЛС - Юнга: привет", "pm Юнга = привет"),
        ("PM - Boy: hello", "pm Boy = hello"),
        ("Клану: этой ночью Кок", "clan = этой ночью Кок"),
        ("Clan - the Cook tonight", "clan = the Cook tonight"),
        ("Отказ", "leave"),
        ("Выйти", "leave"),
        ("Leave", "leave"),
        ("Withdraw", "leave"),
        ("Отмена", "cancel"),
        ("Cancel", "cancel"),
        ("Роль\nСтатус\nИгроки\nПравила\nПомощь\nПочему\nДа", "role; status; players; rules; help; why; yes"),
        ("Role\nStatus\nPlayers\nRules\nHelp\nWhy\nYes", "role; status; players; rules; help; why; yes"),
        ("Адрес - new@mail.test", "address new@mail.test"),
        ("Address: new@mail.test", "address new@mail.test"),
        ("Адрес - <new@mail.test>.", "address new@mail.test"),
        ("Адрес - new@mail.test <mailto:new@mail.test>", "address new@mail.test"),
        ("Адрес-new@mail.test", "address new@mail.test"),
        ("Жребий - синий кит", "lot синий кит"),
        ("Lot - blue whale", "lot blue whale"),
        ("Отпуск - 1-5 декабря", "absence 1-5 декабря"),
        ("Away: 1 to 5 December", "absence 1 to 5 December"),
    ]);
}

#[test]
fn typography_never_matters() {
    check(&[
        ("суд линча - Боцман", "lynch Боцман"),
        ("СУД ЛИНЧА - Боцман", "lynch Боцман"),
        ("Суд Линча – Боцман", "lynch Боцман"),
        ("Суд Линча — Боцман", "lynch Боцман"),
        ("Суд Линча − Боцман", "lynch Боцман"),
        ("Суд Линча ‑ Боцман", "lynch Боцман"),
        ("Суд Линча: Боцман", "lynch Боцман"),
        ("Суд Линча : Боцман", "lynch Боцман"),
        ("Суд Линча -- Боцман", "lynch Боцман"),
        ("Суд Линча-Боцман", "lynch Боцман"),
        ("Суд Линча- Боцман", "lynch Боцман"),
        ("Суд Линча -Боцман", "lynch Боцман"),
        ("Суд Линча --Боцман", "lynch Боцман"),
        ("Суд Линча → Боцман", "lynch Боцман"),
        ("Суд-Линча - Боцман", "lynch Боцман"),
        ("Охота-Юнга", "hunt Юнга"),
        ("Охота—Юнга", "hunt Юнга"),
        ("Охота:Юнга", "hunt Юнга"),
        ("Суд Линча - «Боцман».", "lynch Боцман"),
        ("Суд Линча - \"Боцман\"", "lynch Боцман"),
        ("Суд Линча - “Боцман”", "lynch Боцман"),
        ("Суд Линча - „Боцман“", "lynch Боцман"),
        ("Суд Линча - 'Боцман'", "lynch Боцман"),
        ("«Суд Линча» - «Боцман»", "lynch Боцман"),
        ("*Суд Линча* - *Боцман*", "lynch Боцман"),
        ("«Суд Линча - Боцман»", "lynch Боцман"),
        ("• Суд Линча - Боцман", "lynch Боцман"),
        ("- Суд Линча - Боцман", "lynch Боцман"),
        ("* Суд Линча - Боцман", "lynch Боцман"),
        ("1. Суд Линча - Боцман", "lynch Боцман"),
        ("2) Охота - Юнга", "hunt Юнга"),
        ("1\u{fe0f}\u{20e3} Суд Линча - Боцман", "lynch Боцман"),
        ("👉 Суд Линча - Боцман", "lynch Боцман"),
        ("Суд Линча - Боцман 😀", "lynch Боцман"),
        ("Суд Линча - Боцман!", "lynch Боцман"),
        ("Суд Линча - Боцман)))", "lynch Боцман"),
        ("Суд Линча - Боцман (для всех)", "lynch Боцман"),
        ("Суд Линча - Боцман (для всех).", "lynch Боцман"),
        ("Охота - Юнга (для всех кроме мафии)", "hunt Юнга"),
        ("Суд Линча (для всех) - Боцман", "lynch Боцман"),
        ("Vote - Cook (for all)", "lynch Cook"),
        ("\u{a0}Суд\u{a0}Линча\u{2009}—\u{202f}Боцман", "lynch Боцман"),
        ("Суд\u{200b} Лин\u{ad}ча - Боц\u{ad}ман\u{feff}", "lynch Боцман"),
        ("Cуд Линча - Боцман", "lynch Боцман"),
        ("Суд Линча - Юныи\u{306} Моряк", "lynch Юный Моряк"),
        ("Суд Линча - Кот-Баюн", "lynch Кот-Баюн"),
        ("Охота - Кот - Баюн", "hunt Кот - Баюн"),
        ("Суд   Линча   -   Рыжий    Лис", "lynch Рыжий Лис"),
        ("Суд Линча - Боцман\r\nОхота - Юнга\r\n", "lynch Боцман; hunt Юнга"),
        ("лечение - ёж", "heal ёж"),
        ("Охота - Кот (рыжий)", "hunt Кот (рыжий)"),
        ("Охота - Боцман?", "hunt Боцман?"),
    ]);
}

#[test]
fn several_requests_and_their_order() {
    check(&[
        ("Суд Линча - Боцман\nСуд Линча - Кок", "lynch Боцман; lynch Кок"),
        ("Привет!\n\nОхота - Кок\nСпасибо.\nСтатус", "hunt Кок; status"),
        ("Охота - Кок\nОтмена - Охота", "hunt Кок; cancel hunt"),
    ]);
}

#[test]
fn cancelling() {
    check(&[
        ("Отмена - Суд Линча", "cancel lynch"),
        ("Отмена: голоса", "cancel lynch"),
        ("Отмена - охоты", "cancel hunt"),
        ("Отмена - Пистолет", "cancel pistol"),
        ("Отмена - записка", "cancel note"),
        ("Cancel - hunt", "cancel hunt"),
        ("Отмена - Охота - Юнга", "cancel hunt"),
        ("Отмена - всё", "cancel"),
        ("Отмена.", "cancel"),
        ("Отмена - поездки", "!no_argument"),
        ("Отмена -", "!no_argument"),
        ("Отмена охоты не поможет", ""),
    ]);
}

#[test]
fn attempts_are_never_silent() {
    check(&[
        ("Охота -", "!no_argument"),
        ("Охота:", "!no_argument"),
        ("Охота", "!no_argument"),
        ("Охота.", "!no_argument"),
        ("Суд Линча", "!no_argument"),
        ("Суд Линча - ???", "!no_argument"),
        ("Суд Линча - (для всех)", "!no_argument"),
        ("Vote -", "!no_argument"),
        ("Записка", "!no_argument"),
        ("Записка -", "!no_argument"),
        ("Записка - «»: текст", "!no_argument"),
        ("Записка - Юнга", "!no_text"),
        ("ЛС - Юнга:", "!no_text"),
        ("Клану:", "!no_text"),
        ("Клану", "!no_text"),
        ("Жребий", "!no_argument"),
        ("Суд Линча Боцман", "!no_separator"),
        ("суд линча боцман!", "!no_separator"),
        ("Суд Линча Боцман, он врёт", "!no_separator"),
        ("Предсмертная записка Юнга: прощай", "!no_separator"),
        ("Last will Boy", "!no_separator"),
        ("Охота -\nСуд Линча - Боцман", "!no_argument; lynch Боцман"),
    ]);
}

#[test]
fn prose_is_passed_over() {
    check(&[
        ("Боцман что-то недоговаривает, и суд линча тут не поможет.", ""),
        ("Охота Юнга", ""),
        ("Охота пуще неволи", ""),
        ("Суд линча никому из нас сегодня уже не поможет.", ""),
        ("Судья - Боцман", ""),
        ("Мой голос: Боцман", ""),
        ("Да, я согласен", ""),
        ("Да - я согласен", ""),
        ("Роль - так себе", ""),
        ("Роль моя мне нравится", ""),
        ("Статус: всё сложно", ""),
        ("Почему никто не пишет?", ""),
        ("Правила: прочёл", ""),
        ("Адрес - улица Ленина", ""),
        ("Адрес - мой прежний, a@b.test", ""),
        ("Адрес - a@b.test c@d.test", ""),
        ("Адрес", ""),
        ("Слово - серебро", ""),
        ("Суд-то идёт", ""),
        ("Охота-то удалась", ""),
        ("Check-in at noon", ""),
        ("Да-да", ""),
        ("Конец", ""),
        ("| Охота - Кок", ""),
        ("Сюжет - ночь", ""),
        ("", ""),
    ]);
}

#[test]
fn bare_words_stand_alone() {
    check(&[("Статус.", "status"), ("Да!", "yes"), ("- Роль", "role"), ("«Помощь»", "help"), ("Статус -", "status")]);
}

#[test]
fn our_own_examples_come_back() {
    check(&[
        ("Охота - ‹ник›", ""),
        ("  Суд Линча - ‹ник›", ""),
        ("Записка - ‹ник›: ‹текст›", ""),
        ("│ Охота - Кок", ""),
        ("  │ Охота - Кок", ""),
        ("• │ Охота - Кок", ""),
    ]);
}

#[test]
fn texts_and_their_ends() {
    check(&[
        ("Записка - Юнга\nНе верь коку.\nОн точит нож.", "note Юнга = Не верь коку. / Он точит нож."),
        ("Записка - Юнга:\n\nНе верь коку.\n\nПрощай.\n\n", "note Юнга = Не верь коку. /  / Прощай."),
        ("Записка - Юнга: раз\nдва\nКонец\nтри", "note Юнга = раз / два"),
        ("Note - Boy: one\nEnd.\ntwo", "note Boy = one"),
        ("ЛС - Юнга: привет\nУбийство - Кок", "pm Юнга = привет; kill Кок"),
        ("ЛС - Юнга: привет\nУбийство - «Кок» (для мафии).", "pm Юнга = привет; kill Кок"),
        ("ЛС - Юнга: раз\nЛС - Кок: два, три", "pm Юнга = раз; pm Кок = два, три"),
        ("ЛС - Юнга: раз\nКлану: два", "pm Юнга = раз; clan = два"),
        ("ЛС - Юнга: раз\nЗаписка -", "pm Юнга = раз; !no_argument"),
        ("ЛС - Юнга: раз\nСтатус", "pm Юнга = раз; status"),
        ("ЛС - Юнга: раз\nОтмена", "pm Юнга = раз; cancel"),
        ("ЛС - Юнга: раз\nОтмена - Охота", "pm Юнга = раз; cancel hunt"),
        ("ЛС - Юнга: раз\nСюжет: два", "pm Юнга = раз"),
        ("ЛС - Юнга: раз\n-- \nБоцман", "pm Юнга = раз"),
        ("ЛС - Юнга: раз\n\nОтправлено с iPhone", "pm Юнга = раз"),
        ("ЛС - Юнга: раз\n> чужое\nещё\nОхота - Кок", "pm Юнга = раз; hunt Кок"),
        ("ЛС - Юнга: раз\n\n27.11.2026 19:40, Омерта пишет:\n> чужое", "pm Юнга = раз"),
        ("ЛС - Юнга: суд линча тут не поможет\nи охота тоже", "pm Юнга = суд линча тут не поможет / и охота тоже"),
        ("ЛС - Юнга: раз\nСуд Линча не поможет", "pm Юнга = раз / Суд Линча не поможет"),
        ("ЛС - Юнга: раз\nОхота\nдва", "pm Юнга = раз / Охота / два"),
        ("Клану\n", "!no_text"),
        ("Клану -\nэтой ночью Кок", "clan = этой ночью Кок"),
        ("Клану: 👍", "clan = 👍"),
        ("Записка - Юнга — не верь коку", "note Юнга = не верь коку"),
        ("Записка - «Юнга» не верь коку", "note Юнга = не верь коку"),
        ("Записка: «Юнга»: не верь коку", "note Юнга = не верь коку"),
        ("ЛС-Юнга: привет", "pm Юнга = привет"),
        ("ЛС - Юнга: время 10:30 - приходи", "pm Юнга = время 10:30 - приходи"),
        ("ЛС - Юнга: «Он   врёт» 👨‍👩‍👧", "pm Юнга = «Он   врёт» 👨‍👩‍👧"),
        ("ЛС - Кот-Баюн: привет - пока", "pm Кот-Баюн = привет - пока"),
        ("  • ЛС — Юнга: раз", "pm Юнга = раз"),
    ]);
}

#[test]
fn texts_with_bars_and_doubts() {
    check(&[
        ("Записка - Юнга\n| Охота - Кок\nтак и сделай", "note Юнга = Охота - Кок / так и сделай"),
        ("Записка - Юнга\n|Конец\n|  отступ", "note Юнга = Конец /  отступ"),
        ("Записка - Юнга\n| Статус\n| ЛС - Кок: x", "note Юнга = Статус / ЛС - Кок: x"),
        ("Записка - Юнга\nОхота - Кок, а там посмотрим", "!doubtful_text"),
        (
            "Записка - Юнга\nраз\nОхота - это когда охотятся всем городом\nдва\nСуд Линча - Боцман",
            "!doubtful_text; lynch Боцман",
        ),
        ("ЛС - Юнга: раз\nОхота -", "!doubtful_text"),
        ("ЛС - Юнга: раз\nРоль - мафия", "!doubtful_text"),
        ("ЛС - Юнга: раз\nОхота - Кок?", "!doubtful_text"),
        ("ЛС - Юнга: раз\nОхота - ‹ник›", "!doubtful_text"),
        ("ЛС - Юнга: раз\nАдрес - new@mail.test", "!doubtful_text"),
        ("ЛС - Юнга: раз\nОхота - один два три четыре пять", "!doubtful_text"),
        ("ЛС - Юнга: раз\nОхота - Кок, а там посмотрим\nКонец\nСтатус", "!doubtful_text; status"),
    ]);
}

#[test]
fn proof_words_are_taken_out_first() {
    for (body, items, words) in [
        ("Слово - барсук-77\nОхота - Кок", "hunt Кок", vec!["барсук77"]),
        ("Записка - Юнга\nНе верь коку.\nСлово - каракатица-42", "note Юнга = Не верь коку.", vec!["каракатица42"]),
        ("Записка - Юнга\nраз\nСлово: «Ёж 07».\nдва", "note Юнга = раз / два", vec!["еж07"]),
        ("Word - badger77", "", vec!["badger77"]),
        ("слово барсук-77", "", vec!["барсук77"]),
        ("Слово - барсук", "", vec![]),
        ("Слово - барсук-777", "", vec![]),
        ("> Слово - барсук-77", "", vec![]),
        ("ЛС - Юнга: раз\nСлово - барсук-7", "!doubtful_text", vec![]),
        ("ЛС - Юнга: раз\nСлово - не воробей", "pm Юнга = раз / Слово - не воробей", vec![]),
    ] {
        let reading = read("", body);
        assert_eq!(in_short(&reading), items, "{body}");
        assert_eq!(reading.proof_words, words, "{body}");
    }
    assert_eq!(read("Re: Слово - барсук-77", "Охота - Кок").proof_words, ["барсук77"]);
}

#[test]
fn quotes_are_not_the_writers() {
    check(&[
        ("> Суд Линча - Кок\nОхота - Юнга\n> Убийство - Кок\nСтатус", "hunt Юнга; status"),
        ("Охота - Юнга\n\n-----Исходное сообщение-----\nОт: X\nСуд Линча - Кок", "hunt Юнга"),
        ("Охота - Юнга\n\nОт: Омерта\nДата: 27 ноября\nКому: p02\nТема: ход\n\nСуд Линча - Кок", "hunt Юнга"),
        ("пт, 27 нояб. 2026 г. в 19:40, Омерта <game@game.test>:\n\n> Суд Линча - Кок\n\nОхота - Юнга", "hunt Юнга"),
        ("Охота - Юнга\n-- \nСуд Линча - Кок", "hunt Юнга; !below_signature"),
        ("Охота - Юнга\nОтправлено из мобильной Яндекс Почты\nСуд Линча - Кок", "hunt Юнга; !below_signature"),
        ("AB> Суд Линча - Кок\nОхота - Юнга", "hunt Юнга"),
    ]);
}

/// Under a footer nobody can say whose a line is: it is not acted on, and its writer is told. Below a quote it is his.
#[test]
fn a_request_round_a_footer_is_read_or_told() {
    check(&[
        ("Суд Линча - Кок\n\n> Ход 3\n\nОтправлено с iPhone\n\nОхота - Юнга", "lynch Кок; !below_signature"),
        ("Суд Линча - Кок\n\nОтправлено с iPhone\n\n> Ход 3\n\nОхота - Юнга", "lynch Кок; hunt Юнга"),
        ("Отправлено с iPhone\n\n26 нояб. 2026 г., в 15:19, X написал(а):\n\n> Ход 3\n\nОхота - Юнга", "hunt Юнга"),
        (
            "Суд Линча - Кок\n\nSent from my iPhone\n\n> Turn 3\n\nHunt - Boy\n\nSent from my iPhone",
            "lynch Кок; hunt Boy",
        ),
        ("Отправлено из Почты Mail.ru\n\nОхота - Юнга", "!below_signature"),
        ("-- \nОтправлено из мобильной Яндекс Почты\nСтатус", "!below_signature"),
        ("Охота - Юнга\n-- \nСуд Линча Кок\nПраверка - Кок", "hunt Юнга; !below_signature; !below_signature"),
        ("Охота - Юнга\n-- \nЛС - Кок: слова\nи ещё", "hunt Юнга; !below_signature"),
        ("Охота - Юнга\n-- \nАня\n> Статус\n\nСтатус", "hunt Юнга; status"),
        // What a signature may well hold.
        ("Охота - Юнга\n-- \nАня\nАдрес: anna@mail.test\nГолос:\nРоль - директор", "hunt Юнга"),
        ("Охота - Юнга\n-- \nNote: This message is for you alone, and for nobody else.", "hunt Юнга"),
        ("Охота - Юнга\n-- \nСуд Линча - ‹ник›\n│ Суд Линча - Кок", "hunt Юнга"),
    ]);
    let reading = read("", "Отправлено с iPhone\nЛС - Кок: тайна\nКлану: тайна\nЗаписка - «Кок» тайна");
    let shown: Vec<&str> = reading.problems().map(|problem| problem.line.as_str()).collect();
    assert_eq!(shown, ["ЛС - Кок:", "Клану:", "Записка - «Кок»"], "no word of a text is shown");
}

#[test]
fn subjects() {
    check_subjects(&[
        ("Суд Линча - Боцман", "", "lynch Боцман"),
        ("[palermo] Суд Линча - Боцман", "привет", "lynch Боцман"),
        ("Суд Линча - Боцман", "Охота - Юнга", "hunt Юнга"),
        ("Суд Линча - Боцман", "Охота -", "lynch Боцман; !no_argument"),
        ("Суд Линча Боцман", "", "!no_separator"),
        ("Статус", "", "status"),
        ("ход 3", "привет", ""),
        ("Re: Суд Линча - Боцман", "спасибо!", "!subject_reply"),
        ("Re: Суд Линча - Боцман", "Охота - Юнга", "hunt Юнга"),
        ("RE[2]: Суд Линча - Боцман", "", "!subject_reply"),
        ("Fwd: Суд Линча - Боцман", "", "!subject_reply"),
        ("Отв: Суд Линча - Боцман", "", "!subject_reply"),
        ("Ответ: Суд Линча - Боцман", "", "!subject_reply"),
        ("Пересл: Суд Линча - Боцман", "", "!subject_reply"),
        ("НА: Суд Линча - Боцман", "", "!subject_reply"),
        ("HA: Суд Линча - Боцман", "", "!subject_reply"),
        ("Re: [palermo] Суд Линча - Боцман", "", "!subject_reply"),
        ("[palermo] Re: Re: Статус", "", "!subject_reply"),
        ("Re: Записка - Юнга", "прощай", "!subject_reply"),
        ("Re: [palermo] Ход 3: принято 1 из 2", "спасибо", ""),
        ("Re: Суд Линча", "", ""),
        ("Записка - Юнга", "Не верь коку.\n-- \nБ", "note Юнга = Не верь коку."),
        ("ЛС - Юнга: привет", "", "pm Юнга = привет"),
        ("ЛС - Юнга: привет", "С уважением", "pm Юнга = привет"),
        ("Заявка", "Персонаж - Сапожник\nПол - м", "join {Сапожник|-|m|-}"),
        ("Охота - ‹ник›", "", ""),
    ]);
}

#[test]
fn sign_up() {
    check(&[
        (
            "Заявка\nПерсонаж - Сапожник\nХарактеристика - Я всеми любимый сапожник этого города.\nПол - м\nФорумный ник - Vasya",
            "join {Сапожник|Я всеми любимый сапожник этого города.|m|Vasya}",
        ),
        (
            "Join\nCharacter - Cobbler\nTagline - Everybody's friend\nGender - female\nForum name - Bob",
            "join {Cobbler|Everybody's friend|f|Bob}",
        ),
        ("Заявка:\n\n• персонаж: «Сапожник»\n• пол: Ж\n", "join {Сапожник|-|f|-}"),
        ("Заявка - Сапожник\nПол - муж", "join {Сапожник|-|m|-}"),
        (
            "Заявка\nПерсонаж - Сапожник\nХарактеристика - Я всеми\nлюбимый\n\nЖду!",
            "join {Сапожник|Я всеми любимый|-|-}",
        ),
        ("Заявка\nПерсонаж - Сапожник\nЖребий - кит", "join {Сапожник|-|-|-}; lot кит"),
        ("Заявка\nПерсонаж - Сапожник\n-- \nПол - м", "join {Сапожник|-|-|-}"),
        ("Заявка", "join {-|-|-|-}"),
        ("Персонаж - Сапожник", ""),
        ("Заявка на участие принята?", ""),
    ]);
}

#[test]
fn the_receipts_line_never_holds_a_text() {
    let reading = read("", "• Записка — «Юнга»: тайна\nтайна");
    let request = reading.requests().next().unwrap();
    assert_eq!(request.line, "• Записка — «Юнга»:");
    let reading = read("", "Клану: тайна");
    assert_eq!(reading.requests().next().unwrap().line, "Клану:");
}

#[test]
fn a_letter_of_forty_thousand_requests_is_read_in_bounded_room() {
    let body = "Охота - Кок\nЗаписка - Юнга\nтекст\n".repeat(20_000);
    assert_eq!(read("", &body).items.len(), omerta::request::read::MAX_ITEMS);
}
