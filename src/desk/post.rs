//! Letters into outbox rows: words, headers, token and bytes are fixed here, in the transaction of the event that owes
//! them.

use jiff::{SignedDuration, Timestamp};
use mail_parser::MimeHeaders;

use super::{DeskError, Open, Room};
use crate::letters::compose::Owed;
use crate::letters::render::{RenderError, Rendered};
use crate::letters::view::Reader;
use crate::letters::{GameName, Heading, Letter, Notice};
use crate::mail::pace::Class;
use crate::mail::{Attachment, AutoSubmitted, Outgoing, Picture, write};
use crate::rules::Role;
use crate::store::{GameId, LetterId, NewOut, Tx, View};
use crate::table::Table;

/// What an outbox row needs of its game; nothing of it for a stranger.
struct Sender<'a> {
    id: Option<GameId>,
    name: Option<GameName>,
    heading: Heading,
    /// The role of the reader, for `debug_headers` alone.
    role: Option<Role>,
    game: Option<&'a Open>,
    /// Its reader had many answers lately: others' go first.
    stands_back: bool,
}

/// What the outbox must know of a letter beside its words.
pub(super) struct Envelope<'a> {
    pub reader: &'a Reader,
    pub kind: &'a str,
    pub turn: u16,
    pub result: bool,
    pub answers: Option<u64>,
    pub passes_on: Option<u64>,
    pub expires: Option<Timestamp>,
    /// It waits until somebody releases it.
    pub held: bool,
}

/// A letter in words.
pub(super) struct Words {
    subject: String,
    text: String,
    attachments: Vec<Attachment>,
    pictures: Vec<Picture>,
    /// They tell a forum password: they lie sealed until they leave.
    sealed: bool,
}

impl Room {
    /// Puts a letter of a game into the outbox. Nobody without an address gets one.
    pub(super) fn enqueue(&mut self, tx: &Tx, game: &Open, now: Timestamp, owed: &Owed) -> Result<(), DeskError> {
        let Some(address) = address_of(tx, game.id, &owed.reader)? else { return Ok(()) };
        let answers = self.answers_of_hour(tx, game.id, &address, now, owed)?;
        for letter in self.within_cap(tx, game.id, answers, now, owed)? {
            let role = self.role_told(&game.table, owed, &letter);
            let sender = Sender { role, stands_back: answers >= FEW_ANSWERS, ..sender_of(game, owed.turn, now) };
            self.put_out(tx, &sender, &address, now, owed, &letter)?;
        }
        Ok(())
    }

    /// Puts words that are written already into the outbox.
    pub(super) fn put_words(
        &mut self,
        tx: &Tx,
        game: &Open,
        now: Timestamp,
        envelope: &Envelope,
        words: Words,
    ) -> Result<(), DeskError> {
        let Some(address) = address_of(tx, game.id, envelope.reader)? else { return Ok(()) };
        self.post(tx, &sender_of(game, envelope.turn, now), &address, now, envelope, words)
    }

    fn role_told(&self, table: &Table, owed: &Owed, letter: &Letter) -> Option<Role> {
        match (&owed.reader, letter) {
            (Reader::Player(player), Letter::Role(_)) if self.config.outbox.debug_headers => {
                table.player(*player).and_then(|player| player.role)
            }
            _ => None,
        }
    }

    /// Puts a letter to a stranger into the outbox.
    pub(super) fn enqueue_outside(&mut self, tx: &Tx, now: Timestamp, owed: &Owed) -> Result<(), DeskError> {
        let Reader::Stranger(address) = &owed.reader else { return Ok(()) };
        let heading = Heading {
            lang: self.config.language,
            game: None,
            turn: 0,
            zone: self.config.zone_name().to_owned(),
            now,
            host_name: self.config.host.name.clone(),
        };
        let sender = Sender { id: None, name: None, heading, role: None, game: None, stands_back: false };
        self.put_out(tx, &sender, address, now, owed, &owed.letter)
    }

    /// How many answers an address got in the last hour in a game; 0 for a letter that answers none.
    fn answers_of_hour(
        &self,
        tx: &Tx,
        game: GameId,
        address: &str,
        now: Timestamp,
        owed: &Owed,
    ) -> Result<u64, DeskError> {
        if owed.answers.is_none() {
            return Ok(0);
        }
        let hour_ago = now.saturating_sub(SignedDuration::from_hours(1)).unwrap_or(Timestamp::MIN);
        Ok(tx.count_sent_to(address, game, hour_ago)?)
    }

    /// Answers to one address in one game are capped by the hour: letters still count, one notice says that answers
    /// pause. A question without which nothing is done comes all the same. Talk that is not passed on meanwhile does not count, and one notice says that too. `answers`: those of the
    /// last hour.
    fn within_cap(
        &self,
        tx: &Tx,
        game: GameId,
        answers: u64,
        now: Timestamp,
        owed: &Owed,
    ) -> Result<Vec<Letter>, DeskError> {
        let is_free = owed.answers.is_none() || owed.letter.asks_the_proved();
        if is_free || answers < u64::from(self.config.security.replies_per_hour) {
            return Ok(vec![owed.letter.clone()]);
        }
        let hour = format!("{}/{}", owed.reader.key(), now.strftime("%FT%H"));
        let mut notices = Vec::new();
        if tx.bump(game, "answers pause", &hour, 1)? {
            notices.push(Letter::Notice(match owed.reader {
                Reader::Host(_) | Reader::Moderator(_) => Notice::HostAnswersPause,
                _ => Notice::AnswersPause,
            }));
        }
        if owed.letter.keeps_talk_back() && tx.bump(game, "talk kept back", &hour, 1)? {
            notices.push(Letter::Notice(Notice::TalkKeptBack));
        }
        Ok(notices)
    }

    fn put_out(
        &mut self,
        tx: &Tx,
        sender: &Sender,
        address: &str,
        now: Timestamp,
        owed: &Owed,
        letter: &Letter,
    ) -> Result<(), DeskError> {
        let kind = letter.kind();
        let rendered = self.words(&sender.heading, letter)?;
        let is_forum = matches!(owed.reader, Reader::Forum(_));
        // A forum posts what it gets: the ready-made part is the whole letter.
        let (text, attachments) = match (is_forum, rendered.attachments.first()) {
            (true, Some(post)) => (post.text.clone(), Vec::new()),
            _ => (rendered.text, rendered.attachments),
        };
        let envelope = Envelope {
            reader: &owed.reader,
            kind,
            turn: owed.turn,
            result: owed.result,
            answers: owed.answers,
            passes_on: owed.passes_on,
            expires: owed.expires,
            held: letter.waits_for_host(),
        };
        let pictures = match (letter, sender.id) {
            (Letter::Roster(roster), Some(game)) => super::roster::pictures(tx, game, roster)?,
            _ => Vec::new(),
        };
        let sealed = letter.tells_password();
        let words = Words { subject: rendered.subject, text, attachments, pictures, sealed };
        self.post(tx, sender, address, now, &envelope, words)
    }

    fn post(
        &mut self,
        tx: &Tx,
        sender: &Sender,
        address: &str,
        now: Timestamp,
        envelope: &Envelope,
        words: Words,
    ) -> Result<(), DeskError> {
        let kind = envelope.kind;
        let reader = envelope.reader.key();
        let scope = if sender.id.is_some() { reader.clone() } else { format!("stranger:{address}") };
        let number = tx.next_letter_number(sender.id, &scope)?;
        let tag = sender.name.as_ref().map_or("", |name| name.tag.as_str());
        let token = self.keys.token(tag, &scope, number);
        let from = &self.config.outbox.from;
        let domain = from.address.rsplit('@').next().unwrap_or("localhost");
        let (in_reply_to, references) = self.thread(tx, sender, envelope, number)?;
        let is_forum = matches!(envelope.reader, Reader::Forum(_));
        let mut extra = Vec::new();
        if let Some(role) = sender.role {
            extra.push(("X-Omerta-Role".to_owned(), role_word(role)));
        }
        if kind == "summary" && !is_forum {
            extra.push(("List-Id".to_owned(), format!("<{tag}.omerta.{domain}>")));
        }
        let outgoing = Outgoing {
            from: from.to_string(),
            to: address.to_owned(),
            reply_to: (self.config.outbox.plus_addressing && !is_forum)
                .then(|| plus_address(&from.address, &token))
                .flatten(),
            message_id: format!("{token}@{domain}"),
            in_reply_to,
            references,
            date: now,
            subject: words.subject.clone(),
            text: words.text,
            attachments: words.attachments,
            pictures: words.pictures,
            kind: kind.to_owned(),
            game: sender.name.as_ref().map(|name| name.tag.clone()),
            turn: envelope.turn,
            auto: match (is_forum, envelope.answers) {
                (true, _) => AutoSubmitted::Absent,
                (false, Some(_)) => AutoSubmitted::Replied,
                (false, None) => AutoSubmitted::Generated,
            },
            extra,
        };
        let bytes = write::write(&outgoing)
            .map_err(|fault| DeskError::Header { kind: kind.to_owned(), what: fault.to_string() })?;
        let bytes = if words.sealed { self.sealed(bytes)? } else { bytes };
        tx.enqueue(&NewOut {
            game: sender.id,
            reader,
            address: address.to_owned(),
            kind: kind.to_owned(),
            turn: envelope.turn,
            subject: words.subject,
            message_id: outgoing.message_id,
            token: (!is_forum).then_some(token),
            bytes,
            priority: priority(envelope, sender.stands_back),
            // Letters of one moment keep their order in a Maildir: by the reader's own count, which tells of nobody else.
            not_before: in_order(now, number),
            expires: envelope.expires,
            // Nothing arrives there: it waits until the address is released or its owner writes.
            held: envelope.held || tx.rests(address)?,
            result: envelope.result,
            letter: envelope.answers.or(envelope.passes_on).map(letter_id),
        })?;
        Ok(())
    }

    /// A letter in words.
    pub(super) fn words(&self, heading: &Heading, letter: &Letter) -> Result<Rendered, DeskError> {
        let failed = |error: RenderError| DeskError::Render { kind: letter.kind(), what: error.to_string() };
        let rendered = self.templates.render(heading, letter, self.config.forum.markup).map_err(failed)?;
        if let Some(fault) = &rendered.fault {
            // Not its words: they may repeat what the letter says.
            let (file, line) = (&fault.file, fault.line.unwrap_or_default());
            tracing::warn!(file, line, "a template of your own failed; the built-in one was used");
        }
        Ok(rendered)
    }

    /// An answer stands in the thread of the letter that it answers; all else in the reader's own thread of the game.
    fn thread(
        &self,
        tx: &Tx,
        sender: &Sender,
        envelope: &Envelope,
        number: u64,
    ) -> Result<(Option<String>, Vec<String>), DeskError> {
        if let Some(letter) = envelope.answers {
            let id = tx.letter(letter_id(letter))?.and_then(|letter| letter.message_id);
            return Ok((id.clone(), id.into_iter().collect()));
        }
        let Some(game) = sender.game else { return Ok((None, Vec::new())) };
        let from = &self.config.outbox.from.address;
        let domain = from.rsplit('@').next().unwrap_or("localhost");
        let first = self.keys.token(&game.table.tag, &envelope.reader.key(), FIRST_LETTER);
        // The first letter heads the thread: it refers to nothing, least of all to itself.
        Ok((None, if number == FIRST_LETTER { Vec::new() } else { vec![format!("{first}@{domain}")] }))
    }
}

fn sender_of(game: &Open, turn: u16, now: Timestamp) -> Sender<'_> {
    let table = &game.table;
    let name = GameName { tag: table.tag.clone(), title: table.title.clone() };
    let heading = Heading {
        lang: table.lang,
        game: Some(name.clone()),
        turn,
        zone: table.zone.clone(),
        now,
        host_name: table.host_name.clone(),
    };
    Sender { id: Some(game.id), name: Some(name), heading, role: None, game: Some(game), stands_back: false }
}

/// The words of a letter of ours, as they went into its bytes.
pub(super) fn words_of(bytes: &[u8], subject: &str) -> Option<Words> {
    let letter = mail_parser::MessageParser::new().parse(bytes)?;
    let text = letter.body_text(0)?.replace("\r\n", "\n");
    let attachments = letter.attachments().filter_map(|part| {
        let text = String::from_utf8_lossy(part.contents()).replace("\r\n", "\n");
        Some(Attachment { name: part.attachment_name()?.to_owned(), text })
    });
    Some(Words {
        subject: subject.to_owned(),
        text,
        attachments: attachments.collect(),
        pictures: Vec::new(),
        sealed: false,
    })
}

/// Letters of one reader are numbered from here; the first one heads the thread.
const FIRST_LETTER: u64 = 1;

/// Where a reader of a game gets his letters.
pub(super) fn address_of(tx: &View, game: GameId, reader: &Reader) -> Result<Option<String>, DeskError> {
    let officer = |role: &str, position: u16| -> Result<Option<String>, DeskError> {
        let officers = tx.officers(game)?;
        let found = officers.into_iter().find(|officer| officer.role == role && officer.position == position);
        Ok(found.map(|officer| officer.address))
    };
    match reader {
        Reader::Player(player) => Ok(tx.seat(game, player.0)?.map(|seat| seat.address)),
        Reader::Before(player) => Ok(tx.address_before(game, player.0)?),
        Reader::Former(number) => {
            Ok(tx.formers(game)?.into_iter().nth(usize::from(*number)).map(|(_, address)| address))
        }
        Reader::Host(position) => officer("host", *position),
        Reader::Moderator(position) => officer("moderator", *position),
        Reader::Forum(position) => officer("post_to", *position),
        Reader::Applicant(number) => Ok(tx.applicant(game, *number)?.map(|applicant| applicant.address)),
        Reader::Stranger(address) => Ok(Some(address.clone())),
    }
}

/// So many answers in an hour go before those of somebody who got more.
const FEW_ANSWERS: u64 = 5;

/// The order of the queue: a closed turn's summaries, then its private letters, roles, answers, reminders, the rest,
/// talk. The answers of one who writes and writes stand behind everybody else's, but for his role and results, which wait
/// behind no answer. What the quota of a day holds back
/// stands behind all that it lets through, so that however many wait they keep no other letter from being looked at.
fn priority(envelope: &Envelope, stands_back: bool) -> u8 {
    match (envelope.kind, Class::of_kind(envelope.kind)) {
        ("summary", _) => 0,
        _ if envelope.result => 1,
        // A last shot, and what touches somebody at once.
        ("pistol" | "expulsion" | "deprivation" | "alert" | "preview", _) => 1,
        (_, Class::Result) => 2,
        _ if stands_back => 4,
        (_, Class::Receipt) if envelope.answers.is_some() => 3,
        ("reminder", _) => 4,
        (_, Class::Receipt) => 5,
        (_, Class::Relay) => TALK,
    }
}

/// Where talk stands in the queue.
pub(super) const TALK: u8 = 6;

/// `mafia+TOKEN@example.org`.
fn plus_address(address: &str, token: &str) -> Option<String> {
    let (local, domain) = address.rsplit_once('@')?;
    Some(format!("{local}+{token}@{domain}"))
}

fn role_word(role: Role) -> String {
    serde_json::to_value(role).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

fn letter_id(number: u64) -> LetterId {
    LetterId(i64::try_from(number).unwrap_or(i64::MAX))
}

/// Within the millisecond before `now`: later by a microsecond for each further letter of the same reader.
fn in_order(now: Timestamp, number: u64) -> Timestamp {
    let place = i64::try_from(number % 1_000).unwrap_or_default();
    now.saturating_sub(SignedDuration::from_micros(1_000 - place)).unwrap_or(now)
}
