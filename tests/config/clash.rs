//! Settings that are right one by one and not together.

use expect_test::expect;
use omerta::config::Config;

use crate::{check, parse, with_host};

#[test]
fn two_things_at_one_place_are_a_fault() {
    check(
        "database = \"omerta.db\"\n\
         key_file = \"./x/../omerta.db\"\n\
         templates = \"mail/in/mine\"\n\
         [host]\naddresses = [\"host@example.org\"]\nword_file = \"config.toml\"\n\
         [inbox]\npath = \"mail/in\"\n\
         [outbox]\npath = \"mail/../mail/in/\"\n",
        expect![[r#"
            F:2: key_file: is the same place as database: /etc/omerta/omerta.db. Give each a place of its own.
            F:3: templates: lies inside outbox.path: /etc/omerta/mail/in. Move it to a folder beside that one.
            F:6: host.word_file: is the config file itself. Give it a name of its own.
            F:10: outbox.path: is the same folder as inbox.path, so that what we send would be read as mail to us. Name two folders, as in "mail/in" and "mail/out".
        "#]],
    );
    check(
        "database = \"mail/in/new/omerta.db\"\n\
         key_file = \"mail/in/new/omerta.db/key\"\n\
         [host]\naddresses = [\"host@example.org\"]\nword_file = \"mail/in/new/omerta.db-wal\"\n\
         [inbox]\nkind = \"imap\"\nserver = \"imap.example.org\"\nuser = \"m\"\npassword_file = \"secret\"\nca_file = \"secret\"\n\
         folders = [\"Inbox\", \"Games\", \"INBOX\"]\ndone_folder = \"inbox\"\n\
         [outbox]\nkind = \"smtp\"\nserver = \"smtp.example.org\"\nuser = \"m\"\npassword_file = \"secret\"\n\
         from = \"mafia@example.org\"\n",
        expect![[r#"
            F:2: key_file: lies below database, which is a file: /etc/omerta/mail/in/new/omerta.db. Give each a place of its own.
            F:5: host.word_file: is where the database keeps its -wal file. Give it a name of its own.
            F:10: inbox.password_file: is the same place as inbox.ca_file: /etc/omerta/secret. Give each a place of its own.
            F:12: inbox.folders: "INBOX" stands twice. Take one of them out.
            F:13: inbox.done_folder: is one of the folders that are read. Name a folder that is not read, as in done_folder = "Omerta".
            F:18: outbox.password_file: is the same place as inbox.ca_file: /etc/omerta/secret. Give each a place of its own.
        "#]],
    );
    check(
        &with_host("inbox.path = \"mail/in\"\ndatabase = \"mail/in/cur/omerta.db\"\noutbox.path = \"mail/in/new\"\n"),
        expect![[r#"
            F:3: database: lies inside inbox.path: /etc/omerta/mail/in. Move it to a folder beside that one.
            F:4: outbox.path: lies inside inbox.path: /etc/omerta/mail/in. Move it to a folder beside that one.
        "#]],
    );
    // Letters to somebody would be read as letters to us.
    for inside in ["host@example.org", "Host@example.org/x", "./host@example.org/new"] {
        let text = with_host(&format!("outbox.path = \"mail/out\"\ninbox.path = \"mail/out/{inside}\"\n"));
        let faults = parse(&text).expect_err(inside);
        assert_eq!((faults.len(), faults[0].key.as_str(), faults[0].line), (1, "inbox.path", 3), "{faults:?}");
        assert!(faults[0].what.contains("where the letters to host@example.org go"), "{}", faults[0]);
    }
    // INBOX is read where no folders are named, and is one folder in any case.
    let text = with_host(
        "inbox.kind = \"imap\"\ninbox.server = \"i.example.org\"\ninbox.user = \"m\"\ninbox.password = \"p\"\n",
    );
    assert_eq!(parse(&format!("{text}inbox.done_folder = \"inbox\"\n")).unwrap_err()[0].key, "inbox.done_folder");
    parse(&text).unwrap();
    // Two names of one place, by a link.
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("data")).unwrap();
    std::os::unix::fs::symlink("data", folder.path().join("link")).unwrap();
    let text = with_host("database = \"data/one\"\nkey_file = \"link/one\"\n");
    let faults = Config::parse(&text, &folder.path().join("config.toml")).unwrap_err();
    assert_eq!((faults.len(), faults[0].key.as_str(), faults[0].line), (1, "key_file", 3));
    // What lies beside each other, or below a folder of ours that nobody looks through, is right.
    parse(&with_host("outbox.path = \"mail\"\ninbox.path = \"mail/in\"\n")).unwrap();
    parse(&with_host(
        "inbox.path = \"mail\"\noutbox.path = \"mail/out\"\ntemplates = \"data\"\ndatabase = \"data/db\"\n",
    ))
    .unwrap();
}

#[test]
fn an_address_has_one_office() {
    check(
        "[host]\naddresses = [\"host@example.org\", \"m.afia@gmail.com\"]\n\
         [moderators]\naddresses = [\"mod@example.org\", \"mafia+mod@gmail.com\"]\n\
         [outbox]\nfrom = \"mafia@gmail.com\"\n\
         [forum]\npost_to = [\"host@example.org\", \"mod@example.org\", \"topic@example.org\", \"mafia@googlemail.com\"]\n",
        expect![[r#"
            F:6: outbox.from: "mafia@gmail.com" is the same mailbox as "m.afia@gmail.com", an address of [host]. The game needs a mailbox of its own: what is sent to it is read as mail to the game.
            F:6: outbox.from: "mafia@gmail.com" is the same mailbox as "mafia+mod@gmail.com", an address of [moderators]. The game needs a mailbox of its own: what is sent to it is read as mail to the game.
            F:6: outbox.from: "mafia@gmail.com" is the same mailbox as "mafia@googlemail.com", an address of post_to in [forum]. The game needs a mailbox of its own: what is sent to it is read as mail to the game.
            F:8: forum.post_to: "host@example.org" is also an address of [host], who gets every summary anyway. Keep here only the addresses by which the forum itself takes letters, or [] for none.
            F:8: forum.post_to: "mafia@googlemail.com" is also an address of [host], who gets every summary anyway. Keep here only the addresses by which the forum itself takes letters, or [] for none.
            F:8: forum.post_to: "mod@example.org" is also an address of [moderators], who gets every summary anyway. Keep here only the addresses by which the forum itself takes letters, or [] for none.
            F:8: forum.post_to: "mafia@googlemail.com" is also an address of [moderators], who gets every summary anyway. Keep here only the addresses by which the forum itself takes letters, or [] for none.
        "#]],
    );
    check(
        "[host]\naddresses = [\"host@example.org\", \"mafia+host@example.org\"]\n[outbox]\nfrom = \"mafia+game@example.org\"\n",
        expect![[r#"
            F:4: outbox.from: "mafia+game@example.org" has a + in it, and so would the addresses to which players answer. Write the mailbox's own address, without + and what follows it; or, if it must be so, plus_addressing = false.
            F:4: outbox.from: "mafia+game@example.org" is the same mailbox as "mafia+host@example.org", an address of [host]. The game needs a mailbox of its own: what is sent to it is read as mail to the game.
        "#]],
    );
    parse("[host]\naddresses = [\"mafia+host@example.org\"]\n[outbox]\nfrom = \"mafia+game@example.org\"\nplus_addressing = false\n")
        .unwrap();
    // A faulty address is told as faulty, and nothing is said of what would stand in its place.
    check(
        "[host]\naddresses = [\"mafia@example.org\"]\n[outbox]\nfrom = \"mafia@\"\n",
        expect![[r#"
            F:4: outbox.from: "mafia@" is not a mail address: the part after @ is no domain name. Write it as in "Омерта <mafia@example.org>".
        "#]],
    );
}

#[test]
fn a_mailbox_stands_once_among_those_of_one_office() {
    check(
        "[host]\naddresses = [\"anna.k@gmail.com\", \"annak+mafia@googlemail.com\", \"anna.k@gmail.com\"]\n\
         [moderators]\naddresses = [\"a.b@ya.ru\", \"other@ya.ru\", \"a-b@yandex.ru\"]\n",
        expect![[r#"
            F:2: host.addresses: "annak+mafia@googlemail.com" is the same mailbox as "anna.k@gmail.com". Take one of them out.
            F:2: host.addresses: "anna.k@gmail.com" stands twice. Take one of them out.
            F:4: moderators.addresses: "a-b@yandex.ru" is the same mailbox as "a.b@ya.ru". Take one of them out.
        "#]],
    );
    // A forum may have a mailbox for all its topics, told apart by what follows the +.
    parse(&with_host("forum.post_to = [\"forum+7@gmail.com\", \"forum+8@gmail.com\"]\n")).unwrap();
}
