//! Every letter in both languages, as its reader gets it. The snapshots in `letters/` are there to be read;
//! `UPDATE_EXPECT=1 cargo test --test letters` writes them anew.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

use expect_test::expect_file;
use omerta::letters::guard::{self, reads_as_request};
use omerta::letters::markup::Markup;
use omerta::letters::render::{Rendered, Templates, names};
use omerta::letters::samples;
use omerta::letters::wrap::WIDTH;
use omerta::letters::{Lang, Letter, shows_letter_of_ours};
use omerta::request::orders::{self, Verb};
use omerta::rules::Role;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

const LANGS: [(Lang, &str); 2] = [(Lang::Ru, "ru"), (Lang::En, "en")];
const MARKUPS: [Markup; 4] = [Markup::Bbcode, Markup::Markdown, Markup::Html, Markup::Text];

static TEMPLATES: LazyLock<Templates> = LazyLock::new(|| Templates::load(None).unwrap());

fn templates() -> &'static Templates {
    &TEMPLATES
}

fn everything() -> Vec<(String, Letter, Rendered)> {
    let templates = templates();
    let mut all = Vec::new();
    for (lang, folder) in LANGS {
        for (name, heading, letter) in samples::named(lang) {
            let rendered = templates.render(&heading, &letter, Markup::Bbcode).unwrap();
            all.push((format!("{folder}/{name}"), letter, rendered));
        }
    }
    all
}

#[test]
fn letters_are_as_reviewed() {
    for (name, letter, rendered) in everything() {
        let mut shown = format!("Subject: {}\n\n{}", rendered.subject, rendered.text);
        if let Letter::Summary(summary) = &letter
            && summary.paste
        {
            let (lang, folder) = if name.starts_with("ru/") { (Lang::Ru, "ru") } else { (Lang::En, "en") };
            let sample = samples::named(lang).into_iter().find(|(sample, _, _)| name == format!("{folder}/{sample}"));
            let (_, heading, letter) = sample.unwrap();
            for markup in MARKUPS {
                for attachment in templates().render(&heading, &letter, markup).unwrap().attachments {
                    shown.push_str(&format!("\n=== {} ===\n{}", attachment.name, attachment.text));
                }
            }
        }
        expect_file![format!("{}/tests/letters/{name}.txt", env!("CARGO_MANIFEST_DIR"))].assert_eq(&shown);
    }
}

#[test]
fn there_is_a_sample_of_every_kind() {
    let kinds: BTreeSet<&str> = everything().iter().map(|(_, letter, _)| letter.kind()).collect();
    assert_eq!(kinds.len(), 29, "{kinds:?}");
}

#[test]
fn every_letter_has_a_subject_with_its_tag_and_narrow_lines() {
    for (name, _, rendered) in everything() {
        let tagless = [
            "refused-unknown",
            "refused-how-to-join",
            "refused-signup-closed",
            "refused-which",
            "refused-none",
            "alert-inbox",
            "alert-quarantine",
            "alert-quarantine-one",
            "alert-quarantine-five",
            "kept",
        ];
        let has_game = !tagless.iter().any(|tagless| name.ends_with(tagless));
        assert_eq!(rendered.subject.starts_with("[palermo] "), has_game, "{name}: {}", rendered.subject);
        assert!(rendered.subject.chars().count() <= WIDTH, "{name}: {}", rendered.subject);
        assert!(rendered.fault.is_none());
        for line in rendered.text.lines() {
            assert!(line.chars().count() <= WIDTH, "{name}: {line}");
            assert_eq!(line, line.trim_end(), "{name}");
        }
        for broken in ["{{", "{%", "none", "undefined", "..\n", " ,", " .", "\n\n\n", "\u{E000}"] {
            assert!(!rendered.text.contains(broken), "{name}: {broken:?} in\n{}", rendered.text);
        }
        assert!(!rendered.text.contains("  .") && !rendered.subject.contains('\n'), "{name}");
    }
}

/// Whoever teaches the readers a word teaches the guard.
#[test]
fn whatever_begins_a_request_or_an_order_is_known_to_the_guard() {
    let players = omerta::request::words::TABLE.iter().flat_map(|row| row.forms).copied();
    let all: Vec<&str> = players.chain(omerta::request::orders::forms()).collect();
    assert!(all.len() > 80, "{}", all.len());
    for word in all {
        assert!(reads_as_request(word) && reads_as_request(&format!("{word} - Анна")), "{word}");
    }
}

/// A locked screen shows the subject and the first lines.
#[test]
fn neither_subject_nor_first_hundred_characters_name_a_role_or_a_role_request() {
    let hidden = [
        "мирн",
        "мж",
        "житель",
        "комиссар",
        "каттани",
        "доктор",
        "сержант",
        "подкидыш",
        "мафи",
        "клан",
        "босс",
        "камикадзе",
        "маньяк",
        "одиноч",
        "охот",
        "убий",
        "убит",
        "провер",
        "лечен",
        "лечит",
        "поиск",
        "пистолет",
        "выстрел",
        "citizen",
        "townsperson",
        "commissioner",
        "cattani",
        "doctor",
        "sergeant",
        "foundling",
        "mafi",
        "clan",
        "boss",
        "kamikaze",
        "maniac",
        "loner",
        "hunt",
        "kill",
        "murder",
        "check",
        "investigate",
        "heal",
        "protect",
        "seek",
        "search",
        "pistol",
        "shoot",
        "shot",
    ];
    for (name, _, rendered) in everything() {
        let start: String = rendered.text.chars().take(100).collect();
        let seen = format!("{}\n{start}", rendered.subject).to_lowercase();
        for word in hidden {
            assert!(!seen.contains(word), "{name}: {word} in\n{seen}");
        }
    }
}

/// Our own letters come back quoted, and unquoted: nothing in them may act.
#[test]
fn nothing_in_our_letters_reads_as_a_request() {
    for (name, _, rendered) in everything() {
        for line in rendered.text.lines() {
            assert!(!reads_as_request(line), "{name}: {line}");
        }
        let tagless = rendered.subject.split_once("] ").map_or(rendered.subject.as_str(), |(_, rest)| rest);
        assert!(!reads_as_request(tagless), "{name}: {}", rendered.subject);
        let reading = omerta::request::read::read(&rendered.subject, &rendered.text);
        assert!(reading.items.is_empty() && reading.proof_words.is_empty(), "{name}: {reading:?}");
    }
}

/// The mark of a quotation stands before players' and hosts' words alone: our own sentences are built so that none
/// needs it.
#[test]
fn our_own_words_are_never_marked_as_quoted() {
    for (name, letter, rendered) in everything() {
        let marked: Vec<&str> = rendered.text.lines().filter(|line| line.starts_with('│')).collect();
        match &letter {
            Letter::Receipt(receipt) | Letter::Answer(receipt) => {
                for line in marked {
                    let said = line.trim_start_matches("│ ");
                    assert!(receipt.lines.iter().any(|line| line.said == said), "{name}: {line}");
                }
            }
            Letter::Orders(orders) => {
                for line in marked {
                    let said = line.trim_start_matches("│ ");
                    assert!(orders.lines.iter().any(|line| line.said == said), "{name}: {line}");
                }
            }
            // A sign-up repeats the applicant's lines and tells the host's text.
            Letter::Joined(_) => {}
            Letter::Confirm(confirm) => assert_eq!(marked.len(), confirm.lines.len(), "{name}"),
            Letter::Note(_) | Letter::Pm(_) | Letter::Clan(_) => assert!(!marked.is_empty(), "{name}"),
            Letter::Expulsion(_) | Letter::Warning(_) | Letter::Notice(_) => {}
            Letter::Summary(summary) => {
                let lines: usize = summary.story.iter().map(|text| text.lines().count()).sum();
                assert!(marked.len() >= lines && marked.is_empty() == (lines == 0), "{name}");
            }
            // What is marked in them is marked in the letters inside, and those have samples of their own.
            Letter::Preview(_) | Letter::Correction(_) => {}
            _ => assert_eq!(marked, Vec::<&str>::new(), "{name}"),
        }
    }
}

/// What others wrote begins below the first hundred characters, even with the shortest names.
#[test]
fn relayed_words_stand_below_the_first_hundred_characters() {
    let templates = templates();
    for (lang, _) in LANGS {
        for (name, mut heading, mut letter) in samples::named(lang) {
            heading.host_name = "Я".to_owned();
            if let Letter::Note(talk) | Letter::Pm(talk) | Letter::Clan(talk) = &mut letter {
                talk.author = "Я".to_owned();
            }
            let rendered = templates.render(&heading, &letter, Markup::Bbcode).unwrap();
            let start: String = rendered.text.chars().take(100).collect();
            assert!(!start.contains('│'), "{name}: {start}");
        }
    }
}

/// What a player wrote stands behind the mark of a quotation, every line of it.
#[test]
fn relayed_words_are_marked_line_by_line() {
    for (name, letter, rendered) in everything() {
        if !matches!(letter, Letter::Note(_) | Letter::Pm(_) | Letter::Clan(_)) {
            continue;
        }
        for words in ["слишком спокоен", "Суд Линча - Лев", "потому что автор"] {
            let line = rendered.text.lines().find(|line| line.contains(words));
            assert!(line.is_some_and(|line| line.starts_with("│ ")), "{name}: {words}\n{}", rendered.text);
        }
    }
}

#[test]
fn nicks_that_are_request_words_do_not_make_requests() {
    let templates = templates();
    for (lang, _) in LANGS {
        for (_, heading, letter) in samples::named(lang) {
            let mut facts = serde_json::to_value(&letter).unwrap();
            rename(&mut facts);
            let letter: Letter = serde_json::from_value(facts).unwrap();
            let rendered = templates.render(&heading, &letter, Markup::Text).unwrap();
            for line in rendered.text.lines() {
                assert!(!reads_as_request(line), "{}: {line}", letter.kind());
            }
        }
    }
}

/// Any nick at all, however long or odd: every letter comes out, narrow, and nothing in it reads as a request. Each case is
/// all letters in both languages: `PROPTEST_CASES`, which asks for thousands of cheap ones, is not meant.
#[test]
fn any_nick_goes_through_every_letter() {
    let templates = templates();
    let mut runner = TestRunner::new(ProptestConfig::with_cases(8));
    let every_letter = |(nick, word): (String, usize)| {
        let nick =
            if word % 2 == 0 { nick } else { format!("{} - {nick}", guard::words().nth(word).unwrap_or("Суд")) };
        for (lang, _) in LANGS {
            for (name, heading, letter) in samples::named(lang) {
                let mut facts = serde_json::to_value(&letter).unwrap();
                put(&mut facts, &nick);
                let letter: Letter = serde_json::from_value(facts).unwrap();
                let rendered = templates.render(&heading, &letter, Markup::Markdown).unwrap();
                prop_assert!(!rendered.subject.contains(['\r', '\n']));
                for line in rendered.text.lines() {
                    prop_assert!(line.chars().count() <= WIDTH + 2, "{}: {}", name, line);
                    prop_assert!(!reads_as_request(line), "{}: {}", name, line);
                }
            }
        }
        Ok(())
    };
    runner.run(&("(?s).{1,60}", 0..140_usize), every_letter).unwrap();
}

fn put(facts: &mut serde_json::Value, nick: &str) {
    match facts {
        serde_json::Value::String(text) if ["Анна", "Лев", "Вера", "Егор"].contains(&text.as_str()) => {
            *text = nick.to_owned();
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(|item| put(item, nick)),
        serde_json::Value::Object(map) => map.values_mut().for_each(|item| put(item, nick)),
        _ => {}
    }
}

/// Anna becomes a whole request, Lev a word that stands alone.
fn rename(facts: &mut serde_json::Value) {
    match facts {
        serde_json::Value::String(text) if text == "Анна" => *text = "Охота - Вера".to_owned(),
        serde_json::Value::String(text) if text == "Лев" => *text = "Роль".to_owned(),
        serde_json::Value::Array(items) => items.iter_mut().for_each(rename),
        serde_json::Value::Object(map) => map.values_mut().for_each(rename),
        _ => {}
    }
}

/// R34: he does not know his own status.
#[test]
fn the_foundling_reads_the_very_card_of_a_citizen() {
    let templates = templates();
    for (lang, _) in LANGS {
        let (_, heading, letter) =
            samples::named(lang).into_iter().find(|(name, _, _)| name == "role-citizen").unwrap();
        let Letter::Role(mut card) = letter.clone() else { panic!("a role card") };
        card.role = Role::Foundling;
        let citizen = templates.render(&heading, &letter, Markup::Bbcode).unwrap();
        assert_eq!(templates.render(&heading, &Letter::Role(card), Markup::Bbcode).unwrap(), citizen);
    }
}

#[test]
fn the_frame_depends_on_the_turn_alone() {
    let templates = templates();
    let (_, heading, letter) = samples::named(Lang::Ru).into_iter().find(|(name, _, _)| name == "death").unwrap();
    let mut seen = BTreeSet::new();
    for turn in 1..=6 {
        let heading = omerta::letters::Heading { turn, ..heading.clone() };
        seen.insert(templates.render(&heading, &letter, Markup::Bbcode).unwrap().text);
    }
    assert_eq!(seen.len(), 3);
}

#[test]
fn letters_that_tell_a_status_carry_rule_three() {
    for (name, letter, rendered) in everything() {
        let tells = matches!(
            letter,
            Letter::Role(_) | Letter::Result(_) | Letter::Promotion(_) | Letter::Conversion(_) | Letter::Clan(_)
        );
        if tells {
            assert!(rendered.text.contains("(правило 3)") || rendered.text.contains("(rule 3)"), "{name}");
            // A71: known again where somebody passes it on. After the end nothing is passed on.
            let is_over = matches!(&letter, Letter::Role(card) if card.over);
            assert!(is_over || shows_letter_of_ours(&rendered.text), "{name}");
        }
    }
}

#[test]
fn built_in_table_and_folder_agree_in_both_languages() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates");
    let table: BTreeSet<String> = names().collect();
    let mut folder = BTreeSet::new();
    for (_, lang) in LANGS {
        for below in ["", "roles/"] {
            for entry in std::fs::read_dir(root.join(lang).join(below)).unwrap() {
                let entry = entry.unwrap();
                if entry.path().is_file() {
                    folder.insert(format!("{lang}/{below}{}", entry.file_name().into_string().unwrap()));
                }
            }
        }
    }
    assert_eq!(table, folder);
    let of = |lang: &str| -> BTreeSet<String> {
        table.iter().filter_map(|name| name.strip_prefix(lang).map(str::to_owned)).collect()
    };
    assert_eq!(of("ru/"), of("en/"));
}

#[test]
fn no_english_letter_is_in_russian() {
    for (name, letter, rendered) in everything() {
        if !name.starts_with("en/") || matches!(letter, Letter::Summary(_)) {
            continue; // the host's story is as he wrote it
        }
        let russian = ["Срок", "срок", "Вы ", "игрок", "письм", "Ход "];
        for word in russian {
            let own = rendered.text.lines().filter(|line| !line.starts_with('│')).any(|line| line.contains(word));
            assert!(!own, "{name}: {word}\n{}", rendered.text);
        }
    }
}

/// A host writes from his phone: what he may answer with is named in the words of his language, and is read.
#[test]
fn hosts_letters_name_request_lines_of_their_own_language() {
    let is_hosts =
        |name: &str| ["alert", "orders", "preview", "digest", "morning"].iter().any(|kind| name.contains(kind));
    let mut named = BTreeSet::new();
    for (name, _, rendered) in everything().into_iter().filter(|(name, _, _)| is_hosts(name)) {
        let (lang, foreign, open, close) = match name.starts_with("ru/") {
            true => (Lang::Ru, Lang::En, '«', '»'),
            false => (Lang::En, Lang::Ru, '“', '”'),
        };
        let own_words = rendered.text.lines().filter(|line| !line.starts_with('│')).collect::<Vec<_>>().join(" ");
        for verb in Verb::ALL {
            let word = verb.taught(foreign);
            let lower = own_words.to_lowercase();
            let stands = lower.split(|c: char| !c.is_alphanumeric()).any(|said| said == word);
            assert!(!stands, "{name}: {word}\n{}", rendered.text);
        }
        if !name.contains("alert") {
            continue;
        }
        for said in own_words.split(open).skip(1).filter_map(|rest| rest.split(close).next()) {
            let read = orders::read("", said).lines;
            assert!(said.contains('‹') || read.len() == 1, "{name}: {said} is no request line");
            named.extend(read.into_iter().map(|line| (lang == Lang::Ru, line.verb)));
        }
    }
    for verb in [Verb::Publish, Verb::Undo, Verb::Resolve, Verb::Forgive] {
        assert!(named.contains(&(true, verb)) && named.contains(&(false, verb)), "{verb:?}");
    }
}

#[test]
fn an_own_template_replaces_one_and_faults_name_file_line_and_variables() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("ru")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join("ru").join(name), text).unwrap();
    write("death.txt", "Subject: Увы\n\nВы умерли, {{ letter.nick }}.\n");
    let own = Templates::load(Some(folder.path())).unwrap();
    let (_, heading, letter) = samples::named(Lang::Ru).into_iter().find(|(name, _, _)| name == "death").unwrap();
    let rendered = own.render(&heading, &letter, Markup::Bbcode).unwrap();
    assert_eq!((rendered.subject.as_str(), rendered.text.as_str()), ("[palermo] Увы", "Вы умерли, Анна.\n"));

    write("death.txt", "Subject: Увы\n\nВы умерли,\n{{ letter.nik }}.\n");
    write("pm.txt", "Subject: Увы\n\n{% if %}\n");
    write("deth.txt", "Subject: Увы\n\nx\n");
    let faults = Templates::load(Some(folder.path())).err().unwrap();
    let said: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert_eq!(faults.len(), 3, "{said:#?}");
    let death = faults.iter().find(|fault| fault.file == "ru/death.txt").unwrap();
    assert_eq!(death.line, Some(4));
    assert!(death.variables.contains(&"letter.nick".to_owned()), "{said:#?}");
    assert!(death.what.ends_with("did you mean `letter.nick`?"), "{said:#?}");
    assert_eq!(death.excerpt.as_deref().unwrap().lines().last().unwrap().trim(), "^");
    let pm = faults.iter().find(|fault| fault.file == "ru/pm.txt").unwrap();
    assert_eq!(pm.line, Some(3));
    assert!(faults.iter().any(|fault| fault.what.contains("did you mean ru/death.txt?")), "{said:#?}");
    assert!(faults.iter().any(|fault| fault.file == "ru/deth.txt" && fault.what.contains("ru/death.txt")));
}

#[test]
fn a_templates_folder_that_is_not_there_is_a_fault() {
    let folder = tempfile::tempdir().unwrap();
    let faults = Templates::load(Some(&folder.path().join("nowhere"))).err().unwrap();
    assert_eq!(faults.len(), 1, "{faults:?}");
}

/// A template that passes the samples can still meet facts that they do not show.
#[test]
fn an_own_template_that_fails_later_gives_way_to_the_built_in_one() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("ru")).unwrap();
    let text = "Subject: Увы\n\n{{ letter.nowhere if letter.nick == 'Редкий' else 'Вы умерли.' }}\n";
    std::fs::write(folder.path().join("ru/death.txt"), text).unwrap();
    let own = Templates::load(Some(folder.path())).unwrap();
    let (_, heading, letter) = samples::named(Lang::Ru).into_iter().find(|(name, _, _)| name == "death").unwrap();
    let Letter::Death(mut death) = letter else { panic!("a death") };
    death.nick = "Редкий".to_owned();
    let letter = Letter::Death(death);
    let rendered = own.render(&heading, &letter, Markup::Bbcode).unwrap();
    let fault = rendered.fault.clone().unwrap();
    assert_eq!(fault.file, "ru/death.txt");
    let ours = templates().render(&heading, &letter, Markup::Bbcode).unwrap();
    assert_eq!((rendered.subject, rendered.text), (ours.subject, ours.text));
}
