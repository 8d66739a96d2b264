//! What a host's order did, or why it did nothing: the same facts and the same words on the command line and in the
//! answer to his letter.

mod discipline;
mod english;
mod forms;
mod russian;

pub use forms::for_the_shell;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use super::Lang;
use crate::feed::address::NoFeedAddress;
use crate::request::orders::Verb;
use crate::rules::Winner;
use crate::schedule::{LocalTime, Skips};

/// What an order did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Did {
    Begun {
        players: u16,
        deadline: Timestamp,
    },
    DeadlineSet {
        deadline: Timestamp,
        was: Option<Timestamp>,
        /// What the clock made of the hour that the host named.
        #[serde(default, skip_serializing_if = "LocalTime::is_once")]
        local: LocalTime,
    },
    /// It was the deadline already: nothing is changed, nobody is told.
    DeadlineStands {
        deadline: Timestamp,
    },
    /// The dates that are skipped now; none after they were taken back.
    Skipping {
        dates: Skips,
        /// The deadline that is set falls on one of them and stays.
        stays: Option<Timestamp>,
    },
    /// This second is the deadline.
    TurnOver {
        turn: u16,
    },
    Paused,
    Resumed {
        deadline: Timestamp,
    },
    /// The clock had leapt, and no turn of this game was paused for it; what is due goes on in all games.
    ClockBelieved,
    Published,
    /// The hosts get the letters of the closed turn.
    Previewed,
    /// The summary of that turn will open with it.
    StoryTold {
        turn: u16,
        /// It stands in the place of an earlier one.
        replaced: bool,
    },
    /// The resolution of that turn.
    TakenBack {
        turn: u16,
        published: bool,
    },
    /// A turn that had been taken back; `published`: it went out at once.
    JudgedAgain {
        turn: u16,
        published: bool,
    },
    /// The closed turn was judged again with the host's ruling.
    Ruled {
        nick: String,
        alive: bool,
    },
    Cancelled,
    /// Another person plays under this nick.
    Replaced {
        nick: String,
    },
    /// The first of the waiting list was asked whether he takes the seat over.
    SeatOffered {
        nick: String,
        /// Empty: he has no nick.
        who: String,
        until: Timestamp,
    },
    /// Forum accounts were handed in.
    AccountsTaken {
        accounts: u16,
    },
    /// Of forum accounts; these players got their role letter again.
    PasswordsChanged {
        nicks: Vec<String>,
    },
    Posted {
        link: String,
    },
    Wrote {
        nicks: Vec<String>,
        /// The closed turn that was judged again with it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        again: Option<u16>,
    },
    Silent {
        nicks: Vec<String>,
        /// The warning comes by itself with the results; else the host decides.
        by_itself: bool,
        /// As of [`Did::Wrote`].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        again: Option<u16>,
    },
    /// Which feed tells of this game's topic; of each address no more than its server. `host`: None, it is not read any more;
    /// `was`: None, there was no other.
    FeedSet {
        host: Option<String>,
        was: Option<String>,
    },
    /// The host ended the game.
    Finished {
        winner: Winner,
    },
    Expelled {
        nick: String,
    },
    Warned {
        nick: String,
    },
    Deprived {
        nicks: Vec<String>,
        turns: u16,
        /// Who has lost the vote for longer already, and the last turn of it: that stands.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        longer: Vec<(String, u16)>,
        /// No lynch court is held before this turn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        first_court: Option<u16>,
    },
    Forgiven {
        what: Forgiven,
        /// None: everybody who has one. Of several, all their nicks.
        nick: Option<String>,
        /// Who was named and has none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        without: Vec<String>,
    },
    /// All misses of the closed turn that waits for the host.
    MissesOfTurnForgiven {
        published: bool,
    },
    SignupOpened {
        until: Option<Timestamp>,
        min: Option<u16>,
        max: Option<u16>,
        /// It was open: its terms were changed.
        again: bool,
        /// SHA-256 of the lots' seed, hex.
        commitment: String,
    },
    SignupClosed {
        players: u16,
        waiting: u16,
        /// Nicks of players of whom something is still missing.
        lacking: Vec<String>,
    },
    Accepted {
        nick: String,
        /// All places are taken: he is on the waiting list.
        waits: bool,
    },
    Declined {
        nick: String,
    },
    /// Several at once; `waiting` are on the waiting list.
    AcceptedAll {
        nicks: Vec<String>,
        waiting: Vec<String>,
    },
    DeclinedAll {
        nicks: Vec<String>,
    },
}

/// What a host can forgive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Forgiven {
    Miss,
    Silence,
}

/// Why an order was not done. Nothing of it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotDone {
    StartedAlready,
    NotBegun,
    HasEnded,
    IsPaused,
    NotPaused,
    NotPlaying,
    NoDeadline,
    MovesNothing,
    PastTime,
    TooFar,
    /// A deadline so far ahead is a slip of the pen.
    TooFarAhead {
        days: u16,
    },
    /// A title is one line of at most so many characters.
    TitleUnfit {
        most: u16,
    },
    /// The host's words to those who may come have more characters than that.
    TextTooLong {
        most: u16,
    },
    /// No results can stand in the topic before the game.
    NothingToPost,
    /// The end was made known, with all roles and the seed: nothing is judged again.
    EndIsTold,
    /// The words are no time, or no length of time.
    NoTime {
        said: String,
    },
    /// The words are no dates.
    NoDates {
        said: String,
    },
    /// The deadline has passed, the turn is being closed.
    BeingClosed,
    /// The turn is closed and waits for publication; this would not count in it.
    InReview {
        turn: u16,
    },
    /// He has missed no vote, or was not silent; nick None: nobody has.
    NothingToForgive {
        what: Forgiven,
        nick: Option<String>,
    },
    /// A vote can be taken for so many turns.
    TooManyTurns {
        most: u16,
    },
    /// The words are no number of turns.
    NoTurns {
        said: String,
    },
    /// All of them have lost the vote for longer already: the last turn of it.
    DeprivedLonger {
        longer: Vec<(String, u16)>,
    },
    NothingToPublish,
    NothingToTakeBack,
    NothingToRule,
    /// The closed turn was taken back: there is nothing to show.
    NotJudged,
    WaitsForShot,
    UnknownNick {
        said: String,
        nicks: Vec<String>,
    },
    OutAlready {
        nick: String,
    },
    /// A moderator used a word of the host.
    HostsWord,
    /// The line stands under a signature, where a quote may have left it.
    BelowSignature,
    /// It wants a confirming answer, and the question did not name it.
    NotAsked,
    NoLink,
    FeedUnfit {
        why: NoFeedAddress,
    },
    /// The replacement's address is no usable one, or it is ours.
    AddressUnfit,
    /// Somebody of this game has the address: one address plays once.
    AddressTaken,
    /// It is the player's own already.
    AddressSame,
    /// Nobody is on the waiting list who could take the seat.
    NobodyWaits,
    /// Somebody of the waiting list is asked already.
    OfferedAlready {
        nick: String,
        who: String,
    },
    /// They have not answered the first letter (`handshake`); the same order again begins without their answer.
    SilentPlayers {
        nicks: Vec<String>,
    },
    /// With `handshake` sign-up must be closed before, so that all get their first letter.
    HandshakeFirst,
    /// Fewer forum accounts than players.
    TooFewAccounts {
        accounts: u16,
        players: u16,
    },
    /// The game has no forum account of that name.
    UnknownAccount {
        name: String,
    },
    /// The name of a forum account is to be a nick, and can't be one.
    AccountNoNick {
        line: u64,
        what: String,
    },
    /// The key of the forum passwords, in English: the command line alone meets it, or whoever starts the game.
    NoKey {
        what: String,
    },
    /// None of the sides, and no draw.
    NoSuchWinner {
        said: String,
    },
    /// A nick, a time or words are missing.
    Incomplete {
        verb: Verb,
    },
    /// It is nearly an order.
    NotInForm {
        verb: Verb,
    },
    /// The player would not learn why.
    NoReason {
        verb: Verb,
        nick: String,
    },
    /// The deck does not fit the players.
    CantDeal {
        fault: String,
    },
    UnknownZone {
        zone: String,
    },
    /// The players stand in a roster: nobody signs up.
    HasRoster,
    SignupNotOpen,
    BadLimits {
        min: Option<u16>,
        max: Option<u16>,
    },
    UnknownApplicant {
        said: String,
        nicks: Vec<String>,
    },
    JudgedAlready {
        nick: String,
    },
    /// He is on the waiting list, and no place is free.
    NoRoom {
        nick: String,
    },
    NickTaken {
        nick: String,
    },
    TooFew {
        players: u16,
        min: u16,
    },
    /// So many have a place and no nick.
    Nameless {
        players: u16,
    },
}

/// A sentence or two: what became of an order, and what can be done about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    pub what: String,
    /// How to undo it, or the cure.
    pub then: String,
}

impl Said {
    fn new(what: impl Into<String>, then: impl Into<String>) -> Said {
        Said { what: what.into(), then: then.into() }
    }
}

/// Nicks, and behind them how many have none.
pub fn named(nicks: &[String], without: &str) -> String {
    let mut named: Vec<String> = nicks.iter().filter(|nick| !nick.is_empty()).cloned().collect();
    let nameless = nicks.len().saturating_sub(named.len());
    if nameless > 0 {
        named.push(format!("{nameless} {without}"));
    }
    named.join(", ")
}

/// What was done, and how to undo it.
pub fn did(lang: Lang, zone: &str, did: &Did) -> Said {
    match lang {
        Lang::Ru => russian::did(did, zone),
        Lang::En => english::did(did, zone),
    }
}

/// Why nothing was done, and the cure.
pub fn not_done(lang: Lang, why: &NotDone) -> Said {
    match lang {
        Lang::Ru => russian::not_done(why),
        Lang::En => english::not_done(why),
    }
}

/// The right form of an order, with an example argument.
pub fn form(lang: Lang, verb: Verb) -> &'static str {
    match lang {
        Lang::Ru => forms::russian(verb),
        Lang::En => forms::english(verb),
    }
}

/// A line of the list of forms. A word that stands alone is told inside a sentence: our own list, sent back, must not
/// pause a game.
pub fn taught_line(lang: Lang, verb: Verb) -> String {
    let form = form(lang, verb);
    match (lang, forms::purpose(verb)) {
        (Lang::Ru, Some((purpose, _))) => format!("чтобы {purpose}: «{form}»"),
        (Lang::En, Some((_, purpose))) => format!("to {purpose}: \"{form}\""),
        (Lang::Ru, None) if verb == Verb::Replace => format!("{form} (без адреса спросим первого в очереди)"),
        (Lang::En, None) if verb == Verb::Replace => format!("{form} (without an address the waiting list is asked)"),
        (_, None) => form.to_owned(),
    }
}

fn local(moment: Timestamp, zone: &str) -> String {
    match TimeZone::get(zone) {
        Ok(of_game) => format!("{} ({zone})", moment.to_zoned_datetime(of_game).strftime("%Y-%m-%d %H:%M:%S")),
        Err(_) => moment.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::orders;

    /// The host's page: a row for each verb, with the form that our letters teach, and no other.
    #[test]
    fn the_hosts_page_holds_every_form_and_nothing_that_is_not_read() {
        let russian = (Lang::Ru, include_str!("../../../docs/host.ru.md"));
        let english = (Lang::En, include_str!("../../../docs/host.en.md"));
        // Words of players, labels below an opening, and the remarks of the table.
        let others = ["Слово", "Заявка", "Характеристика", "Название", "Игроков", "Ник: ", "Да", "Конец"];
        let other_english = ["Word", "Join", "Tagline", "Title", "Players", "Nick: ", "Yes", "End"];
        for (lang, page) in [russian, english] {
            let row = |line: &str| line.strip_prefix("| `")?.split_once("` | ").map(|(form, _)| form.to_owned());
            let mut rows: Vec<String> = page.lines().filter_map(row).collect();
            let mut forms: Vec<String> = Verb::ALL.iter().map(|verb| form(lang, *verb).to_owned()).collect();
            rows.sort();
            forms.sort();
            assert_eq!(rows, forms);
            for said in page.split('`').skip(1).step_by(2).filter(|said| !said.contains('‹')) {
                let is_capital = said.chars().next().is_some_and(char::is_uppercase);
                let is_others = others.iter().chain(&other_english).any(|word| said.starts_with(word));
                if is_capital && !is_others {
                    assert_eq!(orders::read("", said).lines.len(), 1, "{said}");
                }
            }
        }
    }

    #[test]
    fn numbers_and_their_words_agree() {
        let did = |lang, accounts| did(lang, "UTC", &Did::AccountsTaken { accounts }).what;
        assert!(did(Lang::En, 1).starts_with("1 forum account is taken"), "{}", did(Lang::En, 1));
        assert!(did(Lang::En, 2).starts_with("2 forum accounts are taken"), "{}", did(Lang::En, 2));
        let few = |lang, accounts, players| not_done(lang, &NotDone::TooFewAccounts { accounts, players }).what;
        assert_eq!(few(Lang::En, 1, 2), "there is 1 forum account for 2 players");
        assert_eq!(few(Lang::En, 0, 1), "there are 0 forum accounts for 1 player");
        assert_eq!(few(Lang::Ru, 1, 2), "На 2 игроков 1 форумный ник: не хватает.");
        assert_eq!(few(Lang::Ru, 3, 21), "На 21 игрока 3 форумных ника: не хватает.");
        assert_eq!(few(Lang::Ru, 5, 11), "На 11 игроков 5 форумных ников: не хватает.");
    }

    #[test]
    fn every_form_that_we_teach_is_read_as_its_verb() {
        for lang in [Lang::Ru, Lang::En] {
            for verb in Verb::ALL {
                let form = form(lang, *verb);
                let line = form.replace(['‹', '›'], "");
                let read = orders::read("", &line);
                assert_eq!(read.lines.first().map(|line| line.verb), Some(*verb), "{form}");
                if form.contains('‹') {
                    assert_eq!(orders::read("", form).lines, [], "an example of ours orders nothing: {form}");
                }
            }
        }
    }
}
