//! A forum that misbehaves: every request ends in time, takes little, and goes nowhere else.

use std::io::Write;
use std::time::{Duration, Instant};

use omerta::feed::address::FeedAddress;
use omerta::feed::fetch::{Answer, Fault, Known, Limits, fetch};

use crate::forum::{Forum, answer, rss};

fn limits() -> Limits {
    Limits { step: Duration::from_secs(20), whole: Duration::from_secs(60), body: 4 << 20 }
}

/// Short enough for a test that waits for their end.
fn short() -> Limits {
    Limits { step: Duration::from_millis(700), whole: Duration::from_millis(1500), body: 4 << 20 }
}

fn ask(forum: &Forum, limits: &Limits) -> Result<Answer, Fault> {
    fetch(&forum.address(), &Known::default(), limits)
}

fn feed() -> String {
    rss(&[("Анна", "2026-11-30T08:00:00Z".parse().unwrap())])
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

#[test]
fn what_has_not_changed_is_not_sent_again() {
    let forum = Forum::new(|asked, stream| {
        let is_known = asked.header("if-none-match") == Some("\"v1\"")
            && asked.header("if-modified-since") == Some("Mon, 30 Nov 2026 08:00:00 GMT");
        match is_known {
            true => answer(stream, "304 Not Modified", "", b""),
            false => {
                let headers = "ETag: \"v1\"\r\nLast-Modified: Mon, 30 Nov 2026 08:00:00 GMT\r\n";
                answer(stream, "200 OK", headers, feed().as_bytes());
            }
        }
    });
    let Ok(Answer::Posts { known, posts }) = ask(&forum, &limits()) else { panic!() };
    assert_eq!(posts.len(), 1);
    assert_eq!(fetch(&forum.address(), &known, &limits()), Ok(Answer::Unchanged));
    let asked = forum.asked();
    assert_eq!(asked.len(), 2, "one request a reading");
    assert_eq!(asked[0].path, "/topic/7.rss?key=geheim");
    assert!(asked[0].header("user-agent").unwrap().starts_with("omerta/"));
    assert_eq!(asked[0].header("if-none-match"), None);
}

#[test]
fn a_304_that_nobody_asked_for_is_no_reading() {
    let forum = Forum::new(|_, stream| answer(stream, "304 Not Modified", "", b""));
    assert_eq!(ask(&forum, &limits()), Err(Fault::Status(304)));
}

#[test]
fn a_packed_feed_is_unpacked_and_a_bomb_is_not() {
    let forum = Forum::new(|asked, stream| {
        assert_eq!(asked.header("accept-encoding"), Some("gzip"));
        let packed = gzip(feed().as_bytes());
        answer(stream, "200 OK", "Content-Encoding: gzip\r\n", &packed);
    });
    assert!(matches!(ask(&forum, &limits()), Ok(Answer::Posts { posts, .. }) if posts.len() == 1));
    let bomb = gzip(&vec![b' '; 16 << 20]);
    assert!(bomb.len() < 64 << 10);
    forum.now_answers(move |_, stream| answer(stream, "200 OK", "Content-Encoding: gzip\r\n", &bomb));
    assert_eq!(ask(&forum, &limits()), Err(Fault::TooLarge(4 << 20)));
}

#[test]
fn ten_megabytes_are_too_much_with_a_length_and_without() {
    let forum = Forum::new(|_, stream| answer(stream, "200 OK", "", &vec![b' '; 10 << 20]));
    assert_eq!(ask(&forum, &limits()), Err(Fault::TooLarge(4 << 20)));
    forum.now_answers(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
        while stream.write_all(&[b' '; 65_536]).is_ok() {}
    });
    assert_eq!(ask(&forum, &limits()), Err(Fault::TooLarge(4 << 20)), "an endless one");
    forum.now_answers(
        |_, stream| while stream.write_all(b"HTTP/1.1 200 OK\r\nX-Long: aaaaaaaaaaaaaaaaaaaaaaaaa").is_ok() {},
    );
    assert!(matches!(ask(&forum, &limits()), Err(Fault::Down(_))), "an endless head");
}

#[test]
fn a_feed_that_is_cut_is_not_taken_for_a_whole_one() {
    let forum = Forum::new(|_, stream| {
        let whole = feed();
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", whole.len());
        let _ = stream.write_all(head.as_bytes());
        let _ = stream.write_all(&whole.as_bytes()[..whole.len() / 2]);
    });
    assert!(matches!(ask(&forum, &limits()), Err(Fault::Down(_))), "{:?}", ask(&forum, &limits()));
    forum.now_answers(|_, stream| {
        let whole = feed();
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
        let _ = stream.write_all(&whole.as_bytes()[..whole.len() / 2]);
    });
    let cut = ask(&forum, &limits()).unwrap_err();
    assert!(matches!(cut, Fault::Unreadable(_)), "without a length: {cut}");
    forum.now_answers(|_, _| {});
    assert!(matches!(ask(&forum, &limits()), Err(Fault::Down(_))), "not a byte");
}

#[test]
fn a_forum_that_stalls_is_left() {
    let stalls: [fn(&mut std::net::TcpStream); 3] = [
        |_| {},
        |stream| drop(stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n")),
        |stream| drop(stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n<rss>")),
    ];
    for (number, stall) in stalls.into_iter().enumerate() {
        let forum = Forum::new(move |_, stream| {
            stall(stream);
            loop {
                std::thread::park();
            }
        });
        let began = Instant::now();
        assert_eq!(ask(&forum, &short()), Err(Fault::Slow), "{number}");
        assert!(began.elapsed() < Duration::from_secs(30), "{number}: {:?}", began.elapsed());
    }
    // A byte at a time, for ever: each comes in time, all of them do not.
    let forum = Forum::new(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
        while stream.write_all(b" ").is_ok() {
            std::thread::park_timeout(Duration::from_millis(20));
        }
    });
    assert_eq!(ask(&forum, &short()), Err(Fault::Slow));
}

#[test]
fn a_redirect_leads_to_the_same_door_only_and_not_for_long() {
    let forum = Forum::new(|asked, stream| match asked.path.as_str() {
        "/topic/7.rss?key=geheim" => answer(stream, "301 Moved Permanently", "Location: /t/7\r\n", b""),
        "/t/7" => answer(stream, "302 Found", "Location: new\r\n", b""),
        _ => answer(stream, "200 OK", "", feed().as_bytes()),
    });
    assert!(matches!(ask(&forum, &limits()), Ok(Answer::Posts { .. })));
    assert_eq!(forum.asked().iter().map(|asked| asked.path.clone()).collect::<Vec<_>>()[1..], ["/t/7", "/t/new"]);

    let other = Forum::showing(&feed());
    let port = other.port();
    for location in [
        format!("http://127.0.0.1:{port}/"),
        format!("http://localhost:{port}/"),
        format!("//127.0.0.1:{port}/"),
        "file:///etc/passwd".to_owned(),
        String::new(),
    ] {
        let header = format!("Location: {location}\r\n");
        let led =
            Forum::new(move |_, stream| answer(stream, "302 Found", if header.len() > 12 { &header } else { "" }, b""));
        assert_eq!(ask(&led, &limits()), Err(Fault::Elsewhere), "{location}");
        assert_eq!(led.asked().len(), 1, "{location}");
    }
    assert!(other.asked().is_empty(), "nobody else is asked");

    let round = Forum::new(|_, stream| answer(stream, "302 Found", "Location: /topic/7.rss\r\n", b""));
    assert_eq!(ask(&round, &limits()), Err(Fault::Circles));
    assert_eq!(round.asked().len(), 5, "one and four redirects");
}

#[test]
fn each_refusal_says_what_to_do_and_shows_no_key() {
    for (status, word) in [
        ("401 Unauthorized", "login"),
        ("403 Forbidden", "login"),
        ("404 Not Found", "Look at its address"),
        ("410 Gone", "Look at its address"),
        ("429 Too Many Requests", "patience"),
        ("500 Internal Server Error", "500"),
        ("503 Service Unavailable", "patience"),
    ] {
        let forum = Forum::new(move |_, stream| answer(stream, status, "Retry-After: 120\r\n", b"no"));
        let fault = ask(&forum, &limits()).unwrap_err();
        assert!(fault.to_string().contains(word), "{status}: {fault}");
        assert!(!format!("{fault} {fault:?}").contains("geheim"), "{fault:?}");
        if let Fault::Busy { after, .. } = fault {
            assert_eq!(after, Some(Duration::from_secs(120)));
        }
    }
    let page = Forum::showing("<!DOCTYPE html><html><body>Войдите</body></html>");
    assert!(ask(&page, &limits()).unwrap_err().to_string().contains("login"));
    // Nobody listens there.
    let port = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
    let nobody = FeedAddress::new(&format!("http://127.0.0.1:{port}/?key=geheim")).unwrap();
    let fault = fetch(&nobody, &Known::default(), &limits()).unwrap_err();
    assert!(matches!(fault, Fault::Down(_)) && !format!("{fault:?}").contains("geheim"), "{fault:?}");
    let unknown = FeedAddress::new("https://no-such-host.invalid/?key=geheim").unwrap();
    let fault = fetch(&unknown, &Known::default(), &short()).unwrap_err();
    assert!(!format!("{fault} {fault:?}").contains("geheim"), "{fault:?}");
}

#[test]
fn who_does_not_speak_tls_is_not_believed() {
    let forum = Forum::showing(&feed());
    let address = FeedAddress::new(&format!("https://127.0.0.1:{}/topic/7.rss", forum.port())).unwrap();
    let fault = fetch(&address, &Known::default(), &short()).unwrap_err();
    assert!(matches!(fault, Fault::Down(_) | Fault::Slow), "{fault:?}");
    assert!(forum.asked().iter().all(|asked| !asked.path.contains("topic")), "nothing was asked in the clear");
}
