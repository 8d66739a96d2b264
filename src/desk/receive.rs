//! A letter in: whose it is, to which game it belongs, what it asks for, and what becomes of it.

use jiff::{SignedDuration, Timestamp};

use super::caps::{cap_talk, first_prose_today};
use super::identity::Question;
use super::intake::Taken;
use super::orders::HostsLetter;
use super::place::{Place, days_named, judge_items, missed_deadline, place, settle_standing, shorten};
use super::route::Route;
use super::said::Said;
use super::signup::ApplicantsLetter;
use super::{DeskError, Open, Room, put_text};
use crate::address::fold_address;
use crate::journal::{self, AskedWhy, Entry, Heard, Item, Standing, WeightyFate, Writer};
use crate::letters::compose::Owed;
use crate::letters::view::Reader;
use crate::letters::{Letter, Stranger};
use crate::mail::link::Arrived;
use crate::mail::{Automatic, Incoming};
use crate::request::names::{self, Match};
use crate::request::{self, Reading, Word};
use crate::rules::ledger::{Act, Ask, Fate, Target};
use crate::rules::{Kind, Order, PlayerId};
use crate::store::{LetterId, LetterRow, LetterState, NewLetter, Tx};
use crate::table::{State, Table};

/// Answers in a day to all whose letter belongs to no game.
const OUTSIDE_PER_DAY: u32 = 100;

/// A letter of a known player of a known game.
#[derive(Clone, Copy)]
pub(super) struct PlayersLetter<'a> {
    pub id: LetterId,
    pub from: PlayerId,
    pub order: &'a Order,
    pub incoming: &'a Said,
    pub too_large: bool,
    /// The registered address has confirmed it.
    pub confirmed: bool,
}

impl Room {
    /// `said`: what it says, where it was read already. `known`: the row that the letter has already, when it was
    /// quarantined.
    pub(super) fn take_in(
        &mut self,
        tx: &Tx,
        arrived: &Arrived,
        said: Option<&Said>,
        known: Option<LetterId>,
        now: Timestamp,
    ) -> Result<Taken, DeskError> {
        // After many tries the server did not hand out even its head. Nobody can be answered: the hosts are to look.
        if arrived.too_large && arrived.raw.is_empty() && !arrived.junk {
            return Err(DeskError::Broken(
                "the mail server does not hand this letter out; look for it in the mailbox itself",
            ));
        }
        let read;
        let incoming = match said {
            Some(said) => said,
            None => {
                read = Said::parse_at_all(&arrived.raw, self.config.outbox.from.address.as_str())?;
                &read
            }
        };
        let twin = match (&incoming.from, &incoming.message_id) {
            (Some(from), Some(message_id)) => tx.twin(from, message_id, &incoming.body_hash)?,
            // The server gave every letter a new place: the same bytes are the same letter.
            _ if arrived.revalidated => tx.twin_by_raw(&incoming.sha256)?,
            _ => None,
        };
        let is_asked_about = match &twin {
            Some(twin) => tx.asked(twin.id)?.is_some(),
            None => false,
        };
        // A second copy and automatic mail change nothing and get no answer.
        let route = match &twin {
            Some(_) if !is_asked_about => None,
            _ if incoming.automatic.is_some() => None,
            _ => Some(self.route(tx, incoming, now)?),
        };
        // But a copy that is proved needs no answer to the question about the first: it is heard, at its place.
        let proved = matches!(
            route,
            Some(
                Route::Seat { proved: true, .. }
                    | Route::Host { proved: true, .. }
                    | Route::Moderator { proved: true, .. }
                    | Route::Applicant { proved: true, .. }
            )
        );
        let (twin, order) = match twin {
            Some(twin) if proved => {
                tx.drop_asked(twin.id)?;
                let first = Order { second: twin.second, within: twin.within };
                (None, first.min(arrived.order.clone()))
            }
            twin => (twin, arrived.order.clone()),
        };
        if arrived.junk && matches!(route, Some(Route::Nobody)) {
            put_letter(tx, known, &new_letter(arrived, incoming, incoming.sha256, LetterState::Ignored, now))?;
            return Ok(Taken::Junk);
        }
        let state =
            if twin.is_some() || incoming.automatic.is_some() { LetterState::Ignored } else { LetterState::Done };
        let letter = put_letter(tx, known, &new_letter(arrived, incoming, incoming.sha256, state, now))?;
        if let Some(twin) = twin {
            self.second_copy(tx, &twin, &arrived.order, now)?;
            return Ok(Taken::Ours);
        }
        if incoming.automatic == Some(Automatic::Bounce) {
            self.hear_bounce(tx, &arrived.raw, now)?;
        }
        match route {
            Some(Route::Seat { head, player, proved }) => {
                if proved {
                    self.owner_writes(tx, incoming.from.as_deref())?;
                }
                let mut game = self.open(tx, &head)?;
                let letter = PlayersLetter {
                    id: letter,
                    from: player,
                    order: &order,
                    incoming,
                    too_large: arrived.too_large,
                    confirmed: false,
                };
                self.file_or_ask(tx, &mut game, &letter, proved, now)?;
                self.put_back(tx, game, now)?;
            }
            Some(Route::Host { head, position, proved }) => {
                let who = Writer::Host(position);
                let letter = HostsLetter { id: letter, who, order: &order, incoming, proved };
                self.hear_host(tx, &head, &letter, now)?;
            }
            Some(Route::Moderator { head, position, proved }) => {
                let who = Writer::Moderator(position);
                let letter = HostsLetter { id: letter, who, order: &order, incoming, proved };
                self.hear_host(tx, &head, &letter, now)?;
            }
            Some(Route::Applicant { head, applicant, proved }) => {
                if proved && applicant.is_some() {
                    self.owner_writes(tx, incoming.from.as_deref())?;
                }
                let letter =
                    ApplicantsLetter { id: letter, applicant, order: &order, incoming, too_large: arrived.too_large };
                self.hear_applicant(tx, &head, &letter, proved, now)?;
            }
            Some(Route::Officer) | None => {}
            Some(Route::Several { candidates }) => {
                let letter_owed = Letter::Refused(Stranger::WhichGame { candidates });
                self.answer_stranger(tx, incoming, letter, letter_owed, now)?;
            }
            Some(Route::Nobody) => {
                let letter_owed = Letter::Refused(self.stranger_may_join(tx)?);
                self.answer_stranger(tx, incoming, letter, letter_owed, now)?;
            }
        }
        Ok(Taken::Ours)
    }

    /// A copy of a letter that is known. It gets no answer of its own, but the letter keeps its earliest arrival.
    fn second_copy(&mut self, tx: &Tx, twin: &LetterRow, order: &Order, now: Timestamp) -> Result<(), DeskError> {
        if !tx.earlier_arrival(twin.id, order.second, &order.within)? {
            return Ok(());
        }
        let Some(head) = twin.game.map(|game| tx.game_by_id(game)).transpose()?.flatten() else { return Ok(()) };
        if twin.state == LetterState::Waiting {
            return Ok(());
        }
        let mut game = self.open(tx, &head)?;
        let letter = number(twin.id);
        let is_it = |act: &Act| matches!(act, Act::Letter { letter: known, .. } if *known == letter);
        if game.table.game.ledger.acts.iter().any(|(_, act)| is_it(act)) {
            self.record(tx, &mut game, now, &Entry::Rearranged { letter, order: order.clone() })?;
        } else if let Some((from, deadline)) = missed_deadline(tx, &game, twin)?
            && order.second < deadline.as_second()
        {
            let found = Entry::CopyFoundLate { letter, from, order: order.clone(), deadline };
            self.record(tx, &mut game, now, &found)?;
        }
        self.put_back(tx, game, now)
    }

    /// Files a letter whose sender is proved. Of another one nothing is done that it asks for: its sender is asked.
    fn file_or_ask(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        letter: &PlayersLetter,
        proved: bool,
        now: Timestamp,
    ) -> Result<(), DeskError> {
        let reading = letter.incoming.reading_among(&game.table, letter.too_large);
        if proved {
            self.shake_hands(tx, game, Writer::Player(letter.from), now)?;
        }
        // Prose asks for nothing: it is explained like any other.
        if proved || reading.items.is_empty() {
            return self.file_or_keep(tx, game, letter, now);
        }
        tx.set_letter(letter.id, LetterState::Done, Some(game.id), None)?;
        let question = Question {
            who: Writer::Player(letter.from),
            letter: letter.id,
            order: letter.order,
            why: AskedWhy::Unproved,
            lines: lines_of(&reading),
            numbers: None,
        };
        self.ask(tx, game, question, now)
    }

    /// Files, or keeps for the close, a letter of a known player.
    fn file_or_keep(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        letter: &PlayersLetter,
        now: Timestamp,
    ) -> Result<(), DeskError> {
        let from = Some(letter.from.0);
        match place(&game.table, letter.from, letter.order, now) {
            Place::Wait => Ok(tx.set_letter(letter.id, LetterState::Waiting, Some(game.id), from)?),
            Place::Now(standing) => {
                tx.set_letter(letter.id, LetterState::Done, Some(game.id), from)?;
                self.judge(tx, game, letter, standing, now)
            }
        }
    }

    /// Judges one letter and journals it with the fate of every line.
    pub(super) fn judge(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        letter: &PlayersLetter,
        standing: Standing,
        now: Timestamp,
    ) -> Result<(), DeskError> {
        let PlayersLetter { from, incoming, .. } = *letter;
        let readable = !letter.too_large && !incoming.undecodable;
        let mut reading = incoming.reading_among(&game.table, letter.too_large);
        if self.let_in(tx, game, letter, &reading, standing, now)? {
            // The receipt of the letter that was let in answers «Да».
            reading.items.retain(|item| !matches!(item, request::Item::Request(request) if request.word == Word::Yes));
            if reading.items.is_empty() {
                return Ok(());
            }
        }
        if readable && reading.items.is_empty() && !first_prose_today(tx, game, from, now)? {
            return Ok(());
        }
        let mut items = Vec::new();
        let mut said = String::new();
        for item in &reading.items {
            let (line, item) = self.look_up(tx, game, letter, standing, item)?;
            // A question is answered once, however often it is asked.
            if matches!(item, Item::Question { .. }) && items.contains(&item) {
                continue;
            }
            said.push_str(&line.replace(['\n', '\r'], " "));
            said.push('\n');
            items.push(item);
        }
        let standing = settle_standing(standing, &items);
        judge_items(&game.table, letter, standing, &mut items);
        cap_talk(tx, game, letter, &mut items, self.config.security.replies_per_hour)?;
        let said = if items.is_empty() { None } else { Some(put_text(tx, game.id, &said)?) };
        let weighty = items.clone();
        let quota = self.quota_for(tx, game, letter.id, &items, now)?;
        let heard = Heard {
            letter: number(letter.id),
            from,
            order: letter.order.clone(),
            turn: game.table.game.turn,
            standing,
            items,
            said,
            charset_guess: incoming.charset.guessed.then(|| incoming.charset.name.clone()),
            undecodable: incoming.undecodable,
            too_large: letter.too_large,
            quota,
        };
        self.record(tx, game, now, &Entry::Heard(Box::new(heard)))?;
        let is_asked = |item: &Item| matches!(item, Item::Weighty { fate: WeightyFate::Asked, .. });
        if weighty.iter().any(is_asked) {
            let who = Writer::Player(from);
            let lines = reading.requests().filter(|request| matches!(request.word, Word::Address | Word::Leave));
            let lines = lines.map(|request| shorten(&request.line)).collect();
            let question =
                Question { who, letter: letter.id, order: letter.order, why: AskedWhy::Weighty, lines, numbers: None };
            self.ask(tx, game, question, now)?;
        }
        self.do_weighty(tx, game, letter, &reading, &weighty, now)
    }

    /// A line as the rules want it: nick looked up, text put away. The fate is not judged yet.
    fn look_up(
        &mut self,
        tx: &Tx,
        game: &Open,
        letter: &PlayersLetter,
        standing: Standing,
        item: &request::Item,
    ) -> Result<(String, Item), DeskError> {
        let request = match item {
            request::Item::Problem(problem) => {
                let line = if problem.problem == request::ProblemKind::DoubtfulText { "" } else { &problem.line };
                return Ok((shorten(line), Item::Problem { word: problem.word, problem: problem.problem }));
            }
            request::Item::Request(request) => request,
        };
        let line = shorten(&request.line);
        let word = request.word;
        if let Some(kind) = journal::kind_of(word) {
            let (target, did_you_mean, guessed) = match (&request.argument, kind) {
                (_, Kind::Clan) => (Target::Nobody, Vec::new(), false),
                (None, _) => (Target::Unknown, Vec::new(), false),
                (Some(nick), _) => find(&game.table, letter.from, nick),
            };
            let text = match &request.text {
                Some(text) => Some(put_text(tx, game.id, text)?),
                None => None,
            };
            let capped = None;
            let ask = Ask::Do { kind, target, text };
            let fate = Fate::NothingToWithdraw;
            return Ok((line, Item::Ask { ask, fate, capped, end: request.text_end, did_you_mean, guessed }));
        }
        let item = match word {
            Word::Cancel => {
                let kind = request.argument.as_deref().and_then(kind_named);
                let (ask, fate) = (Ask::Cancel { kind }, Fate::NothingToWithdraw);
                Item::Ask { ask, fate, capped: None, end: None, did_you_mean: Vec::new(), guessed: false }
            }
            Word::Role | Word::Status | Word::Players | Word::Rules | Word::Help | Word::Why => Item::Question { word },
            Word::Address | Word::Leave => self.weigh(tx, game, letter, standing, request)?,
            Word::Absence if matches!(game.table.state, State::Signup | State::Playing | State::Paused) => {
                Item::Absent { days: days_named(&game.table, letter.order, request) }
            }
            _ => Item::NotNow { word },
        };
        Ok((line, item))
    }

    pub(super) fn answer_stranger(
        &mut self,
        tx: &Tx,
        incoming: &Incoming,
        letter: LetterId,
        owed: Letter,
        now: Timestamp,
    ) -> Result<(), DeskError> {
        let Some(from) = &incoming.from else { return Ok(()) };
        // Somebody who plays here is told each time; a stranger learns how to join once a day.
        let is_stranger = matches!(
            owed,
            Letter::Refused(Stranger::Unknown | Stranger::HowToJoin { .. } | Stranger::SignupClosed { .. })
        );
        if is_stranger && tx.last_kind(from, owed.kind(), day_before(now))? {
            return Ok(());
        }
        let day = now.strftime("%F").to_string();
        let folded = format!("{}/{day}", fold_address(from));
        let one = if is_stranger { 1 } else { self.config.security.replies_per_hour };
        // A robot may write under another address each time: all such answers of a day are capped together.
        if !tx.bump(None, owed.kind(), &folded, one)? || !tx.bump(None, owed.kind(), &day, OUTSIDE_PER_DAY)? {
            return Ok(());
        }
        let reader = Reader::Stranger(from.clone());
        let owed = Owed { answers: Some(number(letter)), ..Owed::new(reader, owed, 0) };
        self.enqueue_outside(tx, now, &owed)
    }
}

/// Whom a nick means, who else it could be, and whether it had to be guessed.
fn find(table: &Table, writer: PlayerId, nick: &str) -> (Target, Vec<PlayerId>, bool) {
    let nicks: Vec<&str> = table.game.players.iter().map(|player| player.nick.as_str()).collect();
    let id = |index: usize| u16::try_from(index).map(PlayerId).unwrap_or(PlayerId(u16::MAX));
    match names::find(&nicks, nick) {
        Match::Exact(index) => (Target::Player(id(index)), Vec::new(), false),
        _ if names::means_writer(nick) => (Target::Player(writer), Vec::new(), true),
        Match::Near(index) => (Target::Player(id(index)), Vec::new(), true),
        Match::Unknown { did_you_mean } => (Target::Unknown, did_you_mean.into_iter().map(id).collect(), false),
    }
}

/// `lynch` and so on, as a cancel names it.
fn kind_named(name: &str) -> Option<Kind> {
    serde_json::from_value(serde_json::Value::String(name.to_owned())).ok()
}

/// The request lines of a letter, for the question about it; what makes a text doubtful is text.
pub(super) fn lines_of(reading: &Reading) -> Vec<String> {
    let lines = reading.items.iter().map(|item| match item {
        request::Item::Request(request) => request.line.as_str(),
        request::Item::Problem(problem) if problem.problem == request::ProblemKind::DoubtfulText => "",
        request::Item::Problem(problem) => problem.line.as_str(),
    });
    lines.filter(|line| !line.is_empty()).map(|line| shorten(&line.replace(['\n', '\r'], " "))).collect()
}

/// A letter that was quarantined has its row already.
fn put_letter(tx: &Tx, known: Option<LetterId>, letter: &NewLetter<'_>) -> Result<LetterId, DeskError> {
    match known {
        Some(id) => tx.read_again(id, letter).map(|()| id),
        None => tx.put_letter(letter),
    }
    .map_err(DeskError::from)
}

pub(super) fn new_letter<'a>(
    arrived: &'a Arrived,
    incoming: &'a Incoming,
    sha256: [u8; 32],
    state: LetterState,
    now: Timestamp,
) -> NewLetter<'a> {
    NewLetter {
        place: &arrived.place,
        second: arrived.order.second,
        within: &arrived.order.within,
        sha256,
        sender: incoming.from.as_deref(),
        message_id: incoming.message_id.as_deref(),
        body_hash: &incoming.body_hash,
        too_large: arrived.too_large,
        raw: &arrived.raw,
        game: None,
        player: None,
        state,
        received_at: now,
    }
}

/// A letter's number in the journal: the one that the store gave it.
pub(super) fn number(letter: LetterId) -> u64 {
    u64::try_from(letter.0).unwrap_or_default()
}

pub(super) fn day_before(now: Timestamp) -> Timestamp {
    now.saturating_sub(SignedDuration::from_hours(24)).unwrap_or(Timestamp::MIN)
}
