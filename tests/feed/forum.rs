//! A forum for tests: an HTTP server on loopback that counts what it is asked, and answers as it is told.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use omerta::feed::address::FeedAddress;

/// What a request gets.
type Answers = dyn Fn(&Asked, &mut TcpStream) + Send + Sync;

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Asked {
    pub path: String,
    /// Names in small letters.
    pub headers: Vec<(String, String)>,
}

impl Asked {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }
}

pub struct Forum {
    port: u16,
    asked: Arc<Mutex<Vec<Asked>>>,
    answers: Arc<Mutex<Arc<Answers>>>,
}

impl Forum {
    pub fn new(answers: impl Fn(&Asked, &mut TcpStream) + Send + Sync + 'static) -> Forum {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let forum =
            Forum { port, asked: Arc::default(), answers: Arc::new(Mutex::new(Arc::new(answers) as Arc<Answers>)) };
        let (asked, answers) = (forum.asked.clone(), forum.answers.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (asked, answers) = (asked.clone(), answers.clone());
                std::thread::spawn(move || serve(stream, &asked, &answers));
            }
        });
        forum
    }

    /// A forum that shows this feed.
    pub fn showing(feed: &str) -> Forum {
        let feed = feed.to_owned();
        Forum::new(move |_, stream| answer(stream, "200 OK", "", feed.as_bytes()))
    }

    pub fn now_answers(&self, answers: impl Fn(&Asked, &mut TcpStream) + Send + Sync + 'static) {
        *self.answers.lock().unwrap() = Arc::new(answers);
    }

    pub fn now_shows(&self, feed: &str) {
        let feed = feed.to_owned();
        self.now_answers(move |_, stream| answer(stream, "200 OK", "", feed.as_bytes()));
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn link(&self) -> String {
        format!("http://127.0.0.1:{}/topic/7.rss?key=geheim", self.port)
    }

    pub fn address(&self) -> FeedAddress {
        FeedAddress::new(&self.link()).unwrap()
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

fn serve(mut stream: TcpStream, asked: &Mutex<Vec<Asked>>, answers: &Mutex<Arc<Answers>>) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
    let Some(first) = lines.next() else { return };
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let headers = lines.by_ref().take_while(|line| !line.is_empty());
    let headers =
        headers.filter_map(|line| line.split_once(": ").map(|(name, value)| (name.to_lowercase(), value.to_owned())));
    let headers = headers.collect();
    let one = {
        let mut all = asked.lock().unwrap();
        let one = Asked { path, headers };
        all.push(one.clone());
        one
    };
    let answers = answers.lock().unwrap().clone();
    answers(&one, &mut stream);
}

/// Hands one request on to a forum at a port of this machine, and its answer back.
pub fn hand_on(stream: &mut (impl Read + Write), port: u16) {
    let (mut request, mut byte) = (Vec::new(), [0]);
    while !request.ends_with(b"\r\n\r\n") {
        if !matches!(stream.read(&mut byte), Ok(1)) {
            return;
        }
        request.extend(byte);
    }
    let mut forum = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let mut answer = Vec::new();
    forum.write_all(&request).unwrap();
    let _ = forum.read_to_end(&mut answer);
    let _ = stream.write_all(&answer);
}

/// A whole answer. What can't be written is not: the other end has gone.
pub fn answer(stream: &mut TcpStream, status: &str, headers: &str, body: &[u8]) {
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n{headers}\r\n");
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
}

/// A feed with these posts: author, when.
pub fn rss(posts: &[(&str, Timestamp)]) -> String {
    let items: String = posts
        .iter()
        .map(|(author, at)| {
            let second = at.as_second();
            format!(
                "<item><dc:creator>{author}</dc:creator><pubDate>{at}</pubDate><guid>{author}-{second}</guid></item>"
            )
        })
        .collect();
    format!(r#"<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>{items}</channel></rss>"#)
}
