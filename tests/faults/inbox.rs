//! The line to the mailbox misbehaves under the whole daemon: a real Dovecot, and a proxy before it that cuts, stalls,
//! garbles and counts. What the reader does by itself is tried in tests/imap; here every letter must be answered, once,
//! and filed, the operator told once, and nothing may spin.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::house::binary::{Machine, rest, while_it_stands};
use crate::house::whole::put;
use crate::house::{address, config_text, raw_letter};
use crate::proxy::{Fault, Proxy, line_faults};
use crate::server::{Client, server, user};
use crate::{Daemon, HURRY, TAG, side_by_side, times};

/// As long as a fault lasts at least.
const WHILE: Duration = Duration::from_millis(1500);

/// A game whose mailbox lies behind a proxy.
pub struct Scene {
    name: String,
    pub machine: Machine,
    pub proxy: Proxy,
    pub mailbox: Client,
    folder: &'static str,
    written: usize,
}

/// What happens to a line.
type Harm = fn(&Proxy);
/// What happens to a mailbox, and what must come of it.
type Story = fn(Scene);

/// Where the mailbox's letters lie, and where they are filed.
#[derive(Clone, Copy)]
pub enum Folders {
    /// From INBOX into a folder of their own.
    Filed,
    /// In a folder that can be made anew; there they stay, seen.
    Kept,
}

impl Scene {
    pub fn new(name: &str, template: &Machine, proxy: Proxy, folders: Folders) -> Scene {
        let (user, machine) = (user(), template.copy());
        let mut mailbox = Client::of(&user);
        let (folder, lines) = match folders {
            Folders::Filed => ("INBOX", "done_folder = \"Omerta\"\n"),
            Folders::Kept => ("Game", "folders = [\"Game\"]\n"),
        };
        if folder != "INBOX" {
            mailbox.ask(&format!("CREATE {folder}"));
        }
        let imap = format!(
            "kind = \"imap\"\nserver = \"127.0.0.1\"\nport = {}\ntls = \"none\"\nuser = \"{user}\"\n\
             password_file = \"secret\"\n{lines}",
            proxy.port()
        );
        let config = config_text("").replace("kind = \"maildir\"\npath = \"mail/in\"\n", &imap);
        std::fs::write(machine.folder.join("config.toml"), config).unwrap();
        std::fs::write(machine.folder.join("secret"), &server().password).unwrap();
        Scene { name: name.to_owned(), machine, proxy, mailbox, folder, written: 0 }
    }

    pub fn start(&self) -> Daemon {
        self.start_in_hurry(HURRY)
    }

    fn start_in_hurry(&self, hurry: &str) -> Daemon {
        Daemon::start(&self.machine, &["--hurry", hurry])
    }

    /// A letter of the player's, always with the same words: whoever reads it anew reads the same letter.
    pub fn append(&mut self, player: u16) {
        self.append_text(player, "Статус");
    }

    pub fn append_text(&mut self, player: u16, text: &str) {
        let raw = raw_letter(&address(TAG, player), TAG, &format!("{player}@palermo.test"), text);
        let second = self.machine.now().as_second();
        self.mailbox.append_at(self.folder, second, &String::from_utf8(raw).unwrap());
        self.written += 1;
    }

    /// How many answers each of the four players has.
    pub fn answers(&self) -> Vec<usize> {
        let count = |player| self.machine.got(&address(TAG, player)).iter().filter(|got| got.kind == "answer").count();
        (0..4).map(count).collect()
    }

    pub fn until_answered(&self, wanted: [usize; 4]) {
        let what = format!("{}: the answers {wanted:?} instead of {:?}", self.name, self.answers());
        self.machine.until(&what, || self.answers() == wanted);
    }

    /// How often the operator was told of trouble, and of its end.
    pub fn told(&self) -> (usize, usize) {
        (times(&self.machine, "the inbox: "), times(&self.machine, "the inbox can be read again"))
    }

    /// Everything is filed, and the daemon ends in order.
    pub fn end(mut self, daemon: Daemon) {
        let (name, written) = (self.name.clone(), self.written);
        let mailbox = &mut self.mailbox;
        self.machine.until(&format!("{name}: all is filed"), || {
            mailbox.count("INBOX") == 0 && mailbox.count("Omerta") == written
        });
        assert_eq!(daemon.stop().0, Some(0), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_misbehaves_is_told_once_and_goes_on_by_itself() {
    let template = Arc::new(crate::begun());
    side_by_side(line_faults("1@palermo.test").map(|fault| (format!("{fault:?}"), fault)), async move |name, fault| {
        let proxy = Proxy::before(server().imap).await;
        let template = Arc::clone(&template);
        move || lasts(Scene::new(&name, &template, proxy, Folders::Filed), fault)
    })
    .await;
}

fn lasts(mut scene: Scene, fault: Fault) {
    (0..3).for_each(|player| scene.append(player));
    scene.proxy.set(fault);
    let begun = Instant::now();
    let daemon = scene.start();
    scene.machine.until(&format!("{}: it is told", scene.name), || scene.told() == (1, 0));
    while begun.elapsed() < WHILE {
        rest();
    }
    let (tries, took) = (scene.proxy.opened(), begun.elapsed());
    // The first wait is of 33 ms, and each is twice as long as the one before: 8 tries take three seconds.
    assert!(tries <= 8 + took.as_secs() as usize, "{}: {tries} lines in {took:?}", scene.name);
    scene.proxy.heal();
    scene.until_answered([1, 1, 1, 0]);
    scene.machine.until("the end of it is told", || scene.told().1 == 1);
    assert_eq!(scene.told(), (1, 1), "{}: {}", scene.name, scene.machine.log());
    scene.end(daemon);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_happens_to_a_line_that_idles_costs_a_line_and_nothing_else() {
    let harms: [(&str, Harm); 5] = [
        ("BYE", |proxy| proxy.say("* BYE shutting down\r\n")),
        ("cut", Proxy::cut),
        ("forgotten without a word", Proxy::forget),
        ("noise", |proxy| proxy.say("\u{1}\u{2} what\r\n")),
        ("half a line, then cut", |proxy| {
            proxy.say("* 1 EXI");
            proxy.cut();
        }),
    ];
    let template = Arc::new(crate::begun());
    side_by_side(harms.map(|(name, harm)| (name.to_owned(), harm)), async move |name, harm| {
        let proxy = Proxy::before(server().imap).await;
        let template = Arc::clone(&template);
        move || idles(Scene::new(&name, &template, proxy, Folders::Filed), harm)
    })
    .await;
}

fn idles(mut scene: Scene, harm: Harm) {
    let daemon = scene.start();
    scene.machine.until("it idles", || scene.proxy.heard().contains("IDLE"));
    harm(&scene.proxy);
    scene.append(0);
    scene.until_answered([1, 0, 0, 0]);
    let lines = scene.proxy.opened();
    // On a busy machine a line may be given up once more for its slowness.
    assert!((2..=3).contains(&lines), "{}: {lines} lines", scene.name);
    assert_eq!(scene.told(), (0, 0), "{}: what came back at once is nobody's trouble", scene.name);
    scene.end(daemon);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_becomes_of_a_folder_loses_and_repeats_nothing() {
    let cases: [(&str, Folders, Story); 5] = [
        ("slow", Folders::Filed, slow),
        ("no UIDNEXT", Folders::Kept, says_no_next_number),
        ("UIDNEXT lower", Folders::Kept, counts_from_the_beginning),
        ("UIDVALIDITY changed", Folders::Kept, made_anew),
        ("expunged between list and fetch", Folders::Filed, expunged_before_it_is_fetched),
    ];
    let template = Arc::new(crate::begun());
    side_by_side(cases.map(|(name, folders, case)| (name.to_owned(), (folders, case))), async move |name, case| {
        let proxy = Proxy::before(server().imap).await;
        let template = Arc::clone(&template);
        move || (case.1)(Scene::new(&name, &template, proxy, case.0))
    })
    .await;
}

/// Byte by byte, but within patience, here of twenty seconds a step: no trouble at all.
fn slow(mut scene: Scene) {
    (0..3).for_each(|player| scene.append(player));
    scene.proxy.set(Fault::Drip(Duration::from_micros(100)));
    let daemon = scene.start_in_hurry("3");
    scene.until_answered([1, 1, 1, 0]);
    assert_eq!(scene.told(), (0, 0), "{}", scene.machine.log());
    scene.proxy.heal();
    scene.end(daemon);
}

fn says_no_next_number(mut scene: Scene) {
    scene.proxy.set(Fault::Replace(vec![("[UIDNEXT".to_owned(), "[UIDNOTE".to_owned())]));
    (0..2).for_each(|player| scene.append(player));
    let daemon = scene.start();
    scene.until_answered([1, 1, 0, 0]);
    scene.append(2);
    scene.until_answered([1, 1, 1, 0]);
    assert_eq!(daemon.stop().0, Some(0));
    scene.append(3);
    let daemon = scene.start();
    scene.until_answered([1, 1, 1, 1]);
    assert_eq!(scene.told(), (0, 0), "{}", scene.machine.log());
    assert!(scene.proxy.opened() <= 4, "{} lines", scene.proxy.opened());
    assert_eq!(daemon.stop().0, Some(0));
}

fn counts_from_the_beginning(mut scene: Scene) {
    (0..3).for_each(|player| scene.append(player));
    let daemon = scene.start();
    scene.until_answered([1, 1, 1, 0]);
    scene.proxy.set(Fault::Replace(vec![("[UIDNEXT 5]".to_owned(), "[UIDNEXT 1]".to_owned())]));
    scene.append(3);
    // All are read again, then the new one.
    scene.until_answered([1, 1, 1, 1]);
    let fetches = scene.proxy.heard().matches("FETCH 1:*").count();
    assert!(fetches >= 2, "{}", scene.proxy.heard());
    assert_eq!(scene.told(), (0, 0), "{}", scene.machine.log());
    assert_eq!(daemon.stop().0, Some(0));
}

/// A folder is made anew, with its old letter and with one that came meanwhile. Nobody has it open at that instant: what
/// Dovecot removes under a reader may answer "deleted under us" for ever after.
fn made_anew(mut scene: Scene) {
    scene.append(0);
    let daemon = scene.start();
    scene.until_answered([1, 0, 0, 0]);
    while_it_stands(daemon.pid(), || {
        scene.proxy.cut();
        scene.mailbox.ask("DELETE Game");
        scene.mailbox.ask("CREATE Game");
    });
    scene.append(0);
    scene.append(1);
    scene.until_answered([1, 1, 0, 0]);
    scene.append(2);
    scene.until_answered([1, 1, 1, 0]);
    let lines = scene.proxy.opened();
    assert!(lines <= 6, "{lines} lines");
    assert_eq!(scene.told(), (0, 0), "{}", scene.machine.log());
    assert_eq!(daemon.stop().0, Some(0));
}

/// Another client removes a letter that was listed and is just being fetched.
fn expunged_before_it_is_fetched(mut scene: Scene) {
    (0..3).for_each(|player| scene.append(player));
    scene.proxy.set(Fault::HoldAt("BODY.PEEK[]".to_owned()));
    let daemon = scene.start();
    scene.machine.until("the letters are asked for", || scene.proxy.heard().contains("BODY.PEEK[]"));
    scene.mailbox.ask("SELECT INBOX");
    scene.mailbox.ask("STORE 2 +FLAGS (\\Deleted)");
    scene.mailbox.ask("EXPUNGE");
    scene.mailbox.ask("UNSELECT");
    scene.proxy.heal();
    scene.until_answered([1, 0, 1, 0]);
    scene.append(3);
    scene.until_answered([1, 0, 1, 1]);
    assert_eq!(scene.told(), (0, 0), "{}", scene.machine.log());
    assert!(scene.proxy.opened() <= 3, "{} lines", scene.proxy.opened());
    scene.written -= 1;
    scene.end(daemon);
}

/// A password that is void: one login, told once, and no other before there is another password.
#[tokio::test(flavor = "multi_thread")]
async fn a_refused_login_is_told_once_and_the_next_password_is_tried_by_itself() {
    let proxy = Proxy::before(server().imap).await;
    let run = move || {
        let mut scene = Scene::new("refused", &crate::begun(), proxy, Folders::Filed);
        scene.append(0);
        let secret = scene.machine.folder.join("secret");
        put(&secret, "void");
        let begun = Instant::now();
        let daemon = scene.start();
        scene.machine.until("it is told", || scene.told() == (1, 0));
        while begun.elapsed() < WHILE * 2 {
            rest();
        }
        assert_eq!((scene.proxy.opened(), scene.told()), (1, (1, 0)), "{}", scene.machine.log());
        put(&secret, &server().password);
        scene.until_answered([1, 0, 0, 0]);
        scene.machine.until("the end of it is told", || scene.told() == (1, 1));
        assert_eq!(scene.proxy.opened(), 2);
        scene.end(daemon);
    };
    tokio::task::spawn_blocking(run).await.unwrap();
}

/// A vote in «Спам» counts; a stranger there is nobody's correspondent, and his letter stays where it lies.
#[tokio::test(flavor = "multi_thread")]
async fn of_the_junk_folder_only_letters_of_players_are_taken() {
    let proxy = Proxy::before(server().imap).await;
    let run = move || {
        let mut scene = Scene::new("junk", &crate::begun(), proxy, Folders::Filed);
        for (from, id) in [("stranger@else.test", "1"), (&address(TAG, 0), "2")] {
            let raw = raw_letter(from, TAG, &format!("{id}@palermo.test"), "Статус");
            let second = scene.machine.now().as_second();
            scene.mailbox.append_at("Junk", second, &String::from_utf8(raw).unwrap());
        }
        scene.written = 1;
        let daemon = scene.start();
        scene.until_answered([1, 0, 0, 0]);
        assert!(!scene.machine.addresses().contains(&"stranger@else.test".to_owned()));
        // A MOVE is a copy and an expunge: for an instant others see the letter in both folders.
        let filed = || (scene.mailbox.count("Omerta"), scene.mailbox.count("Junk")) == (1, 1);
        scene.machine.until("the player's alone is filed", filed);
        scene.end(daemon);
    };
    tokio::task::spawn_blocking(run).await.unwrap();
}

/// One letter that no server hands out stops nobody, and is not lost in silence: it is in quarantine, and the hosts know.
#[tokio::test(flavor = "multi_thread")]
async fn a_letter_that_is_never_handed_out_is_told_to_the_hosts() {
    let proxy = Proxy::before(server().imap).await;
    let run = move || {
        let mut scene = Scene::new("withheld", &crate::begun(), proxy, Folders::Filed);
        (0..3).for_each(|player| scene.append(player));
        let hide = |part: &str| (format!("(UID 2 BODY[{part}]"), format!("(UID 2 XODY[{part}]"));
        scene.proxy.set(Fault::Replace(vec![hide(""), hide("HEADER")]));
        let daemon = scene.start_in_hurry("120");
        scene.until_answered([1, 0, 1, 0]);
        let host = || scene.machine.got("host@example.org");
        scene.machine.until("the host is told", || host().iter().any(|got| got.kind == "alert"));
        assert_eq!(scene.machine.json(&["status", "--json"])["inbox"]["quarantined"], 1);
        assert_eq!(scene.told(), (1, 1), "{}", scene.machine.log());
        let kept = scene.machine.ok(&["quarantine"]);
        assert!(kept.contains("does not hand this letter out"), "{kept}");
        scene.end(daemon);
    };
    tokio::task::spawn_blocking(run).await.unwrap();
}
