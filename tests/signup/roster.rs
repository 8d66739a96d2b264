//! Who plays, for the forum, with photographs.

use std::process::Command as Process;

use mail_parser::{MessageParser, MimeHeaders};
use omerta::desk::command::{Command, Terms};

use crate::house::{Got, House};
use crate::opened;

const HOST: &str = "host@example.org";

fn picture() -> Vec<u8> {
    let mut png = std::io::Cursor::new(Vec::new());
    image::DynamicImage::new_rgb8(40, 20).write_to(&mut png, image::ImageFormat::Png).unwrap();
    png.into_inner()
}

/// Two with a photograph, five without.
fn signed_up(more: &str) -> House {
    let mut house = opened(more, &[("photo_required", "false")], Terms { max: Some(7), ..Terms::default() });
    let png = picture();
    house.mail_picture("p0@home.test", "Заявка - Дядя Стёпа\nХарактеристика - [img]x[/img]", "image/png", &png);
    for number in 1..6 {
        house.mail(&format!("p{number}@home.test"), "[palermo]", &format!("Заявка - Игрок {number}"));
    }
    house.mail_picture("p6@home.test", "Заявка - Nika\nХарактеристика - юнга", "image/png", &png);
    house.apply("late@home.test", "Поздний");
    house
}

fn roster(house: &House) -> Vec<Got> {
    house.got(HOST).into_iter().filter(|got| got.attachments.keys().any(|name| name.starts_with("roster"))).collect()
}

fn photograph(house: &mut House, number: u16) -> Vec<u8> {
    let kept = house.daemon().desk().store.read(|tx| {
        let game = tx.game("palermo")?.unwrap();
        tx.photograph(game.id, number)
    });
    kept.unwrap().unwrap()
}

#[test]
fn the_hosts_get_it_ready_to_paste_when_sign_up_closes() {
    let mut house = signed_up("");
    assert_eq!(roster(&house).len(), 0);
    house.command("palermo", Command::Close);
    house.round();
    let got = roster(&house).pop().unwrap();
    assert_eq!((got.kind.as_str(), got.turn), ("digest", 0));
    let names: Vec<&str> = got.attachments.keys().map(String::as_str).collect();
    assert_eq!(names, ["01-dyadya-styopa.jpg", "07-nika.jpg", "roster.bbcode.txt"]);
    let text = got.attachments["roster.bbcode.txt"].replace("\r\n", "\n");
    assert!(
        text.starts_with("[b]Дядя Стёпа[/b] — [\u{2060}img]x[\u{2060}/img]\n[img]01-dyadya-styopa.jpg[/img]\n"),
        "{text}"
    );
    assert!(text.contains("[b]Игрок 3[/b]\n") && !text.contains("Поздний"), "{text}");
    // The very picture that is kept, and no address of anybody.
    let message = MessageParser::default().parse(&got.raw).unwrap();
    let part = message.attachments().find(|part| part.attachment_name() == Some("07-nika.jpg")).unwrap();
    assert_eq!(part.contents(), photograph(&mut house, 6));
    assert!(!String::from_utf8_lossy(&got.raw).contains("home.test"));
    assert!(!house.got("p1@home.test").iter().any(|got| got.kind == "digest"));
}

#[test]
fn the_command_line_writes_it_into_a_folder_in_the_games_markup() {
    let mut house = signed_up("[forum]\nmarkup = \"html\"\n");
    house.command("palermo", Command::Close);
    house.command("palermo", Command::Start);
    let folder = house.folder.join("forum");
    let omerta = |more: &[&str]| {
        let mut process = Process::new(env!("CARGO_BIN_EXE_omerta"));
        process.arg("--config").arg(house.folder.join("config.toml")).args(["game", "roster", "palermo"]).args(more);
        let said = process.output().unwrap();
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        String::from_utf8(said.stdout).unwrap()
    };
    let printed = omerta(&[]);
    assert!(printed.starts_with("<p><b>Дядя Стёпа</b> — "), "{printed}");
    omerta(&["-o", &folder.display().to_string()]);
    assert_eq!(std::fs::read_to_string(folder.join("roster.html")).unwrap().trim_end(), printed.trim_end());
    assert!(printed.contains("<p><img src=\"07-nika.jpg\" alt=\"\"></p>"), "{printed}");
    let written = std::fs::read(folder.join("01-dyadya-styopa.jpg")).unwrap();
    assert_eq!(written, photograph(&mut house, 0));
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 3);
}

#[test]
fn with_issued_nicks_it_waits_until_all_have_one() {
    let rules = [("photo_required", "false"), ("nick_source", "issued")];
    let mut house = opened("", &rules, Terms::default());
    for number in 0..7 {
        house.mail(&format!("p{number}@home.test"), "[palermo]", "Заявка\nХарактеристика - моряк");
    }
    let rows: String = (0..7).map(|number| format!("Кот {number},secret\n")).collect();
    let accounts = omerta::roster::read_accounts(format!("forum_name,password\n{rows}").as_bytes()).unwrap();
    house.command("palermo", Command::Accounts { accounts });
    house.command("palermo", Command::Close);
    house.round();
    assert_eq!(roster(&house).len(), 0);
    house.command("palermo", Command::Start);
    house.round();
    let got = roster(&house).pop().unwrap();
    let text = &got.attachments["roster.bbcode.txt"];
    assert!((0..7).all(|number| text.contains(&format!("[b]Кот {number}[/b] — моряк"))), "{text}");
    assert!(!String::from_utf8_lossy(&got.raw).contains("secret"));
}
