//! Who wrote a letter, and what becomes of one whose writer is not proved: the registered address is asked, and «Да» from
//! there, in an answer to that very question, lets the letter in with its first arrival.

use jiff::Timestamp;

use super::place::{Place, place};
use super::receive::{PlayersLetter, number};
use super::said::Said;
use super::{DeskError, Open, Room, put_text};
use crate::address::{fold_address, is_one_mailbox, read_address};
use crate::config::SenderProof;
use crate::journal::{Asked, AskedWhy, Entry, Item, Standing, WeightyFate, Writer};
use crate::keys::{same_word, tokens_in};
use crate::letters::Alert;
use crate::letters::view::Reader;
use crate::mail::Incoming;
use crate::request::words::fold_proof_word;
use crate::request::{Reading, Request, Word};
use crate::rules::game::Life;
use crate::rules::ledger::HostAct;
use crate::rules::{Order, PlayerId};
use crate::store::{AskedRow, GameHead, LetterId, LetterRow, TokenRow, Tx, View};
use crate::table::{State, Table, is_on};

/// Wrong proof words in a day: of one mailbox, and of all in a game.
const TRIES_OF_ONE: u32 = 10;
const TRIES_OF_ALL: u32 = 100;
/// Under which they are counted.
const WORDS: &str = "proof words";
/// Questions to one reader in an hour. A letter above it waits unasked: whoever forges letters must not fill a mailbox.
pub(super) const QUESTIONS_PER_HOUR: u32 = 5;
/// Of whoever has proved who he is nobody else can use up the share.
const WEIGHTY_QUESTIONS_PER_HOUR: u32 = 30;

/// What a question is about.
pub(super) struct Question<'a> {
    pub who: Writer,
    pub letter: LetterId,
    pub order: &'a Order,
    pub why: AskedWhy,
    /// The request lines, as the question quotes them.
    pub lines: Vec<String>,
    /// Which lines of a host's letter these are; None for all.
    pub numbers: Option<Vec<u32>>,
}

impl Writer {
    pub(super) fn reader(self) -> Reader {
        match self {
            Writer::Player(player) => Reader::Player(player),
            Writer::Host(position) => Reader::Host(position),
            Writer::Moderator(position) => Reader::Moderator(position),
            Writer::Applicant(number) => Reader::Applicant(number),
        }
    }
}

impl Room {
    /// What the tokens of a letter stand for: those in the Message-IDs that it refers to, and in plus-addresses.
    pub(super) fn tokens_in(&self, tx: &View, incoming: &Incoming) -> Result<Vec<TokenRow>, DeskError> {
        let mut rows = Vec::new();
        for token in tokens_in(&incoming.refers_to, &incoming.recipients) {
            rows.extend(tx.find_token(&token)?);
        }
        Ok(rows)
    }

    /// The host (or moderator: `role`) to whom a token was sent, if he is the one who writes. A token proves only its own
    /// recipient.
    pub(super) fn officer_by_token(
        &mut self,
        tx: &View,
        role: &str,
        from: &str,
        tokens: &[TokenRow],
    ) -> Result<Option<(GameHead, u16)>, DeskError> {
        for token in tokens {
            let position = token.reader.strip_prefix(role).and_then(|rest| rest.strip_prefix(':')?.parse::<u16>().ok());
            let (Some(position), Some(game)) = (position, token.game) else { continue };
            let Some(head) = tx.game_by_id(game)? else { continue };
            let is_he = tx.officers(game)?.iter().any(|officer| {
                officer.role == role && officer.position == position && is_one_mailbox(&officer.address, from)
            });
            if is_he && self.is_of_now(tx, &head, token)? {
                return Ok(Some((head, position)));
            }
        }
        Ok(None)
    }

    /// Whether a letter from a registered address is proved to come from there. Players are asked for what config says;
    /// hosts always for a proof.
    pub(super) fn is_proved(
        &mut self,
        tx: &View,
        head: &GameHead,
        who: Writer,
        incoming: &Incoming,
        tokens: &[TokenRow],
    ) -> Result<bool, DeskError> {
        if incoming.testimony.speaks_against() {
            return Ok(false);
        }
        if matches!(who, Writer::Player(_) | Writer::Applicant(_))
            && self.config.security.sender == SenderProof::Address
        {
            return Ok(true);
        }
        let from = incoming.from.as_deref().unwrap_or_default();
        if incoming.testimony.speaks_for(from, &self.config.security.authserv_ids) {
            return Ok(true);
        }
        let reader = who.reader().key();
        for token in tokens {
            if token.game == Some(head.id) && token.reader == reader && self.is_of_now(tx, head, token)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A token proves in its turn and the next.
    fn is_of_now(&mut self, tx: &View, head: &GameHead, token: &TokenRow) -> Result<bool, DeskError> {
        let table = self.load(tx, head)?;
        let turn = table.game.turn;
        self.tables.keep(head.id, head.seq, table);
        Ok(turn <= token.turn.saturating_add(1))
    }

    /// The proof words of those who sit at a table, by seat.
    pub(super) fn proof_words(&self, table: &Table) -> Vec<String> {
        self.keys.proof_words(&table.tag, table.game.players.len(), &table.taken_over, table.lang)
    }

    /// Whose proof word it is. Words of two people prove neither. Wrong ones are counted, lest they be guessed.
    pub(super) fn proved_by_word(
        &mut self,
        tx: &Tx,
        head: &GameHead,
        words: &[String],
        incoming: &Incoming,
        now: Timestamp,
    ) -> Result<Option<Writer>, DeskError> {
        let from = incoming.from.as_deref().unwrap_or_default();
        let day = now.strftime("%F").to_string();
        let own = format!("{}/{day}", fold_address(from));
        // The hosts were told when the last try was used up.
        if tx.capped(head.id, WORDS, &own)? >= u64::from(TRIES_OF_ONE)
            || tx.capped(head.id, WORDS, &day)? >= u64::from(TRIES_OF_ALL)
        {
            return Ok(None);
        }
        let table = self.load(tx, head)?;
        let own_words = self.proof_words(&table);
        self.tables.keep(head.id, head.seq, table);
        let mut proved = Vec::new();
        for seat in tx.seats(head.id)? {
            let Some(own) = own_words.get(usize::from(seat.player)) else { continue };
            let own = fold_proof_word(own).unwrap_or_default();
            if words.iter().any(|word| same_word(&own, word)) {
                proved.push(Writer::Player(PlayerId(seat.player)));
            }
        }
        // Read afresh: the host makes or changes the file while the daemon runs, and tells nobody.
        if let Some(own) = self.config.host.word()
            && words.iter().any(|word| same_word(&own, word))
        {
            // A co-host writes as himself, anybody else who knows the word as the host.
            proved.push(Writer::Host(super::route::host_position(tx, head.id, from)?.unwrap_or_default()));
        }
        match proved.as_slice() {
            [only] => Ok(Some(*only)),
            _ => {
                tx.bump(head.id, WORDS, &own, TRIES_OF_ONE)?;
                tx.bump(head.id, WORDS, &day, TRIES_OF_ALL)?;
                self.tell_that_words_rest(tx, head, from, (&own, &day), now)?;
                Ok(None)
            }
        }
    }

    /// The last wrong word of the day: from now on a right one counts no more either, and the hosts of a game that is on
    /// are told. Whoever forges them learns nothing by it: a right word then fares like a wrong one.
    fn tell_that_words_rest(
        &mut self,
        tx: &Tx,
        head: &GameHead,
        from: &str,
        (own, day): (&str, &str),
        now: Timestamp,
    ) -> Result<(), DeskError> {
        let of_all = tx.capped(head.id, WORDS, day)? >= u64::from(TRIES_OF_ALL);
        let of_host = tx.capped(head.id, WORDS, own)? >= u64::from(TRIES_OF_ONE)
            && super::route::host_position(tx, head.id, from)?.is_some();
        if !of_all && !of_host || !is_on(&head.state) {
            return Ok(());
        }
        let wrong = if of_all { TRIES_OF_ALL } else { TRIES_OF_ONE };
        let alert = Alert::WordsRest { wrong, of_all, until: end_of_day(now) };
        let mut game = self.open(tx, head)?;
        self.record(tx, &mut game, now, &Entry::Alerted { alert })?;
        self.put_back(tx, game, now)
    }

    /// Asks the registered address. What may be forged makes no second question when it comes again, and no more than so
    /// many in an hour. Who is proved and orders the same once more is asked once more, and only that question counts.
    pub(super) fn ask(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        question: Question<'_>,
        now: Timestamp,
    ) -> Result<(), DeskError> {
        let reader = question.who.reader().key();
        let turn = game.table.game.turn;
        let is_proved = question.why == AskedWhy::Weighty;
        let alike = tx.asked_alike(game.id, &reader, turn, question.letter)?;
        if tx.asked(question.letter)?.is_some() || (!is_proved && !alike.is_empty()) {
            return Ok(());
        }
        let hour = format!("{reader}/{}", now.strftime("%FT%H"));
        let (share, most) = if is_proved {
            ("weighty questions", WEIGHTY_QUESTIONS_PER_HOUR)
        } else {
            ("questions", QUESTIONS_PER_HOUR)
        };
        // Whoever forges letters may use up what is asked of the true writer: he learns it from the last question.
        let is_last = !tx.bump(game.id, share, &hour, most.saturating_sub(1))?;
        if is_last && !tx.bump(game.id, share, &hour, most)? {
            return Ok(());
        }
        for before in alike {
            tx.drop_asked(before)?;
        }
        tx.put_asked(&AskedRow { letter: question.letter, game: game.id, reader, turn })?;
        let said = match question.lines.as_slice() {
            [] => None,
            lines => Some(put_text(tx, game.id, &lines.join("\n"))?),
        };
        let asked = Asked {
            who: question.who,
            letter: number(question.letter),
            order: question.order.clone(),
            why: question.why,
            said,
            lines: question.numbers,
            last: is_last && !is_proved,
            until: match question.who {
                Writer::Applicant(_) => game.table.signup.as_ref().and_then(|signup| signup.until),
                Writer::Player(_) | Writer::Host(_) | Writer::Moderator(_) => game.table.deadline,
            }
            .filter(|until| now < *until),
        };
        self.record(tx, game, now, &Entry::Asked(Box::new(asked)))
    }

    /// The letter that this one confirms: it answers our question to this very writer, and it comes from his registered
    /// address. The token alone confirms nothing, and neither does the word.
    pub(super) fn confirms(
        &self,
        tx: &View,
        game: &Open,
        who: Writer,
        incoming: &Incoming,
        reading: &Reading,
    ) -> Result<Option<LetterRow>, DeskError> {
        if !reading.requests().any(|request| request.word == Word::Yes) || incoming.testimony.speaks_against() {
            return Ok(None);
        }
        let from = incoming.from.as_deref().unwrap_or_default();
        let registered = super::post::address_of(tx, game.id, &who.reader())?;
        if !registered.is_some_and(|address| is_one_mailbox(&address, from)) {
            return Ok(None);
        }
        let reader = who.reader().key();
        for token in self.tokens_in(tx, incoming)? {
            let is_it = token.kind == "confirm" && token.reader == reader && token.game == Some(game.id);
            let (true, Some(letter)) = (is_it, token.letter) else { continue };
            if tx.asked(letter)?.is_some_and(|asked| asked.turn == game.table.game.turn) {
                return Ok(tx.letter(letter)?);
            }
        }
        Ok(None)
    }

    /// Lets in the letter that a player's «Да» confirms. False when there is none, or when the answer stands otherwise to
    /// the deadline than the letter did.
    pub(super) fn let_in(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        answer: &PlayersLetter,
        reading: &Reading,
        standing: Standing,
        now: Timestamp,
    ) -> Result<bool, DeskError> {
        let who = Writer::Player(answer.from);
        if answer.confirmed {
            return Ok(false);
        }
        let Some(row) = self.confirms(tx, game, who, answer.incoming, reading)? else { return Ok(false) };
        let order = Order { second: row.second, within: row.within.clone() };
        let then = match place(&game.table, answer.from, &order, now) {
            Place::Wait => standing,
            Place::Now(then) => then,
        };
        if then != standing || answer.order < &order || !tx.drop_asked(row.id)? {
            return Ok(false);
        }
        let raw = tx.raw(row.id)?.unwrap_or_default();
        let own = self.config.outbox.from.address.clone();
        let incoming = Said::parse(&raw, &own);
        self.record(tx, game, now, &Entry::Confirmed { who, letter: number(row.id), by: number(answer.id) })?;
        let letter = PlayersLetter {
            id: row.id,
            from: answer.from,
            order: &order,
            incoming: &incoming,
            too_large: row.too_large,
            confirmed: true,
        };
        self.judge(tx, game, &letter, standing, now)?;
        Ok(true)
    }

    /// What a request that wants a confirming answer comes to: it is asked about, or it is done once confirmed.
    pub(super) fn weigh(
        &self,
        tx: &View,
        game: &Open,
        letter: &PlayersLetter,
        standing: Standing,
        request: &Request,
    ) -> Result<Item, DeskError> {
        let word = request.word;
        let running = matches!(game.table.state, State::Signup | State::Playing | State::Paused);
        let fits = match word {
            Word::Address if running => match self.new_address(tx, game, letter.from, request.argument.as_deref())? {
                Some(_) => true,
                None => return Ok(Item::Weighty { word, fate: WeightyFate::Unfit }),
            },
            // A closed turn changes no more before it is published.
            Word::Leave if standing == Standing::OnTime => {
                game.table.player(letter.from).is_some_and(|player| player.life == Life::Alive)
            }
            _ => false,
        };
        let fate = if letter.confirmed { WeightyFate::Done } else { WeightyFate::Asked };
        Ok(if fits { Item::Weighty { word, fate } } else { Item::NotNow { word } })
    }

    /// A new address that this game can take: usable, not our own, and nobody's here.
    pub(super) fn new_address(
        &self,
        tx: &View,
        game: &Open,
        player: PlayerId,
        argument: Option<&str>,
    ) -> Result<Option<String>, DeskError> {
        let Some(address) = argument.and_then(|written| read_address(written).ok()) else { return Ok(None) };
        let is_taken =
            tx.seats_by_address(&address)?.iter().any(|seat| seat.game == game.id && seat.player != player.0)
                || tx.games_of_officer(&address)?.iter().any(|place| place.game == game.id);
        Ok((!self.is_our_own(&address) && !is_taken).then_some(address))
    }

    /// Ours with any plus is ours: it is where answers come to.
    pub(super) fn is_our_own(&self, address: &str) -> bool {
        let (local, domain) = address.rsplit_once('@').unwrap_or_default();
        let plain = format!("{}@{domain}", local.split('+').next().unwrap_or_default());
        let ours = &self.config.outbox.from.address;
        is_one_mailbox(&plain, ours) || is_one_mailbox(address, ours)
    }

    /// Does what was confirmed, after the letter itself is journaled.
    pub(super) fn do_weighty(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        letter: &PlayersLetter,
        reading: &Reading,
        items: &[Item],
        now: Timestamp,
    ) -> Result<(), DeskError> {
        let done = |word: Word| {
            let wanted = Item::Weighty { word, fate: WeightyFate::Done };
            items.contains(&wanted)
        };
        if done(Word::Address) {
            let wanted = reading.requests().filter(|request| request.word == Word::Address).last();
            let argument = wanted.and_then(|request| request.argument.as_deref());
            if let Some(address) = self.new_address(tx, game, letter.from, argument)? {
                self.change_address(tx, game, letter.from, &address, now)?;
            }
        }
        // A87: it works as an expulsion by the host.
        if done(Word::Leave) {
            let act = HostAct::Expel { who: letter.from, left: true };
            self.record(tx, game, now, &Entry::HostActed { order: letter.order.clone(), act, text: None })?;
        }
        Ok(())
    }

    fn change_address(
        &mut self,
        tx: &Tx,
        game: &mut Open,
        player: PlayerId,
        address: &str,
        now: Timestamp,
    ) -> Result<(), DeskError> {
        tx.change_address(game.id, player.0, address)?;
        let salt = tx.secret(game.id, "salt")?.unwrap_or_default();
        let address = super::new::salted(&salt, address);
        self.record(tx, game, now, &Entry::AddressChanged { player, address })
    }
}

/// When the day is over in which tries are counted (of UTC, as the caps have it).
fn end_of_day(now: Timestamp) -> Timestamp {
    const DAY: i64 = 86_400;
    let days = now.as_second().div_euclid(DAY).saturating_add(1);
    Timestamp::from_second(days.saturating_mul(DAY)).unwrap_or(now)
}
