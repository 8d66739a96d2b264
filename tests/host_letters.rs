//! What a host writes on a phone: each order as people write it, and the slips that nobody notices.
#![cfg(test)]

mod house;

use house::{Got, House, SEVEN, address};
use omerta::request::orders::{Verb, read};

const TAG: &str = "palermo";
const HOST: &str = "host@example.org";

fn town() -> House {
    let mut house = House::new();
    house.new_game(TAG, &SEVEN, &[]);
    house.start(TAG);
    house.round();
    house
}

fn raw(house: &House, id: &str, text: &str) -> Vec<u8> {
    let last = house.got(HOST).pop().unwrap().message_id;
    [format!("In-Reply-To: <{last}>\r\n").into_bytes(), house::raw_letter(HOST, TAG, id, text)].concat()
}

/// Answers the last letter that the host got.
fn order(house: &mut House, text: &str) -> Got {
    let second = house.now();
    let id = format!("{}@h.test", second.as_second());
    let letter = raw(house, &id, text);
    house.drop_in(&letter, second, 1);
    house.round();
    house.round();
    house.wait(1);
    house.got(HOST).into_iter().rfind(|got| got.in_reply_to.as_deref() == Some(&id)).expect("an answer")
}

fn words(got: &Got) -> String {
    got.body.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A35: the longer one stands, and the answer says so.
#[test]
fn a_shorter_loss_of_the_vote_behind_a_longer_one_changes_nothing_and_is_told() {
    let mut house = town();
    house.close(TAG);
    let got = order(&mut house, "Лишить голоса - Глеб: 4");
    assert!(words(&got).contains("Без голоса на 4 хода: Глеб. Кончится это само."), "{}", got.body);
    let letters = |house: &House| house.got(&address(TAG, 3)).iter().filter(|got| got.kind == "deprivation").count();
    assert_eq!(letters(&house), 1);
    let got = order(&mut house, "Лишить голоса - Глеб");
    let said = "Ничего не изменилось, раньше назначено дольше: Глеб до хода 5 включительно.";
    assert!(got.subject.contains("сделано 0 из 1") && words(&got).contains(said), "{}\n{}", got.subject, got.body);
    let got = order(&mut house, "Лишить голоса - Глеб, Анна: 2");
    let said = "Без голоса на 2 хода: Анна. Раньше назначено дольше, так и остаётся: Глеб до хода 5 включительно.";
    assert!(words(&got).contains(said), "{}", got.body);
    assert_eq!(letters(&house), 1, "no second letter");
    let until = |house: &mut House, player: usize| house.table(TAG).game.players[player].deprived_until;
    assert_eq!((until(&mut house, 3), until(&mut house, 0)), (5, 3));
    // As long as before, or longer: done.
    order(&mut house, "Лишить голоса - Глеб: 5");
    assert_eq!((until(&mut house, 3), letters(&house)), (6, 2));
}

#[test]
fn a_vote_taken_in_the_first_turn_is_no_vote_and_the_host_is_told() {
    let mut house = town();
    let got = order(&mut house, "Лишить голоса - Глеб");
    let said = "суда Линча в этом ходе нет, первый будет в ходе 2, и там голос уже вернётся. Чтобы не вернулся, \
                пришлите ещё раз, с числом 2 вместо 1.";
    assert!(words(&got).contains(said), "{}", got.body);
    let got = order(&mut house, "Лишить голоса - Глеб: 2");
    let said = "Этот ход тоже в счёте, хотя суда Линча в нём нет: пропадёт 1 голосование.";
    assert!(words(&got).contains(said), "{}", got.body);
    house.close(TAG);
    let got = order(&mut house, "Лишить голоса - Анна");
    assert!(!words(&got).contains("суда Линча в этом ходе нет"), "{}", got.body);
}

#[test]
fn turns_are_counted_in_words_and_what_is_no_number_is_named() {
    let mut house = town();
    for line in ["Лишить голоса - Глеб: два", "Лишить голоса — Глеб: на два хода", "Лишить голоса - Глеб на 2 хода"]
    {
        let got = order(&mut house, line);
        assert!(words(&got).contains("Без голоса на 2 хода: Глеб."), "{line}: {}", got.body);
    }
    let got = order(&mut house, "Лишить голоса - Глеб: до утра");
    assert!(words(&got).contains("Не понять, на сколько ходов: «до утра»."), "{}", got.body);
}

/// Whom it hurts reads why, and an expulsion can't be taken back.
#[test]
fn nobody_is_expelled_or_warned_without_a_word_why() {
    let mut house = town();
    for (line, form) in [
        ("Исключить - Глеб", "Исключить - ‹Глеб: ваши слова›"),
        ("Исключить - Глеб:", "Исключить - ‹Глеб: ваши слова›"),
        ("Предупреждение - глеб", "Предупреждение - ‹Глеб: ваши слова›"),
    ] {
        let got = order(&mut house, line);
        assert!(got.subject.contains("сделано 0 из 1"), "{line}: {}", got.subject);
        for part in ["Не сказано, за что.", form] {
            assert!(words(&got).contains(part), "{line}: no «{part}» in {}", got.body);
        }
    }
    let kinds = house.kinds(TAG, 3);
    assert!(!kinds.iter().any(|kind| kind == "expulsion" || kind == "warning"), "{kinds:?}");
    let got = order(&mut house, "Исключить - Глеб: грубил в теме");
    assert!(words(&got).contains("Исключение объявлено: Глеб."), "{}", got.body);
    assert!(house.last(TAG, 3, "expulsion").body.contains("│ грубил в теме"));
}

/// Done, asked about, or told with the form: nothing is passed over.
#[test]
fn what_people_write_is_done_or_answered_with_the_form() {
    const FORM: &str = "Похоже на распоряжение, но по такой строке не понять точно, на какое. Пишите так";
    let rows = [
        // Dashes, spaces, thanks, signatures, bullets, bold.
        ("Продлить — на 2 часа\n\nСпасибо!", "Сделано. Срок хода: понедельник, 30 ноября 2026 года, 15:00"),
        ("Пауза!\n\nС уважением,\nИрина", "Сделано. Игра на паузе"),
        ("**Продлить - +1ч**", "Сделано. Срок хода: понедельник, 30 ноября 2026 года, 14:00"),
        ("«Продлить - +1ч»", "Сделано. Срок хода: понедельник, 30 ноября 2026 года, 14:00"),
        // Nicks in another case, and other marks in the place of the colon.
        ("Предупреждение — Глебу: не пишите вслух роли\n\n--\nИрина", "Сделано. Предупреждение отправлено: Глеб."),
        ("Предупредить - Глеба, не пишите вслух", "Сделано. Предупреждение отправлено: Глеб."),
        ("Лишить голоса — Глеба, Анну и Бориса: на два хода", "Без голоса на 2 хода: Глеб, Анна, Борис."),
        ("Исключить - Глеба - грубил в теме", "Сделано. Исключение объявлено: Глеб."),
        ("Почему - Глеба", "Разбор по вашему запросу."),
        ("Замена - Глеба на new.gleb@example.org", "вы точно этого хотите?"),
        ("Замена - Глеб, new.gleb@example.org", "вы точно этого хотите?"),
        // Other words for the same.
        ("На паузу", "Сделано. Игра на паузе"),
        ("Закончить ход", "Сделано. Ход 1 окончен этой секундой."),
        ("Молчал - Глеб", "Записано, кто молчал в теме: Глеб."),
        ("Простить всех", "Прощать нечего: пропущенных голосов ни за кем нет."),
        ("Простить - Глеб, Анна", "Прощать нечего, пропущенных голосов нет: Глеб, Анна."),
        ("Закончить — победил город", "вы точно этого хотите?"),
        // What is no order says what would be one.
        ("Продлить на 2 часа", FORM),
        ("Статус\nПродлить на 2 часа", FORM),
        ("Статус\nИсключть - Глеб: грубил", FORM),
        ("Здравствуйте!\nПродлите, пожалуйста, срок.\nИрина", FORM),
        ("Лишить Глеба голоса на 2 хода", FORM),
        ("Исключить Глеба за грубость", FORM),
        ("Предпросмотр, пожалуйста", "Пишите так, и больше в строке ничего: «Предпросмотр»."),
    ];
    for (text, said) in rows {
        let mut house = town();
        let got = order(&mut house, text);
        assert!(words(&got).contains(said), "{text}: no «{said}» in {}\n{}", got.subject, got.body);
        let expelled = house.kinds(TAG, 3).contains(&"expulsion".to_owned());
        assert_eq!(expelled, said.contains("Исключение объявлено"), "{text}");
    }
}

/// Much of what a host orders can't be taken back.
#[test]
fn what_is_only_like_a_nick_is_nobodys() {
    let mut house = town();
    for (line, said) in [
        ("Исключить - Гле: грубил", "Игрока Гле в игре нет."),
        ("Исключить - Гелб: грубил", "Игрока Гелб в игре нет."),
        ("Лишить голоса - Борисс", "Игрока Борисс в игре нет."),
    ] {
        let got = order(&mut house, line);
        assert!(words(&got).contains(said), "{line}: {}", got.body);
    }
    assert!(house.table(TAG).living().count() == 7 && !house.kinds(TAG, 1).contains(&"deprivation".to_owned()));
}

/// An expulsion is of one player: of several that are named not the first one alone is meant, with the others as the reason.
#[test]
fn a_list_where_one_nick_is_wanted_does_nothing_to_the_first_of_it() {
    let mut house = town();
    for line in [
        "Исключить - Анна, Глеб: оба грубили",
        "Исключить - Анна, Глеб",
        "Исключить - Анну, Глеба и Бориса - грубили",
        "Исключить - Анна - Глеб: оба грубили",
        "Предупреждение - Анна, Глеб: тише",
    ] {
        let got = order(&mut house, line);
        assert!(got.subject.contains("сделано 0 из 1"), "{line}: {}\n{}", got.subject, got.body);
    }
    let kinds = house.kinds(TAG, 0);
    assert!(house.table(TAG).living().count() == 7 && !kinds.contains(&"warning".to_owned()), "{kinds:?}");
}

/// However often it is written in a day.
#[test]
fn what_is_nearly_an_order_is_answered_each_time() {
    let mut house = town();
    for _ in 0..3 {
        let got = order(&mut house, "Пауза, пожалуйста");
        assert!(words(&got).contains("«Пауза»"), "{}", got.body);
    }
    // A bare «Да» is another matter, whatever stands around it.
    let got = order(&mut house, "Да\nПродлите, пожалуйста, срок.");
    assert!(words(&got).contains("Ваше «Да» пришло"), "{}", got.body);
}

#[test]
fn the_words_to_a_player_are_told_without_what_the_mail_program_adds() {
    let mut house = town();
    let text = "Предупреждение - Глеб - не пишите вслух роли.\nЭто важно.\n\nОтправлено с iPhone";
    order(&mut house, text);
    let warning = house.last(TAG, 3, "warning").body;
    for line in ["│ не пишите вслух роли", "│ Это важно."] {
        assert!(warning.contains(line), "{warning}");
    }
    assert!(!warning.contains("Отправлено с"), "{warning}");
}

/// The bound, not the number that was written.
#[test]
fn a_vote_taken_for_too_long_is_answered_with_the_bound() {
    let mut house = town();
    for turns in ["31", "50", "1000"] {
        let got = order(&mut house, &format!("Лишить голоса - Вера: {turns}"));
        assert!(words(&got).contains("не больше 30 ходов"), "{}", got.body);
    }
}

/// What he is told is true of one who was expelled, and of a game that is over.
#[test]
fn who_was_expelled_and_who_writes_after_the_end_are_told_what_is_so() {
    let mut house = town();
    order(&mut house, "Исключить - Глеб: грубил в теме");
    let body = |got: Got| got.body.split_whitespace().collect::<Vec<_>>().join(" ");
    let told = body(house.last(TAG, 3, "expulsion"));
    assert!(told.contains("Вашу роль назовут итоги хода; до них молчите и о ней."), "{told}");
    let answers = |house: &House, player, said: &str| {
        house.got(&address(TAG, player)).into_iter().map(body).filter(|got| got.contains(said)).collect::<Vec<_>>()
    };
    house.write(TAG, 3, "Роль");
    house.round();
    let card = answers(&house, 3, "Ваша роль в ней была такая");
    assert!(card.len() == 1 && !card[0].contains("призрак"), "{card:?}");
    house.write(TAG, 3, "За что?!");
    house.round();
    let told = answers(&house, 3, "Письмо пришло. Вы больше не в игре");
    assert!(told.len() == 1 && !told[0].contains("Суд Линча"), "{told:?}");
    house.close(TAG);
    house.command(TAG, omerta::desk::command::Command::Finish { winner: omerta::rules::Winner::Town });
    house.round();
    let last = body(house.last(TAG, 0, "final"));
    assert!(last.contains("Исключены или ушли сами: Глеб.") && !last.contains("Погибли: Глеб"), "{last}");
    house.write(TAG, 0, "Роль");
    house.round();
    let card = answers(&house, 0, "тайна ролей (правило 3) снята");
    assert!(card.len() == 1 && !card[0].contains("исключают"), "{card:?}");
    house.write(TAG, 0, "Спасибо, отличная игра!");
    house.round();
    assert_eq!(answers(&house, 0, "заявок в ней больше не будет").len(), 1);
}

#[test]
fn a_misspelt_order_beside_good_ones_is_told_at_its_place() {
    let told = |body: &str| -> Vec<(Verb, bool)> {
        read("", body).told().into_iter().map(|line| (line.verb, line.nearly)).collect()
    };
    let (pause, status) = ((Verb::Pause, false), (Verb::Status, false));
    assert_eq!(told("Пауза\nОпубликвать\nСтатус"), [pause, (Verb::Publish, true), status]);
    assert_eq!(told("Спасибо!\nПуаза, пожалуйста\nСтатус"), [(Verb::Pause, true), status]);
    assert_eq!(told("Пауза\nПочему так вышло, расскажу вечером\n> Опубликвать"), [pause]);
    assert_eq!(told("Пауза\nПринято, спасибо!\nИрина"), [pause]);
    assert_eq!(told("Сюжет - Ночь.\nОпубликвать"), [(Verb::Story, false)], "a tale is no order");
    let mut house = town();
    let got = order(&mut house, "Пауза\nОпубликвать\nСтоп");
    assert!(got.body.contains("│ Опубликвать"), "{}", got.body);
    assert!(!got.subject.contains("из 1"), "{}", got.subject);
}
