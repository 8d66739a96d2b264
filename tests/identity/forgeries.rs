//! A table of forgeries. Each is a raw letter that tries to vote as Anna (player 0), to change her address, or to ask as the
//! host. None acts, and none gets an answer anywhere but at a registered address.

use omerta::journal::Entry;

use crate::house::{Got, address};
use crate::town::{FAIL, HOST, PASS, RECEIVED, TAG, Town};

const VOTE: &str = "Суд Линча - Егор";
/// An honest letter of the turn before.
const OLD_VOTE: &str = "Суд Линча - Борис\nХод второй";
const EVIL: &str = "evil@elsewhere.test";

/// What a forger may know: letters that were sent to others, and to Anna long ago.
struct Known {
    anna: String,
    boris: String,
    /// Anna's role letter when its time is over.
    stale: Got,
    /// A letter to her that is good now, and one to Boris.
    anna_now: Got,
    boris_now: Got,
    moderator_now: Got,
    /// A letter to the host whose time is over.
    host_stale: Got,
    host_now: Got,
    /// A question to the host that stays unanswered.
    host_question: Got,
    anna_question: Got,
    boris_word: String,
    /// A letter to one who has Anna's seat in another game.
    elsewhere: Got,
}

struct Forgery {
    name: &'static str,
    header: String,
    text: String,
    /// Also where From alone is enough.
    in_address_mode: bool,
}

fn always(name: &'static str, header: String, text: impl Into<String>) -> Forgery {
    Forgery { name, header, text: text.into(), in_address_mode: true }
}

/// Where From proves, this is an honest letter; where more is wanted it is a forgery.
fn verified(name: &'static str, header: String, text: impl Into<String>) -> Forgery {
    Forgery { name, header, text: text.into(), in_address_mode: false }
}

fn token(got: &Got) -> &str {
    got.message_id.split('@').next().unwrap_or_default()
}

fn forged_from(known: &Known) -> Vec<Forgery> {
    let Known { anna, boris, .. } = known;
    let from = |value: &str| format!("{RECEIVED}From: {value}\r\nSubject: [{TAG}]\r\n");
    vec![
        verified("a forged From", from(&format!("<{anna}>")), VOTE),
        verified("a forged From with the bare address", from(anna), VOTE),
        verified("a forged From in capitals", from(&format!("<{}>", anna.to_uppercase())), VOTE),
        always("her address as a display name", from(&format!("\"{anna}\" <{EVIL}>")), VOTE),
        always("her address as an unquoted display name", from(&format!("{anna} <{EVIL}>")), VOTE),
        always("her name", from(&format!("Анна <{EVIL}>")), VOTE),
        always("her address in a comment", from(&format!("{EVIL} ({anna})")), VOTE),
        always("her address in a nested comment", from(&format!("(a (<{anna}>) b) {EVIL}")), VOTE),
        always("two mailboxes, hers first", from(&format!("<{anna}>, <{EVIL}>")), VOTE),
        always("two mailboxes, hers last", from(&format!("<{EVIL}>, <{anna}>")), VOTE),
        always("two in angle brackets", from(&format!("<{anna}> <{EVIL}>")), VOTE),
        always("an address behind hers", from(&format!("<{anna}> {EVIL}")), VOTE),
        always("two From headers", format!("{RECEIVED}From: <{anna}>\r\nFrom: <{EVIL}>\r\nSubject: [{TAG}]\r\n"), VOTE),
        always("two From headers, hers last", format!("{RECEIVED}From: <{EVIL}>\r\nFrom: <{anna}>\r\n"), VOTE),
        always("twice her From", format!("{RECEIVED}From: <{anna}>\r\nfrom : <{anna}>\r\nSubject: [{TAG}]\r\n"), VOTE),
        always("a group", from(&format!("players: <{anna}>;")), VOTE),
        always("a group of two", from(&format!("players: <{EVIL}>, <{anna}>;")), VOTE),
        always("an empty group before her", from(&format!("players:; <{anna}>")), VOTE),
        always("an encoded address", from("=?utf-8?q?p00=40palermo=2Etest?="), VOTE),
        always("an encoded address in brackets", from("<=?utf-8?q?p00=40palermo=2Etest?=>"), VOTE),
        always("an encoded local part", from("<=?utf-8?q?p00?=@palermo.test>"), VOTE),
        always("an encoded name that closes itself", from(&format!("=?utf-8?q?=3C{anna}=3E?= <{EVIL}>")), VOTE),
        always("a quoted local part", from("<\"p00@palermo.test\"@elsewhere.test>"), VOTE),
        always("a route", from(&format!("<@elsewhere.test:{anna}>")), VOTE),
        always("an address literal", from("<p00@[127.0.0.1]>"), VOTE),
        always("a NUL in her address", from("<p00\0@palermo.test>"), VOTE),
        always("a space in her address", from("<p00 @palermo.test>"), VOTE),
        always("a folded address", from("<p00@palermo\r\n .test>"), VOTE),
        always("Sender", format!("{RECEIVED}From: <{EVIL}>\r\nSender: <{anna}>\r\nSubject: [{TAG}]\r\n"), VOTE),
        always(
            "Resent-From",
            format!("{RECEIVED}Resent-From: <{anna}>\r\nFrom: <{EVIL}>\r\nSubject: [{TAG}]\r\n"),
            VOTE,
        ),
        always("Reply-To", format!("{RECEIVED}From: <{EVIL}>\r\nReply-To: <{anna}>\r\nSubject: [{TAG}]\r\n"), VOTE),
        always("no From but Sender", format!("{RECEIVED}Sender: <{anna}>\r\nSubject: [{TAG}]\r\n"), VOTE),
        always("no From but Return-Path", format!("Return-Path: <{anna}>\r\n{RECEIVED}Subject: [{TAG}]\r\n"), VOTE),
        verified(
            "an answer elsewhere",
            format!("{RECEIVED}From: <{anna}>\r\nReply-To: <{EVIL}>\r\nSubject: [{TAG}]\r\n"),
            VOTE,
        ),
        always("a Cyrillic letter in the local part", from("<р00@palermo.test>"), VOTE),
        always("a Cyrillic letter in the domain", from("<p00@раlermo.test>"), VOTE),
        always("its ASCII form", from("<p00@xn--lermo-8veb.test>"), VOTE),
        always("full-width letters", from("<p００@palermo.test>"), VOTE),
        always("a full-width at sign", from("<p00＠palermo.test>"), VOTE),
        always("a full stop in other letters", from("<p00@palermo。tes>"), VOTE),
        always("a domain around hers", from("<p00@palermo.test.elsewhere.test>"), VOTE),
        always("a domain in front of hers", from("<p00@xpalermo.test>"), VOTE),
        always("a domain below hers", from("<p00@sub.palermo.test>"), VOTE),
        always("a plus that her provider does not know", from("<p00+x@palermo.test>"), VOTE),
        always(
            "another From in the subject",
            format!("{RECEIVED}From: <{EVIL}>\r\nSubject: [{TAG}]\r\n\tFrom: <{anna}>\r\n"),
            VOTE,
        ),
        always(
            "a header in an encoded subject",
            format!("{RECEIVED}From: <{EVIL}>\r\nSubject: =?utf-8?q?=5Bpalermo=5D=0D=0AFrom=3A_=3C{anna}=3E?=\r\n"),
            VOTE,
        ),
        always("a header in an encoded name", from(&format!("=?utf-8?q?x=0D=0AFrom=3A_=3C{anna}=3E?= <{EVIL}>")), VOTE),
        always(
            "a second header block",
            format!("{RECEIVED}From: <{EVIL}>\r\nSubject: [{TAG}]\r\n\r\nFrom: <{anna}>\r\n"),
            VOTE,
        ),
        always(
            "a header in a nick, in an encoded subject",
            format!(
                "{RECEIVED}From: <{EVIL}>\r\nSubject: =?utf-8?b?{}?=\r\n",
                data_encoding::BASE64.encode(format!("Суд Линча - Егор\r\nFrom: <{anna}>\r\nBcc: <{EVIL}>").as_bytes())
            ),
            "",
        ),
        verified(
            "a header in a nick, in her name",
            format!(
                "{RECEIVED}From: <{anna}>\r\nSubject: =?utf-8?b?{}?=\r\n",
                data_encoding::BASE64.encode(format!("Суд Линча - Егор\r\nTo: <{EVIL}>\r\nBcc: <{EVIL}>").as_bytes())
            ),
            "",
        ),
        always(
            "a header in a nick that nobody has",
            from(&format!("<{EVIL}>")),
            format!("Заявка\nПерсонаж - Анна\u{2028}From: <{anna}>\nХарактеристика - x\rBcc: <{EVIL}>"),
        ),
        always("From in mbox's way", format!("From {anna} Mon Nov 30\r\n{RECEIVED}From: <{EVIL}>\r\n"), VOTE),
        verified(
            "her letter forwarded by Boris",
            from(&format!("<{anna}>")) + &format!("Resent-From: <{boris}>\r\n"),
            VOTE,
        ),
    ]
}

fn forged_results(known: &Known) -> Vec<Forgery> {
    let anna = &known.anna;
    let with = |above: &str, below: &str| format!("{above}{RECEIVED}{below}From: <{anna}>\r\nSubject: [{TAG}]\r\n");
    let result = |server: &str, said: &str| format!("Authentication-Results: {server}; {said}\r\n");
    vec![
        verified("results of his own", with("", PASS), VOTE),
        verified("results of his own below his own Received", with("", &format!("{RECEIVED}{PASS}")), VOTE),
        verified("results and no Received at all", format!("{PASS}From: <{anna}>\r\nSubject: [{TAG}]\r\n"), VOTE),
        verified("results of another server", with(&result("mx.evil.test", "dmarc=pass"), ""), VOTE),
        verified(
            "results of a server that only looks like ours",
            with(&result("mx.game.test.evil.test", "dmarc=pass"), ""),
            VOTE,
        ),
        verified("results in ARC", with(&format!("ARC-{PASS}"), ""), VOTE),
        verified("results in a name of his own", with(&format!("X-{PASS}"), ""), VOTE),
        verified(
            "a pass for another domain",
            with(&result("mx.game.test", "dmarc=pass header.from=elsewhere.test"), ""),
            VOTE,
        ),
        verified(
            "a signature of another domain",
            with(&result("mx.game.test", "dkim=pass header.d=elsewhere.test"), ""),
            VOTE,
        ),
        verified(
            "SPF of another domain",
            with(&result("mx.game.test", "spf=pass smtp.mailfrom=elsewhere.test"), ""),
            VOTE,
        ),
        verified(
            "a pass in an envelope address",
            with(&result("mx.game.test", "spf=pass smtp.mailfrom=\"x; dmarc=pass\"@elsewhere.test"), ""),
            VOTE,
        ),
        verified("a pass in a comment", with(&result("mx.game.test", "spf=none (dmarc=pass)"), ""), VOTE),
        verified(
            "a pass in a comment of a comment",
            with(&result("mx.game.test", "spf=none (a (b) ; dmarc=pass)"), ""),
            VOTE,
        ),
        verified("a pass in a comment that does not end", with(&result("mx.game.test", "dmarc=pass (x"), ""), VOTE),
        always("a failure", with(FAIL, ""), VOTE),
        always("a failure and a pass of his own below", with(FAIL, PASS), VOTE),
        always("a failed signature", with(&result("any.test", "dkim=fail header.d=palermo.test"), ""), VOTE),
        always("a pass and a failure", with(&(PASS.to_owned() + FAIL), ""), VOTE),
    ]
}

fn forged_proofs(known: &Known) -> Vec<Forgery> {
    let Known { anna, boris, .. } = known;
    let refer =
        |from: &str, id: &str| format!("{RECEIVED}From: <{from}>\r\nSubject: Re: [{TAG}]\r\nIn-Reply-To: <{id}>\r\n");
    let to = |from: &str, token: &str| {
        format!("{RECEIVED}From: <{from}>\r\nTo: <mafia+{token}@example.org>\r\nSubject: [{TAG}]\r\n")
    };
    let hers = token(&known.anna_now);
    let part = |of: std::ops::Range<usize>| hers.get(of).unwrap();
    let (beginning, last, first, end) = (part(0..15), part(15..16), part(0..1), part(1..16));
    let other = |letter: &str| if letter == "a" { "b" } else { "a" };
    let question = &known.anna_question.message_id;
    vec![
        verified("a guessed token", refer(anna, "abcdefghijklmnop@example.org"), VOTE),
        verified(
            "a token of nearly the right form",
            refer(anna, &known.boris_now.message_id.replacen('a', "b", 2)),
            VOTE,
        ),
        verified("a foreign token", refer(anna, &known.boris_now.message_id), VOTE),
        verified("a foreign token in a plus-address", to(anna, token(&known.boris_now)), VOTE),
        verified(
            "a token of her seat in another game, beside one of this game",
            refer(anna, &known.boris_now.message_id)
                + &format!("References: <{}> <{}>\r\n", known.boris_now.message_id, known.elsewhere.message_id),
            VOTE,
        ),
        verified("a moderator's token", refer(anna, &known.moderator_now.message_id), VOTE),
        verified("a stale token", refer(anna, &known.stale.message_id), VOTE),
        verified("a stale token in a plus-address", to(anna, token(&known.stale)), VOTE),
        verified("her good token without its end", to(anna, beginning), VOTE),
        verified("her good token and one letter more", to(anna, &format!("{hers}a")), VOTE),
        verified("her good token with another end", to(anna, &(beginning.to_owned() + other(last))), VOTE),
        verified("her good token with another beginning", to(anna, &(other(first).to_owned() + end)), VOTE),
        always("her own token from elsewhere", refer(EVIL, question), VOTE),
        always("her own token that Boris was sent a copy of", refer(boris, question), "Да"),
        always("her own token in Cc, from elsewhere", to(EVIL, token(&known.anna_question)), "Да"),
        always(
            "her own token in a true Cc, from elsewhere",
            format!(
                "{RECEIVED}From: <{EVIL}>\r\nTo: <mafia@example.org>\r\nCc: <mafia+{}@example.org>\r\nSubject: [{TAG}]\r\n",
                token(&known.anna_question)
            ),
            VOTE,
        ),
        always(
            "the token of Boris in Cc, beside the answer to hers",
            format!(
                "{RECEIVED}From: <{boris}>\r\nTo: <mafia+{}@example.org>\r\nCc: <mafia+{}@example.org>\r\n",
                token(&known.anna_question),
                token(&known.boris_now)
            ),
            "Да",
        ),
        always("a token alone", refer(anna, question) + "Auto-Submitted: auto-replied\r\n", "Да"),
        always("an automatic answer that quotes", refer(anna, question) + "Precedence: bulk\r\n", "Да"),
        always("an automatic answer with a null path", format!("Return-Path: <>\r\n{}", refer(anna, question)), "Да"),
        always("a holiday answer", refer(anna, question) + "X-Autoreply: yes\r\n", "Меня нет.\nДа"),
        always("the question quoted", refer(anna, question), "> Да\n>\n> одной строкой: «Да»"),
        verified("«Да» without a token", format!("{RECEIVED}From: <{anna}>\r\nSubject: [{TAG}]\r\n"), "Да"),
        always("«Да» against the servers", format!("{FAIL}{}", refer(anna, question)), "Да"),
        always("«Да» to the question of another", refer(boris, question), "Да"),
        verified(
            "another's proof word",
            format!("{RECEIVED}From: <{anna}>\r\nSubject: [{TAG}]\r\n"),
            format!("Статус\nСлово - {}", known.boris_word),
        ),
        always(
            "a guessed proof word",
            format!("{RECEIVED}From: <{EVIL}>\r\nSubject: [{TAG}]\r\n"),
            format!("{VOTE}\nСлово - пустышка-11"),
        ),
        always(
            "proof words of two people",
            format!("{RECEIVED}From: <{EVIL}>\r\nSubject: [{TAG}]\r\n"),
            format!("{VOTE}\nСлово - {}\nСлово - филин-42", known.boris_word),
        ),
        always(
            "a proof word in a quotation",
            format!("{RECEIVED}From: <{EVIL}>\r\nSubject: [{TAG}]\r\n"),
            format!("{VOTE}\n> Слово - {}", known.boris_word),
        ),
        verified(
            "her letter replayed",
            format!("{RECEIVED}From: <{anna}>\r\nMessage-ID: <honest@palermo.test>\r\n"),
            "Статус",
        ),
        always(
            "her vote of the last turn replayed",
            format!("{PASS}{RECEIVED}From: <{anna}>\r\nMessage-ID: <old-vote@palermo.test>\r\n"),
            OLD_VOTE,
        ),
        verified(
            "her vote of the last turn replayed under another Message-ID",
            format!("{RECEIVED}{PASS}From: <{anna}>\r\nMessage-ID: <new@palermo.test>\r\n"),
            OLD_VOTE,
        ),
        verified("a new address", format!("{RECEIVED}From: <{anna}>\r\n"), format!("Адрес - {EVIL}")),
        always(
            "a new address from elsewhere",
            format!("{RECEIVED}From: <{EVIL}>\r\nSubject: [{TAG}]\r\n"),
            "Адрес - x@y.test",
        ),
        always("the host", format!("{RECEIVED}From: <{HOST}>\r\nSubject: [{TAG}]\r\n"), "Почему"),
        always("the host with a player's token", refer(HOST, &known.boris_now.message_id), "Почему"),
        always(
            "the host's «Да» against the servers",
            format!("{FAIL}{}", refer(HOST, &known.host_question.message_id)),
            "Да",
        ),
        always(
            "the host with his own token against the servers",
            format!("{FAIL}{}", refer(HOST, &known.host_now.message_id)),
            "Почему",
        ),
        always(
            "a moderator with his own token against the servers",
            format!("{FAIL}{}", refer("moderator@example.org", &known.moderator_now.message_id)),
            "Молчали - Анна",
        ),
        always("the host with a stale token of his own", refer(HOST, &known.host_stale.message_id), "Почему"),
        always("the host with a moderator's token", refer(HOST, &known.moderator_now.message_id), "Почему"),
        always(
            "the host with results of his own",
            format!("{RECEIVED}{}From: <{HOST}>\r\nSubject: [{TAG}]\r\n", PASS.replace(TAG, "example")),
            "Почему",
        ),
        always(
            "a host's display name",
            format!("{RECEIVED}From: \"{HOST}\" <{EVIL}>\r\nSubject: [{TAG}]\r\n"),
            "Почему",
        ),
        always(
            "the host with a guessed word",
            format!("{RECEIVED}From: <{HOST}>\r\nSubject: [{TAG}]\r\n"),
            "Почему\nСлово - филин-43",
        ),
    ]
}

/// The town in its second turn, with one honest letter of Anna's and one question to her that stays unanswered.
fn scene(mode: &str) -> (Town, Known) {
    let mut town = Town::new(mode);
    let (anna, boris) = (address(TAG, 0), address(TAG, 1));
    // A third turn, so that the letters of the first are stale.
    let old = format!("{PASS}{RECEIVED}From: <{anna}>\r\nMessage-ID: <old-vote@palermo.test>\r\n");
    town.deliver(&old, OLD_VOTE);
    assert_eq!(town.vote(0).as_deref(), Some("Борис"));
    for player in 0..6 {
        let nick = if player % 2 == 0 { "Борис" } else { "Анна" };
        town.write(player, PASS, &format!("Суд Линча - {nick}"));
    }
    town.write(1, PASS, "Отмена");
    town.write(3, PASS, "Суд Линча - Дарья");
    town.write(5, PASS, "Суд Линча - Дарья");
    town.write(2, PASS, "Суд Линча - Дарья");
    town.house.close(TAG);
    town.house.command(TAG, omerta::desk::command::Command::Deadline { when: "+6h".to_owned() });
    assert_eq!(town.house.table(TAG).game.turn, 3);
    let honest = format!("{PASS}{RECEIVED}From: <{anna}>\r\nMessage-ID: <honest@palermo.test>\r\n");
    town.deliver(&honest, "Статус");
    town.write(0, FAIL, "Охота - Егор");
    let moderator_now = town.house.got("moderator@example.org").pop().unwrap();
    let roster = "address,nick,role\ncarlo@corleone.test,Карло,citizen\nb@corleone.test,Бруно,mafioso\n\
                  v@corleone.test,Вито,citizen\ng@corleone.test,Джина,commissioner\nd@corleone.test,Дино,doctor\n";
    town.house.new_game_of("corleone", roster, &[]).unwrap();
    town.house.start("corleone");
    town.house.command("corleone", omerta::desk::command::Command::Deadline { when: "+1h".to_owned() });
    town.house.close("corleone");
    town.deliver(&format!("{RECEIVED}From: <carlo@corleone.test>\r\n"), "Статус");
    let elsewhere = town.house.got("carlo@corleone.test").pop().unwrap();
    assert_eq!(elsewhere.turn, 2, "by its turn it would be good here");
    let host_stale = town.house.got(HOST).into_iter().find(|got| got.kind == "opening").unwrap();
    assert_eq!(host_stale.turn, 1);
    let host_now = town.house.got(HOST).into_iter().rfind(|got| got.kind == "digest").unwrap();
    town.deliver(&format!("{RECEIVED}From: <{HOST}>\r\nSubject: [{TAG}]\r\n"), "Статус");
    let host_question = town.house.got(HOST).into_iter().rfind(|got| got.kind == "confirm").unwrap();
    let known = Known {
        elsewhere,
        host_stale,
        host_now,
        host_question,
        stale: town.house.last(TAG, 0, "role"),
        anna_now: town.house.last(TAG, 0, "answer"),
        boris_now: town.house.last(TAG, 1, "summary"),
        moderator_now,
        anna_question: town.house.last(TAG, 0, "confirm"),
        boris_word: town.word(1),
        anna,
        boris,
    };
    (town, known)
}

/// What a forgery may leave in the journal: a question to the one in whose name it came; of words that are another's own,
/// that one's own letter.
fn is_harmless(entry: &Entry) -> bool {
    match entry {
        Entry::Asked(_) => true,
        // Whoever was proved may have asked for facts, or written a line that is none of the game's.
        Entry::Heard(heard) => heard
            .items
            .iter()
            .all(|item| !matches!(item, omerta::journal::Item::Ask { .. } | omerta::journal::Item::Weighty { .. })),
        // A «Да» that answers nothing is counted, so that its answers have a bound.
        Entry::HostHeard(heard) => heard.bare_yes && heard.lines.is_empty(),
        _ => false,
    }
}

/// Every way of forging that is known has its row.
#[test]
fn no_way_is_left_out() {
    let (_, known) = scene("verified");
    let mut rows = forged_from(&known);
    rows.extend(forged_results(&known));
    rows.extend(forged_proofs(&known));
    let names: Vec<&str> = rows.iter().map(|row| row.name).collect();
    for way in [
        "a forged From",
        "display name",
        "results of his own",
        "two From headers",
        "a group",
        "an encoded address",
        "a guessed token",
        "a foreign token",
        "in another game",
        "a stale token",
        "replayed",
        "another's proof word",
        "a header in a nick",
        "a header in an encoded subject",
        "a header in an encoded name",
        "Sender",
        "Resent-From",
        "a Cyrillic letter in the domain",
        "full-width letters",
        "a domain around hers",
        "in a true Cc",
        "automatic answer",
        "a token alone",
        "holiday answer",
    ] {
        assert!(names.iter().any(|name| name.contains(way)), "no row for {way}");
    }
    let different: std::collections::BTreeSet<&&str> = names.iter().collect();
    assert_eq!(different.len(), names.len(), "two rows of one name");
    assert!(names.len() >= 115, "{}", names.len());
}

fn no_forgery_acts(mode: &str) -> usize {
    let (mut town, known) = scene(mode);
    let registered: Vec<String> = town.mailboxes().into_iter().map(|(name, _)| name).collect();
    let table = town.house.table(TAG);
    let mut forgeries = forged_from(&known);
    forgeries.extend(forged_results(&known));
    forgeries.extend(forged_proofs(&known));
    let mut tried = 0;
    for forgery in forgeries.iter().filter(|forgery| mode == "verified" || forgery.in_address_mode) {
        // Each on a day of its own would pass the deadline; no cap hides an act, they only spare the mailboxes.
        let before = town.journal().len();
        town.deliver(&forgery.header, &forgery.text);
        let left = town.journal().split_off(before);
        assert!(left.iter().all(is_harmless), "{mode}: {}: {left:?}", forgery.name);
        let now = town.house.table(TAG);
        assert_eq!(now.game, table.game, "{mode}: {}: the game has changed", forgery.name);
        for (mailbox, letters) in town.mailboxes() {
            if registered.contains(&mailbox) {
                continue;
            }
            // A stranger may learn once a day how to join, and nothing else.
            let got = town.house.got(&mailbox);
            assert!(letters <= 1 && got.iter().all(|got| got.kind == "refused"), "{mode}: {}: {mailbox}", forgery.name);
        }
        tried += 1;
    }
    assert_eq!(town.vote(0), None, "{mode}");
    // The scene was one in which an honest letter acts: nothing of the above failed for another reason.
    town.reply(0, "", &known.anna_question, VOTE);
    assert_eq!(town.vote(0).as_deref(), Some("Егор"), "{mode}");
    tried
}

#[test]
fn no_forgery_acts_where_from_is_enough() {
    assert!(no_forgery_acts("address") >= 40);
}

#[test]
fn no_forgery_acts_where_more_is_wanted() {
    assert!(no_forgery_acts("verified") >= 80);
}
