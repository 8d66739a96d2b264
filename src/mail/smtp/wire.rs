//! The stream under the SMTP client. The client library reads whatever comes and believes that it answers its last
//! command; this stream sees to it that it does: a reply is handed over line by line, cleaned and bounded, and nothing
//! is written while words of the server still wait to be read.

use std::fmt;
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use lettre::transport::smtp::client::AsyncTokioStream;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

/// Bytes of one whole reply; RFC 5321 (4.5.3.1.5) has 512 for a line. The library reads a reply from its beginning again
/// with each further line.
const LONGEST_REPLY: usize = 4 * 1024;

/// A handle: one is with the client library, the other with [`super::line::Line`].
#[derive(Clone)]
pub(super) struct Wire(Arc<Mutex<State>>);

struct State {
    stream: Stream,
    /// What the server sent and nobody has read yet.
    received: Vec<u8>,
    /// A clean line that is being handed over.
    line: Vec<u8>,
    /// Bytes received since we spoke last.
    answered: usize,
}

enum Stream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
    /// Taken away, to be wrapped in TLS.
    Gone,
}

impl Wire {
    pub(super) fn plain(stream: TcpStream) -> Wire {
        Wire::new(Stream::Plain(stream), Vec::new())
    }

    pub(super) fn tls(stream: TlsStream<TcpStream>) -> Wire {
        Wire::new(Stream::Tls(Box::new(stream)), Vec::new())
    }

    /// After STARTTLS no greeting comes, and the client library waits for one.
    pub(super) fn greeted(stream: TlsStream<TcpStream>) -> Wire {
        Wire::new(Stream::Tls(Box::new(stream)), b"220 \r\n".to_vec())
    }

    fn new(stream: Stream, line: Vec<u8>) -> Wire {
        Wire(Arc::new(Mutex::new(State { stream, received: Vec::new(), line, answered: 0 })))
    }

    /// The bare connection, to be wrapped in TLS; None when the server said more than it was asked: that would be read
    /// as if it had come under TLS.
    pub(super) fn into_plain(self) -> Option<TcpStream> {
        let mut state = self.state();
        match std::mem::replace(&mut state.stream, Stream::Gone) {
            Stream::Plain(stream) if state.is_silent() => Some(stream),
            _ => None,
        }
    }

    /// False when the server has hung up, or has said something that nobody asked for (a farewell).
    pub(super) fn is_idle(&self) -> bool {
        let mut state = self.state();
        let mut bytes = [0; 1];
        let mut buffer = ReadBuf::new(&mut bytes);
        let mut context = Context::from_waker(Waker::noop());
        state.is_silent() && state.stream.poll_read(&mut context, &mut buffer).is_pending()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn is_silent(&self) -> bool {
        self.received.is_empty() && self.line.is_empty()
    }

    fn poll_line(&mut self, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        loop {
            if self.answered > LONGEST_REPLY {
                return Poll::Ready(Err(io::Error::new(ErrorKind::InvalidData, "the server's reply has no end")));
            }
            if !self.line.is_empty() {
                let count = self.line.len().min(into.remaining());
                into.put_slice(&self.line.drain(..count).collect::<Vec<u8>>());
                return Poll::Ready(Ok(()));
            }
            if let Some(end) = self.received.iter().position(|byte| *byte == b'\n') {
                let raw: Vec<u8> = self.received.drain(..=end).collect();
                self.line = clean(&raw);
                continue;
            }
            let mut bytes = [0; 1024];
            let mut buffer = ReadBuf::new(&mut bytes);
            match self.stream.poll_read(context, &mut buffer) {
                Poll::Ready(Ok(())) if buffer.filled().is_empty() => return Poll::Ready(Ok(())),
                Poll::Ready(Ok(())) => {
                    self.answered = self.answered.saturating_add(buffer.filled().len());
                    self.received.extend_from_slice(buffer.filled());
                }
                other => return other,
            }
        }
    }
}

/// One line of a reply in printable ASCII: `250-text` or `250 text`. A server's text may be in any charset, end in a
/// bare LF, or be missing altogether (RFC 5321, 4.2); a text of nothing but blanks would make the library panic
/// (RUSTSEC-2026-0562).
fn clean(raw: &[u8]) -> Vec<u8> {
    let printable = |byte: &u8| if byte.is_ascii_graphic() || *byte == b' ' { *byte } else { b'?' };
    let mut line: Vec<u8> = raw.trim_ascii_end().iter().map(printable).collect();
    if line.len() == 3 {
        line.push(b' ');
    }
    line.extend_from_slice(b"\r\n");
    line
}

impl AsyncRead for Wire {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.state().poll_line(context, into)
    }
}

impl AsyncWrite for Wire {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let mut state = self.state();
        if !state.is_silent() {
            return Poll::Ready(Err(io::Error::new(ErrorKind::InvalidData, "the server spoke out of turn")));
        }
        state.answered = 0;
        state.stream.poll_write(context, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.state().stream {
            Stream::Plain(stream) => Pin::new(stream).poll_flush(context),
            Stream::Tls(stream) => Pin::new(stream).poll_flush(context),
            Stream::Gone => Poll::Ready(Err(gone())),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.state().stream {
            Stream::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Stream::Tls(stream) => Pin::new(stream).poll_shutdown(context),
            Stream::Gone => Poll::Ready(Ok(())),
        }
    }
}

impl Stream {
    fn poll_read(&mut self, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self {
            Stream::Plain(stream) => Pin::new(stream).poll_read(context, into),
            Stream::Tls(stream) => Pin::new(stream).poll_read(context, into),
            Stream::Gone => Poll::Ready(Err(gone())),
        }
    }

    fn poll_write(&mut self, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self {
            Stream::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Stream::Tls(stream) => Pin::new(stream).poll_write(context, bytes),
            Stream::Gone => Poll::Ready(Err(gone())),
        }
    }
}

fn gone() -> io::Error {
    io::Error::new(ErrorKind::NotConnected, "the connection was handed on")
}

impl AsyncTokioStream for Wire {
    fn peer_addr(&self) -> io::Result<SocketAddr> {
        match &self.state().stream {
            Stream::Plain(stream) => stream.peer_addr(),
            Stream::Tls(stream) => stream.get_ref().0.peer_addr(),
            Stream::Gone => Err(gone()),
        }
    }
}

impl fmt::Debug for Wire {
    /// Neither words nor passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Wire")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_cleaned() {
        for (raw, line) in [
            (b"250 ok\r\n".as_slice(), b"250 ok\r\n".as_slice()),
            (b"250-SIZE 100\n", b"250-SIZE 100\r\n"),
            (b"250\r\n", b"250 \r\n"),
            (b"250    \r\n", b"250 \r\n"),
            (b"250-   \t\r\n", b"250-\r\n"),
            (b"550 \xed\xe5\xf2 \0 \x1b[2J\r\n", b"550 ??? ? ?[2J\r\n"),
            (b"\r\n", b"\r\n"),
        ] {
            assert_eq!(clean(raw), line, "{}", raw.escape_ascii());
        }
    }
}
