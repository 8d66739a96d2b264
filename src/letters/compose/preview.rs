//! A closed turn as it will go out: the very letters that publication owes, without what is no host's business.

use jiff::Timestamp;

use super::{Context, Owed, turn};
use crate::journal::Entry;
use crate::letters::preview::{Preview, Previewed, Recipient};
use crate::letters::view::Reader;
use crate::letters::{Lang, Letter};
use crate::rules::game::Life;
use crate::table::Table;

/// Publishes a copy of the table and looks at what it would owe; None when no turn waits. `next` is the deadline that
/// the next turn would have.
pub fn preview(table: &Table, next: Option<Timestamp>, context: &Context) -> Option<Preview> {
    table.game.pending.as_ref()?;
    let mut letters: Vec<(Vec<Reader>, Letter)> = Vec::new();
    let (published, owed) = would_owe(table, next, context);
    for Owed { reader, letter, .. } in owed {
        match letters.iter_mut().find(|(_, other)| *other == letter) {
            Some((readers, _)) => readers.push(reader),
            None => letters.push((vec![reader], letter)),
        }
    }
    // The private letters stand in roster order: the shuffled one would only make them hard to find.
    letters.sort_by_key(|(readers, letter)| (place(letter), readers.iter().min().cloned()));
    let recipients = |readers: &[Reader]| {
        let mut all: Vec<Recipient> = Vec::new();
        for reader in readers {
            let recipient = recipient(table, reader);
            if all.last() != Some(&recipient) {
                all.push(recipient);
            }
        }
        all
    };
    let players = |readers: &[Reader]| readers.iter().filter(|reader| matches!(reader, Reader::Player(_))).count();
    let all = published.seats().filter(|(_, player)| player.life != Life::Expelled).count();
    let letters = letters
        .into_iter()
        .map(|(readers, letter)| Previewed {
            everyone: players(&readers) >= all,
            readers: recipients(&readers),
            letter,
        })
        .collect();
    Some(Preview { letters })
}

/// The letters of the closed turn if it were published now. The seed stays secret until the end has really been told,
/// for a turn may still be judged again; a proof word is its player's alone.
fn would_owe(table: &Table, next: Option<Timestamp>, context: &Context) -> (Table, Vec<Owed>) {
    let seed = || match table.lang {
        Lang::Ru => "(откроется с публикацией)".to_owned(),
        Lang::En => "(told at publication)".to_owned(),
    };
    let masked = Context { seed: &seed, proof_word: &|_| "•••".to_owned(), ..*context };
    let mut published = table.clone();
    published.apply(table.closed_at.unwrap_or(Timestamp::UNIX_EPOCH), &Entry::Published { next });
    let owed = turn::letters(&published, &table.game, next, &masked);
    (published, owed)
}

/// Summary and post, the private letters, what the hosts alone get, the end.
fn place(letter: &Letter) -> u8 {
    match letter {
        Letter::Summary(summary) if !summary.paste => 0,
        Letter::Summary(_) => 1,
        Letter::Digest(_) => 3,
        Letter::Final(_) => 4,
        _ => 2,
    }
}

fn recipient(table: &Table, reader: &Reader) -> Recipient {
    match reader {
        Reader::Player(player) | Reader::Before(player) => Recipient::Player(table.nick(*player).to_owned()),
        // A former player gets nothing of a turn; the last letter is shown under those who play.
        Reader::Host(_) | Reader::Stranger(_) | Reader::Former(_) | Reader::Applicant(_) => Recipient::Host,
        Reader::Moderator(_) => Recipient::Moderator,
        Reader::Forum(_) => Recipient::Forum,
    }
}
