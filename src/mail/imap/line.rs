//! One line to an IMAP server: bytes into answers, commands and their ends. Every wait ends; memory is bounded by what
//! was asked for.

use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::time::Duration;

use memchr::memchr;
use rustls::pki_types::CertificateDer;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::{Instant, timeout, timeout_at};

use super::fault::Fault;
use super::grammar::{self, Said, Status, StatusKind};
use crate::failpoint::{self, Point};
use crate::mail::link::Heard;

/// Bytes of one answer, when nothing larger was asked for.
pub(super) const SMALL: usize = 64 * 1024;
/// Answers to one command: no mailbox is that large.
const MOST_ANSWERS: usize = 4_000_000;
/// A line slower than this (bytes a second) is a broken one.
const SLOWEST: u64 = 16 * 1024;

/// Bytes in both directions: TCP or TLS over it.
pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// What a command may cost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    /// For the log: what is waited for.
    pub what: &'static str,
    /// Until its end.
    pub within: Duration,
    /// Bytes of one answer.
    pub answer: usize,
}

/// A command that is out, and whose end was not heard.
pub(super) struct Running {
    tag: String,
    budget: Budget,
}

/// Where an answer stands in what has come: true until more is read.
pub(super) struct Answer(Range<usize>);

pub(super) struct Line {
    stream: Box<dyn Stream>,
    framer: Framer,
    /// The tags of commands that are out.
    running: Vec<String>,
    /// Those of them that ended before one that was begun earlier.
    ended: Vec<Status>,
    /// How long a command without much data may take, and how long the server may be silent.
    step: Duration,
    tag: u32,
    pub capabilities: Vec<String>,
    /// What the server showed, its own first; empty without TLS.
    pub certificates: Vec<CertificateDer<'static>>,
    /// Counts what comes in answer to commands.
    pub heard: Heard,
    /// The server said that something has come since the last listing.
    pub news: bool,
}

impl Line {
    pub(super) fn new(stream: Box<dyn Stream>, step: Duration) -> Line {
        Line {
            stream,
            framer: Framer::default(),
            running: Vec::new(),
            ended: Vec::new(),
            step,
            tag: 0,
            capabilities: Vec::new(),
            certificates: Vec::new(),
            heard: Heard::default(),
            news: false,
        }
    }

    /// The bytes below, to put TLS over them. What the server said before TLS is not believed after it.
    pub(super) fn into_stream(self) -> Box<dyn Stream> {
        self.stream
    }

    pub(super) fn can(&self, capability: &str) -> bool {
        self.capabilities.iter().any(|known| known == capability)
    }

    /// The first words of the server.
    pub(super) async fn greeting(&mut self) -> Result<Status, Fault> {
        let until = Instant::now() + self.step;
        let answer = self.answer("the greeting", until).await?;
        match self.note(answer)? {
            Said::Status(status) if status.tag.is_none() => Ok(status),
            _ => Err(Fault::Garbled),
        }
    }

    /// A command whose answers are few and small.
    pub(super) async fn ask(&mut self, what: &'static str, words: &str) -> Result<Status, Fault> {
        self.command(self.simple(what), words, Vec::new(), |_| {}).await
    }

    /// Runs a command to its end. `parts` are what follows when the server asks for more, one each time; `each` is given
    /// every answer but the last.
    pub(super) async fn command(
        &mut self,
        budget: Budget,
        words: &str,
        parts: Vec<Vec<u8>>,
        each: impl FnMut(Said),
    ) -> Result<Status, Fault> {
        let running = self.begin(budget, words).await?;
        self.end(running, parts, each).await
    }

    /// Sends a command; the next one may follow before its end is heard, so that the server never waits for us.
    pub(super) async fn begin(&mut self, budget: Budget, words: &str) -> Result<Running, Fault> {
        let tag = self.send(budget.what, words).await?;
        self.running.push(tag.clone());
        self.framer.limit = self.framer.limit.max(budget.answer);
        may_die(budget.what);
        Ok(Running { tag, budget })
    }

    /// Hears a command's answers to its end; commands are heard in the order in which they were begun. `each` may be
    /// given answers to one that was begun after it, too: a server may mix them (RFC 3501, section 5.5).
    pub(super) async fn end(
        &mut self,
        running: Running,
        parts: Vec<Vec<u8>>,
        mut each: impl FnMut(Said),
    ) -> Result<Status, Fault> {
        let Running { tag, budget } = running;
        let mut parts = VecDeque::from(parts);
        let until = Instant::now() + budget.within;
        for _ in 0..MOST_ANSWERS {
            if let Some(at) = self.ended.iter().position(|status| status.tag.as_ref() == Some(&tag)) {
                self.running.retain(|running| *running != tag);
                if self.running.is_empty() {
                    self.framer.limit = SMALL;
                }
                may_die(budget.what);
                return Ok(self.ended.swap_remove(at));
            }
            let answer = self.answer(budget.what, until).await?;
            match self.note(answer)? {
                Said::Status(status) if status.tag.as_ref().is_some_and(|tag| self.running.contains(tag)) => {
                    self.ended.push(status);
                }
                // A refused AUTHENTICATE asks once more, and wants an empty line.
                Said::Continue => {
                    let mut part = parts.pop_front().unwrap_or_default();
                    part.extend_from_slice(b"\r\n");
                    self.write(budget.what, &part).await?;
                }
                said => {
                    each(said);
                    may_die(budget.what);
                }
            }
        }
        Err(Fault::Garbled)
    }

    pub(super) fn simple(&self, what: &'static str) -> Budget {
        Budget { what, within: self.step, answer: SMALL }
    }

    /// For an answer of so many bytes in all.
    pub(super) fn heavy(&self, what: &'static str, bytes: u64, answer: usize) -> Budget {
        Budget { what, within: self.step + Duration::from_secs(bytes / SLOWEST), answer }
    }

    /// Sends a command and does not wait for its end. Returns its tag.
    pub(super) async fn send(&mut self, what: &'static str, words: &str) -> Result<String, Fault> {
        self.tag = self.tag.wrapping_add(1);
        let tag = format!("a{}", self.tag);
        self.write(what, format!("{tag} {words}\r\n").as_bytes()).await?;
        Ok(tag)
    }

    pub(super) async fn write(&mut self, what: &'static str, bytes: &[u8]) -> Result<(), Fault> {
        let writing = async {
            self.stream.write_all(bytes).await?;
            self.stream.flush().await
        };
        match timeout(self.step, writing).await {
            Err(_) => Err(Fault::Silent(what)),
            Ok(written) => written.map_err(Fault::Broken),
        }
    }

    /// The next answer of a server that has something to say.
    pub(super) async fn answer(&mut self, what: &'static str, until: Instant) -> Result<Answer, Fault> {
        loop {
            if let Some(answer) = self.framer.take()? {
                return Ok(answer);
            }
            let silent = Instant::now() + self.step;
            timeout_at(until.min(silent), self.read_more()).await.map_err(|_| Fault::Silent(what))??;
            self.heard.count();
        }
    }

    /// The next answer, whole, however long it takes. May be dropped at any time: nothing of the answer is lost.
    pub(super) async fn next_answer(&mut self) -> Result<Answer, Fault> {
        loop {
            if let Some(answer) = self.framer.take()? {
                return Ok(answer);
            }
            self.read_more().await?;
        }
    }

    async fn read_more(&mut self) -> Result<(), Fault> {
        self.framer.make_room();
        match self.stream.read_buf(&mut self.framer.buffer).await {
            Ok(0) => Err(Fault::Closed),
            Ok(_) => Ok(()),
            // Many servers close TLS without its goodbye.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(Fault::Closed),
            Err(error) => Err(Fault::Broken(error)),
        }
    }

    /// Reads an answer, and keeps what matters whatever was asked.
    pub(super) fn note(&mut self, Answer(range): Answer) -> Result<Said, Fault> {
        let said = grammar::read(self.framer.buffer.get(range).unwrap_or_default());
        match &said {
            Said::Noise => return Err(Fault::Garbled),
            Said::Exists(_) => self.news = true,
            Said::Capabilities(words) => self.capabilities.clone_from(words),
            Said::Status(status) if status.tag.is_none() && status.kind == StatusKind::Bye => {
                return Err(Fault::Bye(status.text.clone()));
            }
            Said::Status(status) if status.has_code("CAPABILITY") => {
                self.capabilities = status.code.iter().skip(1).cloned().collect();
            }
            _ => {}
        }
        Ok(said)
    }
}

/// Cuts the stream into answers: lines, each with the literals that it announces.
struct Framer {
    buffer: Vec<u8>,
    /// Where the answer begins that is not whole yet.
    start: usize,
    /// Where its line begins that is not whole yet: behind the last literal.
    line: usize,
    /// Up to here no line end was found.
    searched: usize,
    /// Bytes of one answer at most.
    limit: usize,
}

impl Default for Framer {
    fn default() -> Framer {
        Framer { buffer: Vec::new(), start: 0, line: 0, searched: 0, limit: SMALL }
    }
}

impl Framer {
    fn take(&mut self) -> Result<Option<Answer>, Fault> {
        loop {
            let Some(at) = memchr(b'\n', self.buffer.get(self.searched..).unwrap_or_default()) else {
                self.searched = self.searched.max(self.buffer.len());
                let waiting = self.searched.saturating_sub(self.start);
                return if waiting > self.limit.saturating_add(SMALL) { Err(Fault::Garbled) } else { Ok(None) };
            };
            let end = self.searched.saturating_add(at).saturating_add(1);
            match grammar::literal_size(self.buffer.get(self.line..end).unwrap_or_default()) {
                Some(size) => {
                    let behind = end.saturating_add(size);
                    if behind.saturating_sub(self.start) > self.limit.saturating_add(SMALL) {
                        return Err(Fault::Garbled);
                    }
                    (self.line, self.searched) = (behind, behind);
                }
                None => {
                    let answer = Answer(self.start..end);
                    (self.start, self.line, self.searched) = (end, end, end);
                    return Ok(Some(answer));
                }
            }
        }
    }

    /// Forgets the answers that were taken, and makes room for the next bytes.
    fn make_room(&mut self) {
        const CHUNK: usize = 64 * 1024;
        self.buffer.drain(..self.start.min(self.buffer.len()));
        self.line = self.line.saturating_sub(self.start);
        self.searched = self.searched.saturating_sub(self.start);
        self.start = 0;
        let awaited = self.line.saturating_sub(self.buffer.len());
        self.buffer.reserve(awaited.max(CHUNK));
        if self.buffer.is_empty() && self.buffer.capacity() > CHUNK * 16 {
            self.buffer = Vec::with_capacity(CHUNK);
        }
    }
}

/// Where tests let the daemon die: when the command is out, at each of its answers, and when it is done.
fn may_die(what: &str) {
    if let Some(point) = instant_of(what) {
        failpoint::pass(point);
    }
}

fn instant_of(what: &str) -> Option<Point> {
    match what {
        "SELECT" => Some(Point::ImapSelected),
        "the letters" => Some(Point::ImapFetching),
        "MOVE" | "COPY" | "filing" => Some(Point::ImapFiling),
        "APPEND" | "EXPUNGE" => Some(Point::ImapProbing),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(bytes: &[u8], pieces: usize) -> Vec<String> {
        let mut framer = Framer::default();
        let mut answers = Vec::new();
        for piece in bytes.chunks(pieces) {
            framer.make_room();
            framer.buffer.extend_from_slice(piece);
            while let Some(Answer(range)) = framer.take().unwrap() {
                answers.push(String::from_utf8(framer.buffer[range].to_vec()).unwrap());
            }
        }
        answers
    }

    #[test]
    fn answers_are_whole_however_they_come() {
        let parts = [
            "* 1 FETCH (BODY[] {4}\r\na\r\nb X {3}\r\n{9} UID 1)\r\n",
            "a1 OK\r\n",
            "* 2 FETCH (BODY[] {0}\r\n)\r\n",
            "+ \r\n",
        ];
        for pieces in [1, 2, 3, 7, 1000] {
            assert_eq!(cut(parts.concat().as_bytes(), pieces), parts, "{pieces}");
        }
    }

    #[test]
    fn more_than_was_asked_for_is_refused_before_it_is_held() {
        let flood = |bytes: &[u8]| {
            let mut framer = Framer::default();
            framer.buffer.extend_from_slice(bytes);
            framer.take().is_err()
        };
        assert!(flood(b"* 1 FETCH (BODY[] {500000000}\r\n"));
        assert!(flood(format!("* 1 FETCH (BODY[] {{{}}}\r\n", u64::MAX).as_bytes()));
        assert!(flood(&vec![b'x'; 3 * SMALL]));
        assert!(!flood(b"* 1 FETCH (BODY[] {60000}\r\n"));
    }
}
