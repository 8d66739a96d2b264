//! What the hosts are told in the morning.

use crate::journal::{Day, Held, MailHealth, Morning};
use crate::letters::{MorningLetter, MorningTurn, MorningWaits};
use crate::table::{Phase, State, Table};

pub(super) fn letter(table: &Table, said: &Morning) -> MorningLetter {
    let Morning { day, mail } = said;
    let is_review = table.state == State::Playing && table.phase == Phase::Review;
    MorningLetter {
        since: day.since,
        letters: day.letters,
        late: day.late,
        unclear: day.unclear,
        asked: day.asked,
        silent: table.silent_hands().into_iter().map(|who| table.nick_of(who)).collect(),
        turns: turns(table, day),
        turn: table.game.turn,
        is_paused: table.state == State::Paused,
        is_review,
        deadline: table.deadline,
        living: table.living().count(),
        owing: table.owing(),
        waits: waits(table, mail, is_review),
        inbox_read: mail.inbox_read,
        queued: mail.queued,
        sent_today: mail.sent_today,
    }
}

/// The turns that were made known, and who fell in them.
fn turns(table: &Table, day: &Day) -> Vec<MorningTurn> {
    let told = table.told.iter().filter(|told| day.published.contains(&told.turn));
    told.map(|told| MorningTurn {
        turn: told.turn,
        fell: told.fell.iter().map(|player| table.nick(*player).to_owned()).collect(),
        ruled: told.ruled.iter().map(|(player, alive)| (table.nick(*player).to_owned(), *alive)).collect(),
    })
    .collect()
}

/// What goes on only when the host, or whoever looks after the mail, does something.
fn waits(table: &Table, mail: &MailHealth, is_review: bool) -> MorningWaits {
    let many_misses = is_review && table.held == Some(Held::ManyMisses);
    MorningWaits {
        approval: is_review && table.held == Some(Held::Approval),
        many_misses,
        pause: table.state == State::Paused,
        resting: mail.resting.iter().map(|player| table.nick(*player).to_owned()).collect(),
        quarantined: mail.quarantined,
        host_unreached: mail.host_unreached,
    }
}
