//! One letter after the other, and what it is answered.

use omerta::desk::command::{Command, Terms};
use omerta::journal::Entry;
use omerta::rules::Gender;
use omerta::signup::Seating;

use crate::{made, opened};

#[test]
fn from_nothing_to_a_running_game() {
    let mut house = opened("", &[("photo_required", "false")], Terms { min: Some(5), ..Terms::default() });
    let nicks = ["Анна", "Борис", "Вера", "Глеб", "Дарья", "Егор", "Жанна"];
    for (number, nick) in nicks.iter().enumerate() {
        house.apply(&format!("p{number}@home.test"), nick);
    }
    let joined = house.newest("p0@home.test");
    assert_eq!((joined.kind.as_str(), joined.turn), ("joined", 0));
    assert!(joined.subject.starts_with("[palermo] "), "{}", joined.subject);
    assert!(joined.body.starts_with("Место за вами, ваш ник: Анна."), "{}", joined.body);
    house.mail("p1@home.test", "[palermo]", "Жребий - рябина");
    house.wait(1);
    house.command("palermo", Command::Start);
    house.round();
    let table = house.table("palermo");
    assert_eq!(table.state.word(), "playing");
    let seated: Vec<&str> = table.game.players.iter().map(|player| player.nick.as_str()).collect();
    assert_eq!(seated, nicks);
    assert_eq!(table.game.players[0].gender, Some(Gender::Female));
    assert_eq!(table.lot_words, [("Борис".to_owned(), "рябина".to_owned())]);
    for number in 0..nicks.len() {
        let kinds: Vec<String> = house.got(&format!("p{number}@home.test")).into_iter().map(|got| got.kind).collect();
        assert!(kinds.ends_with(&["opening".to_owned(), "role".to_owned()]), "{number}: {kinds:?}");
    }
    // A vote by letter, with nothing but the address.
    house.mail("p2@home.test", "заявка", "Статус");
    assert_eq!(house.newest("p2@home.test").kind, "answer");
    // Nobody's address stands in anybody else's letter.
    for reader in 0..nicks.len() {
        for got in house.got(&format!("p{reader}@home.test")) {
            let text = String::from_utf8_lossy(&got.raw).into_owned();
            for other in (0..nicks.len()).filter(|other| *other != reader) {
                assert!(!text.contains(&format!("p{other}@home.test")), "{text}");
            }
        }
    }
}

#[test]
fn what_is_missing_is_asked_for_and_the_place_kept() {
    let mut house = opened("", &[], Terms { max: Some(1), ..Terms::default() });
    house.mail("anna@home.test", "Заявка", "");
    let first = house.newest("anna@home.test");
    assert_eq!(first.kind, "joined");
    assert!(first.body.contains("Не хватает: имени персонажа, краткой характеристики, фотографии."), "{}", first.body);
    house.mail("boris@home.test", "[palermo]", "Заявка - Борис");
    assert!(house.newest("boris@home.test").body.contains("впереди 0"), "{:?}", house.newest("boris@home.test").body);
    house.mail("anna@home.test", "", "Заявка\nПерсонаж: Анна\nХарактеристика: кафе");
    let second = house.newest("anna@home.test");
    assert!(second.body.contains("Не хватает: фотографии."), "{}", second.body);
    // Without the word nothing is changed, and she hears how it is done, however lately she was answered.
    house.mail("anna@home.test", "", "Характеристика: чайная");
    let third = house.newest("anna@home.test");
    assert_ne!(third.message_id, second.message_id);
    assert!(third.body.replace('\n', " ").contains("снова строка «Заявка»"), "{}", third.body);
    let told = house.seatings();
    assert_eq!(told, [("Анна".to_owned(), Seating::Kept), ("Борис".to_owned(), Seating::Waiting)]);
}

#[test]
fn a_freed_place_goes_to_the_first_of_the_list_who_is_told() {
    let mut house = opened("", &[], Terms { max: Some(1), ..Terms::default() });
    for (address, nick) in [("anna@home.test", "Анна"), ("boris@home.test", "Борис"), ("vera@home.test", "Вера")]
    {
        house.apply(address, nick);
    }
    house.mail("anna@home.test", "[palermo]", "Отказ");
    assert!(house.newest("anna@home.test").body.contains("ваше место свободно"));
    let told = house.newest("boris@home.test");
    assert_eq!(told.kind, "joined");
    assert!(told.body.starts_with("Место за вами, ваш ник: Борис."), "{}", told.body);
    assert_eq!(house.got("vera@home.test").len(), 1, "who still waits is told nothing");
    // Who comes back stands at the end of the list, under his nick.
    house.mail("anna@home.test", "[palermo]", "Заявка");
    let told = house.seatings();
    let expected = [("Анна", Seating::Waiting), ("Борис", Seating::Kept), ("Вера", Seating::Waiting)];
    assert_eq!(told, expected.map(|(nick, seating)| (nick.to_owned(), seating)));
    assert!(house.newest("anna@home.test").body.contains("впереди 1"));
    // More places: the list moves up.
    house.command("palermo", Command::Open(Terms { max: Some(2), ..Terms::default() }));
    assert_eq!(house.seatings()[2].1, Seating::Kept);
}

#[test]
fn one_address_has_one_place_and_no_nick_can_be_taken_for_another() {
    let mut house = opened("", &[], Terms::default());
    house.apply("anna.k@gmail.com", "Анна");
    // The same mailbox by another of its names: a change, no second place.
    house.mail("annak+mafia@googlemail.com", "[palermo]", "Заявка - Нина");
    assert_eq!(house.seatings(), [("Нина".to_owned(), Seating::Kept)]);
    // Capitals, ё and Latin letters that look like Cyrillic ones.
    house.apply("second@home.test", "Пётр");
    for (number, nick) in ["нина", "НИНА", "Hина", "Петр"].into_iter().enumerate() {
        let address = format!("twin{number}@home.test");
        house.apply(&address, nick);
        let joined = house.newest(&address);
        assert!(joined.body.contains("не отличить от другого"), "{nick}: {}", joined.body);
        assert!(joined.body.contains("Не хватает: имени персонажа"), "{nick}: {}", joined.body);
    }
    house.apply("odd@home.test", "Аня, Ваня");
    assert!(house.newest("odd@home.test").body.contains("Такой ник не подойдёт"));
    // Who has no nick by the close has no place.
    house.command("palermo", Command::Close);
    house.round();
    assert!(house.newest("odd@home.test").body.contains("ника у вас так и не появилось"));
    assert_eq!(house.applicants().iter().filter(|one| one.seating == Seating::Kept).count(), 2);
}

#[test]
fn a_closed_sign_up_refuses_with_words() {
    let mut house = made("", &[]);
    house.mail("early@home.test", "[palermo]", "Заявка - Рано");
    assert_eq!(house.newest("early@home.test").kind, "refused");
    house.command("palermo", Command::Open(Terms { until: Some("+2h".to_owned()), ..Terms::default() }));
    house.apply("anna@home.test", "Анна");
    // By the clock, and not before mail that was on its way has come in.
    let until = house.table("palermo").signup.unwrap().until.unwrap();
    house.set_clock(until);
    house.round();
    assert!(house.table("palermo").signup.unwrap().open);
    house.apply("late@home.test", "Поздно");
    assert!(house.newest("late@home.test").body.contains("закрыта"), "{}", house.newest("late@home.test").body);
    house.wait(120);
    house.round();
    house.round();
    assert!(!house.table("palermo").signup.unwrap().open);
    house.mail("anna@home.test", "[palermo]", "Отказ");
    let told = house.newest("anna@home.test");
    assert!(told.body.contains("Не принято: запись закрыта."), "{}", told.body);
    assert_eq!(house.seatings(), [("Анна".to_owned(), Seating::Kept)]);
}

#[test]
fn the_host_accepts_and_declines_by_letter_where_he_wants_to() {
    let mut house = opened("approve_applicants = true", &[], Terms::default());
    house.apply("anna@home.test", "Анна");
    assert!(house.newest("anna@home.test").body.contains("решает Ведущая"));
    let alert = house.newest("host@example.org");
    assert_eq!(alert.kind, "alert");
    assert!(alert.body.contains("просится Анна"), "{}", alert.body);
    house.apply("boris@home.test", "Борис");
    let reply = format!("In-Reply-To: <{}>\r\n", alert.message_id);
    house.mail_with("host@example.org", "Re: [palermo]", "Принять - Анна\nОтклонить - Борис\nПринять - Кто-то", &reply);
    let orders = house.newest("host@example.org");
    assert!(orders.subject.contains("сделано 2 из 3"), "{}", orders.subject);
    assert!(house.newest("anna@home.test").body.starts_with("Место за вами"));
    let first = house.newest("boris@home.test").message_id;
    let declined = house.newest("boris@home.test").body.replace('\n', " ");
    assert!(declined.contains("не берёт вас"), "{declined}");
    // Where he can ask why, and that this is not the place.
    assert!(declined.contains("на форуме: личным сообщением ведущему") && declined.contains("вопросы она не передаёт"));
    house.wait(25 * 3600);
    house.mail("boris@home.test", "[palermo]", "Почему вы меня не берёте?");
    let again = house.newest("boris@home.test").body.replace('\n', " ");
    assert!(again.contains("на форуме: личным сообщением ведущему"), "{again}");
    assert_ne!(house.newest("boris@home.test").message_id, first);
    house.mail("boris@home.test", "[palermo]", "Заявка - Борис");
    let told = house.seatings();
    assert_eq!(told, [("Анна".to_owned(), Seating::Kept), ("Борис".to_owned(), Seating::Declined)]);
    // And what was declined can be accepted after all.
    house.command("palermo", Command::judging(vec!["борис".to_owned()], true).unwrap());
    assert_eq!(house.seatings()[1].1, Seating::Kept);
}

#[test]
fn a_host_opens_and_closes_by_letter_in_both_languages() {
    let mut house = made("", &[]);
    house.command("palermo", Command::Open(Terms::default()));
    house.command("palermo", Command::Close);
    house.apply("nobody@home.test", "Никто-то");
    house.mail("host@example.org", "[palermo]", "Открыть - +3d\nНазвание: Зима\nИгроков: 5-9\nПриходите к морю.");
    // A host must be proved: he is asked, and says so.
    let question = house.newest("host@example.org");
    assert_eq!(question.kind, "confirm");
    let reply = format!("In-Reply-To: <{}>\r\n", question.message_id);
    house.mail_with("host@example.org", "Re: [palermo]", "Да", &reply);
    let table = house.table("palermo");
    let signup = table.signup.clone().unwrap();
    assert_eq!((signup.open, signup.min, signup.max), (true, Some(5), Some(9)));
    assert_eq!(table.title, "Зима");
    house.apply("anna@home.test", "Анна");
    let joined = house.newest("anna@home.test");
    assert!(joined.body.contains("│ Приходите к морю."), "{}", joined.body);
    assert!(joined.body.contains(&table.commitment), "{}", joined.body);
    house.mail_with("host@example.org", "Re: [palermo]", "Close", &reply);
    assert!(!house.table("palermo").signup.unwrap().open);
}

#[test]
fn a_letter_that_a_server_speaks_against_waits_for_its_writers_yes() {
    let mut house = opened("", &[], Terms::default());
    let against = "Authentication-Results: mx.test; dmarc=fail header.from=home.test\r\n";
    house.mail_with("anna@home.test", "[palermo]", "Заявка - Анна", against);
    let question = house.newest("anna@home.test");
    assert_eq!(question.kind, "confirm");
    assert_eq!(house.seatings(), [(String::new(), Seating::Came)]);
    let reply = format!("In-Reply-To: <{}>\r\n", question.message_id);
    house.mail_with("anna@home.test", "Re: [palermo]", "Да", &reply);
    assert_eq!(house.seatings(), [("Анна".to_owned(), Seating::Kept)]);
    // Nor does a forged withdrawal take the place away.
    house.mail_with("anna@home.test", "[palermo]", "Отказ", against);
    assert_eq!(house.seatings(), [("Анна".to_owned(), Seating::Kept)]);
}

#[test]
fn a_stranger_learns_once_a_day_how_to_join_and_several_games_are_listed() {
    let mut house = opened("", &[], Terms::default());
    house.mail("who@home.test", "привет", "Что тут у вас?");
    house.mail("who@home.test", "привет", "Ау?");
    let got = house.got("who@home.test");
    assert_eq!(got.len(), 1);
    assert_eq!(got[0].kind, "refused");
    assert!(got[0].body.contains("[palermo]"), "{}", got[0].body);
    house.new_game_of_nobody("corleone", &[]);
    house.command("corleone", Command::Open(Terms::default()));
    house.mail("both@home.test", "Заявка", "Заявка - Анна");
    let told = house.newest("both@home.test");
    assert!(told.body.contains("[palermo]") && told.body.contains("[corleone]"), "{}", told.body);
    assert!(house.applicants().is_empty());
    house.mail("both@home.test", "[corleone] Заявка - Анна", "");
    house.mail("both@home.test", "Статус", "");
    assert_eq!(house.newest("both@home.test").kind, "joined");
    let journal = house.journal("corleone");
    assert_eq!(journal.iter().filter(|entry| matches!(entry, Entry::SignupHeard(_))).count(), 2);
}

#[test]
fn whom_the_game_leaves_out_is_told_and_a_cancelled_game_tells_all() {
    let mut house = opened("", &[], Terms { max: Some(7), ..Terms::default() });
    for number in 0..8 {
        house.apply(&format!("p{number}@home.test"), &format!("Игрок {number}"));
    }
    house.new_game_of_nobody("corleone", &[]);
    house.command("corleone", Command::Open(Terms::default()));
    house.mail("vera@home.test", "[corleone]", "Заявка - Вера");
    house.command("corleone", Command::Cancel);
    house.command("palermo", Command::Start);
    house.round();
    assert!(house.newest("p7@home.test").body.contains("места для вас"), "{}", house.newest("p7@home.test").body);
    assert_eq!(house.newest("vera@home.test").kind, "notice");
}

#[test]
fn too_few_are_not_dealt_and_nothing_is_half_done() {
    let mut house = opened("", &[], Terms { min: Some(7), ..Terms::default() });
    for number in 0..6 {
        house.apply(&format!("p{number}@home.test"), &format!("Игрок {number}"));
    }
    let before = house.journal("palermo").len();
    let refused = house.try_command("palermo", Command::Start).unwrap_err().to_string();
    assert!(refused.contains("6 have a place, and the least is 7"), "{refused}");
    assert_eq!(house.journal("palermo").len(), before);
    assert!(house.table("palermo").signup.unwrap().open);
    let backwards = Terms { min: Some(9), max: Some(3), ..Terms::default() };
    assert!(house.try_command("palermo", Command::Open(backwards)).is_err());
    assert!(house.try_command("palermo", Command::judging(vec!["Никто".to_owned()], true).unwrap()).is_err());
}

#[test]
fn a_photograph_is_kept_small_and_without_what_it_carried() {
    let mut house = opened("", &[], Terms::default());
    let mut png = std::io::Cursor::new(Vec::new());
    image::DynamicImage::new_rgb8(2000, 1000).write_to(&mut png, image::ImageFormat::Png).unwrap();
    house.mail_picture("anna@home.test", "Заявка - Анна\nХарактеристика - кафе", "image/png", png.get_ref());
    let joined = house.newest("anna@home.test");
    assert!(joined.body.contains("Фотография получена.") && !joined.body.contains("Не хватает"), "{}", joined.body);
    let kept = house.daemon().desk().store.read(|tx| {
        let game = tx.game("palermo")?.unwrap();
        tx.photograph(game.id, 0)
    });
    let kept = image::load_from_memory(&kept.unwrap().unwrap()).unwrap();
    assert_eq!((kept.width(), kept.height()), (1024, 512));
    // It may come later, in a letter of its own; and HEIC is refused with a hint.
    house.mail_picture("boris@home.test", "Заявка - Борис\nХарактеристика - порт", "image/heic", b"\0\0\0\x18ftypheic");
    let joined = house.newest("boris@home.test");
    assert!(joined.body.contains("HEIC") && joined.body.contains("Не хватает: фотографии."), "{}", joined.body);
    house.mail_picture("boris@home.test", "Вот фото", "application/octet-stream; name=\"a.JPG\"", png.get_ref());
    assert!(house.newest("boris@home.test").body.contains("Фотография получена."));
    // Nobody has a place by a photograph alone.
    house.mail_picture("who@home.test", "Вот фото", "image/png", png.get_ref());
    assert_eq!(house.newest("who@home.test").kind, "refused");
    assert_eq!(house.applicants().len(), 2);
}

/// A word of the requests, and one that names a role or the host, is refused as what it is; with a word more it will do.
#[test]
fn a_nick_that_is_a_request_or_a_role_is_refused_in_clear_words() {
    let mut house = opened("", &[], Terms::default());
    for (nick, why) in [
        ("Молчал", "Этим словом пишут заявки или распоряжения"),
        ("Писали", "Этим словом пишут заявки или распоряжения"),
        ("Суд Линча", "Этим словом пишут заявки или распоряжения"),
        ("мафия", "Так в игре называют роль, сторону или ведущего"),
        ("Комиссар", "Так в игре называют роль, сторону или ведущего"),
        ("Мирный житель", "Так в игре называют роль, сторону или ведущего"),
        ("ведущая", "Так в игре называют роль, сторону или ведущего"),
    ] {
        house.mail("anna@home.test", "[palermo]", &format!("Заявка\nПерсонаж: {nick}"));
        let told = house.newest("anna@home.test").body.replace('\n', " ");
        assert!(told.contains(why), "{nick}: {told}");
        assert!(house.seatings().iter().all(|(known, _)| known.is_empty()), "{nick}");
    }
    house.mail("anna@home.test", "[palermo]", "Заявка\nПерсонаж: Дочь комиссара");
    assert_eq!(house.seatings(), [("Дочь комиссара".to_owned(), Seating::Kept)]);
}
