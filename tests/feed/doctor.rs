//! The real binary reads a feed, in the clear from this machine and over TLS: `omerta doctor`.

use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::Value;

use crate::forum::{Forum, answer, rss};
use crate::house::{House, config_text};

/// The row `topic` of the doctor: state and words; `roots` is what the system trusts.
fn topic(link: &str, roots: &Path) -> (String, String) {
    let house = House::of(&config_text(&format!("[forum]\nactivity_feed = \"{link}\"")));
    let mut command = Command::new(env!("CARGO_BIN_EXE_omerta"));
    command.arg("--config").arg(house.folder.join("config.toml")).args(["doctor", "--json"]);
    // A proxy of the environment is not asked.
    command.env("SSL_CERT_FILE", roots).env("SSL_CERT_DIR", "/nowhere").env("ALL_PROXY", "http://127.0.0.1:9");
    let said = command.output().unwrap();
    let rows: Vec<Value> = serde_json::from_slice(&said.stdout).unwrap_or_else(|error| panic!("{error}: {said:?}"));
    let row = rows.iter().find(|row| row["name"] == "topic").unwrap_or_else(|| panic!("no topic: {rows:?}"));
    let whole = String::from_utf8_lossy(&[said.stdout.clone(), said.stderr].concat()).into_owned();
    assert!(!whole.contains("geheim"), "{whole}");
    (row["state"].as_str().unwrap().to_owned(), row["what"].as_str().unwrap().to_owned())
}

fn feed() -> String {
    rss(&[("Анна", "2026-11-30T08:00:00Z".parse().unwrap()), ("Котёнок", "2026-11-30T07:00:00Z".parse().unwrap())])
}

#[test]
fn it_shows_whose_names_are_in_the_feed_and_asks_once() {
    let forum = Forum::showing(&feed());
    let (state, what) = topic(&forum.link(), Path::new("/nowhere"));
    assert_eq!(
        (state.as_str(), what.as_str()),
        ("ok", "2 posts, the newest of 2026-11-30T08:00:00Z, by Анна, Котёнок")
    );
    assert_eq!(forum.asked().len(), 1);
    forum.now_answers(|_, stream| answer(stream, "403 Forbidden", "", b""));
    let (state, what) = topic(&forum.link(), Path::new("/nowhere"));
    assert!(state == "warning" && what.contains("login"), "{what}");
    forum.now_shows(&rss(&[]));
    assert_eq!(topic(&forum.link(), Path::new("/nowhere")).0, "warning");
}

/// Games have feeds of their own: each is tried, once, and one that both have is.
#[test]
fn it_tries_the_feeds_of_games_that_run() {
    let forum = Forum::new(|asked, stream| match asked.path.split('?').next() {
        Some("/over" | "/gone") => answer(stream, "404 Not Found", "", b""),
        _ => answer(stream, "200 OK", "", feed().as_bytes()),
    });
    let link = |path: &str| format!("http://127.0.0.1:{}{path}?key=geheim", forum.port());
    let house = House::of(&config_text(&format!("[forum]\nactivity_feed = \"{}\"", link("/config"))));
    let omerta = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_omerta"));
        command.args(arguments).arg("--config").arg(house.folder.join("config.toml"));
        let said = command.output().unwrap();
        (said.status.code(), String::from_utf8_lossy(&said.stdout).into_owned())
    };
    let topics = || {
        let (code, said) = omerta(&["doctor", "--json"]);
        assert!(!said.contains("geheim"), "{said}");
        let rows: Vec<Value> = serde_json::from_str(&said).unwrap();
        let topics = rows.into_iter().filter(|row| row["name"] == "topic");
        let told = topics.map(|row| format!("{}: {}", row["state"].as_str().unwrap(), row["what"].as_str().unwrap()));
        (code, told.collect::<Vec<_>>())
    };
    let good = "2 posts, the newest of 2026-11-30T08:00:00Z, by Анна, Котёнок";
    assert_eq!(topics(), (Some(0), vec![format!("ok: {good}")]), "there is no database");
    for (tag, path) in
        [("palermo", "/a"), ("trapani", "/a"), ("corleone", "/gone"), ("gela", "/over"), ("noto", "/config")]
    {
        assert_eq!(omerta(&["game", "new", tag, "--feed", &link(path)]).0, Some(0), "{tag}");
    }
    assert_eq!(omerta(&["game", "new", "agira", "--feed", "none"]).0, Some(0));
    assert_eq!(omerta(&["game", "cancel", "gela"]).0, Some(0));
    let before = forum.asked().len();
    let gone = "the feed at 127.0.0.1 can't be read: the forum answers 404: there is no such feed. Look at its \
                address, and whether the forum's feeds are on";
    let expected =
        [format!("ok: {good}"), format!("ok: palermo, trapani: {good}"), format!("warning: corleone: {gone}")];
    assert_eq!(topics(), (Some(0), expected.to_vec()));
    assert_eq!(forum.asked().len() - before, 3);
}

/// An authority and a server for 127.0.0.1, made by openssl.
fn certificates(folder: &Path) {
    let run = |arguments: &str| {
        let said = Command::new("openssl").args(arguments.split(' ')).current_dir(folder).output();
        let said = said.unwrap_or_else(|error| panic!("openssl can't be run: {error}; install it"));
        assert!(said.status.success(), "{arguments}: {}", String::from_utf8_lossy(&said.stderr));
    };
    run("req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 30 -subj /CN=test-authority");
    run("req -newkey rsa:2048 -nodes -keyout key.pem -out server.csr -subj /CN=forum");
    std::fs::write(folder.join("names"), "subjectAltName=IP:127.0.0.1\n").unwrap();
    run("x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out server.pem -days 30 -extfile names");
}

/// A forum behind TLS, which hands every connection on to a plain one; its port.
fn behind_tls(folder: &Path, plain: u16) -> u16 {
    let chain = CertificateDer::pem_file_iter(folder.join("server.pem")).unwrap().map(Result::unwrap).collect();
    let key = PrivateKeyDer::from_pem_file(folder.join("key.pem")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = Arc::new(config.with_no_client_auth().with_single_cert(chain, key).unwrap());
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let config = config.clone();
            std::thread::spawn(move || {
                let mut tls = StreamOwned::new(ServerConnection::new(config).unwrap(), stream);
                crate::forum::hand_on(&mut tls, plain);
                tls.conn.send_close_notify();
                let _ = std::io::Write::flush(&mut tls);
            });
        }
    });
    port
}

#[test]
fn over_tls_only_whom_the_system_trusts_and_never_back_into_the_clear() {
    let folder = tempfile::tempdir().unwrap();
    certificates(folder.path());
    let forum = Forum::showing(&feed());
    let port = behind_tls(folder.path(), forum.port());
    let link = format!("https://127.0.0.1:{port}/topic/7.rss?key=geheim");
    let (state, what) = topic(&link, &folder.path().join("ca.pem"));
    assert_eq!(state, "ok", "{what}");
    assert_eq!(forum.asked().len(), 1);
    // Another authority: no word is said to such a server.
    let other = tempfile::tempdir().unwrap();
    certificates(other.path());
    let (state, what) = topic(&link, &other.path().join("ca.pem"));
    assert!(state == "warning" && what.contains("certificate is not trusted"), "{what}");
    assert_eq!(forum.asked().len(), 1);
    let clear = forum.link();
    forum.now_answers(move |_, stream| answer(stream, "301 Moved", &format!("Location: {clear}\r\n"), b""));
    let (state, what) = topic(&link, &folder.path().join("ca.pem"));
    assert!(state == "warning" && what.contains("from https to http"), "{what}");
    assert_eq!(forum.asked().len(), 2, "the clear one is not asked");
}
