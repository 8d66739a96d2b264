//! One `Authentication-Results` field (RFC 8601, section 2.2), bytes in, results out. Lenient where servers are careless,
//! never where a sender could profit: what stands in comments and quotes is no result, and a field that ends inside one
//! proves nothing. Linear and bounded.

/// Most results read of one field, and most properties of one result.
const MAX_RESULTS: usize = 50;
const MAX_PROPERTIES: usize = 20;
/// Longest word kept, in characters.
const MAX_WORD: usize = 500;

/// What one server found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Results {
    /// The authserv-id.
    pub server: String,
    pub found: Vec<Found>,
    /// The field was well-formed to its end. Else what was read may speak against a sender, but not for him.
    pub sound: bool,
}

/// One result: `dkim=pass header.d=example.org`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Lower-cased, without a version.
    pub method: String,
    /// Lower-cased.
    pub result: String,
    /// Names lower-cased.
    properties: Vec<(String, String)>,
}

impl Found {
    pub fn is(&self, method: &str, result: &str) -> bool {
        self.method == method && self.result == result
    }

    /// The one value of a property. Two different ones are none: a sender's address may have smuggled one in.
    pub fn property(&self, name: &str) -> Option<&str> {
        let mut values = self.properties.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str());
        let first = values.next()?;
        values.all(|other| other == first).then_some(first)
    }
}

/// Reads the value of a field. None when it does not name a server.
pub fn read_results(value: &[u8]) -> Option<Results> {
    let text = String::from_utf8_lossy(value);
    let (tokens, mut sound) = tokens(&text);
    let mut parts = tokens.split(|token| *token == Token::Semicolon);
    let server = match parts.next()? {
        // A version may follow the server's name.
        [Token::Word(server)] => server,
        [Token::Word(server), Token::Word(version)] if version.bytes().all(|b| b.is_ascii_digit()) => server,
        _ => return None,
    };
    let mut found = Vec::new();
    for part in parts.take(MAX_RESULTS) {
        match read_found(part) {
            Some(read) => found.push(read),
            // `; none`, and a semicolon at the end.
            None if part.is_empty() || matches!(part, [Token::Word(word)] if word.eq_ignore_ascii_case("none")) => {}
            None => sound = false,
        }
    }
    Some(Results { server: server.clone(), found, sound })
}

/// `method[/version] = result *(property = value)`.
fn read_found(part: &[Token]) -> Option<Found> {
    let (method, part) = match part {
        [Token::Word(method), Token::Word(slash), Token::Word(_), part @ ..] if slash == "/" => (method, part),
        [Token::Word(method), part @ ..] => (method, part),
        _ => return None,
    };
    let [Token::Equals, Token::Word(result), rest @ ..] = part else { return None };
    let mut properties = Vec::new();
    let mut rest = rest;
    while let [Token::Word(name), Token::Equals, value, after @ ..] = rest {
        let (Token::Word(value) | Token::Quoted(value)) = value else { return None };
        if properties.len() < MAX_PROPERTIES {
            properties.push((name.to_ascii_lowercase(), value.clone()));
        }
        rest = after;
        // `smtp.mailfrom="a b"@example.org`: the local part in quotes, then the domain.
        if let [Token::Word(domain), after @ ..] = rest
            && domain.starts_with('@')
            && let Some((_, value)) = properties.last_mut()
        {
            value.push_str(domain);
            rest = after;
        }
    }
    let method = method.split('/').next().unwrap_or_default().to_ascii_lowercase();
    rest.is_empty().then(|| Found { method, result: result.to_ascii_lowercase(), properties })
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Quoted(String),
    Equals,
    Semicolon,
}

/// The tokens outside comments, and whether every comment and quotation was closed.
fn tokens(text: &str) -> (Vec<Token>, bool) {
    let mut tokens = Vec::new();
    let mut word = String::new();
    let mut letters = text.chars();
    // Comments nest (RFC 5322, section 3.2.2).
    let mut depth = 0_usize;
    let mut sound = true;
    while let Some(letter) = letters.next() {
        if depth > 0 {
            match letter {
                '\\' => _ = letters.next(),
                '(' => depth = depth.saturating_add(1),
                ')' => depth -= 1,
                _ => {}
            }
            continue;
        }
        let ends_word = letter.is_whitespace() || matches!(letter, '(' | '"' | ';' | '=');
        if ends_word && !word.is_empty() {
            tokens.push(Token::Word(std::mem::take(&mut word)));
        }
        match letter {
            '(' => depth = 1,
            ')' => sound = false,
            ';' => tokens.push(Token::Semicolon),
            '=' => tokens.push(Token::Equals),
            '"' => match quoted(&mut letters) {
                Some(text) => tokens.push(Token::Quoted(text)),
                None => sound = false,
            },
            letter if letter.is_whitespace() => {}
            letter if letter.is_control() || letter == char::REPLACEMENT_CHARACTER => sound = false,
            letter if word.len() < MAX_WORD => word.push(letter),
            _ => sound = false,
        }
    }
    if !word.is_empty() {
        tokens.push(Token::Word(word));
    }
    (tokens, sound && depth == 0)
}

/// The rest of a quoted string; None when it does not end.
fn quoted(letters: &mut std::str::Chars<'_>) -> Option<String> {
    let mut text = String::new();
    loop {
        let letter = match letters.next()? {
            '"' => return Some(text),
            '\\' => letters.next()?,
            letter => letter,
        };
        if text.len() < MAX_WORD {
            text.push(letter);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: &str) -> String {
        let Some(results) = read_results(value.as_bytes()) else { return "nothing".to_owned() };
        let mut said = results.server;
        for found in results.found {
            said.push_str(&format!(" | {}={}", found.method, found.result));
            for (name, value) in found.properties {
                said.push_str(&format!(" {name}={value}"));
            }
        }
        said + if results.sound { "" } else { " | broken" }
    }

    #[test]
    fn the_examples_of_the_standard_and_of_real_servers_are_read() {
        for (value, said) in [
            (" example.org 1; none", "example.org"),
            ("example.com;\r\n spf=pass smtp.mailfrom=example.net", "example.com | spf=pass smtp.mailfrom=example.net"),
            (
                "example.com; auth=pass (cram-md5) smtp.auth=sender@example.net;\n spf=pass smtp.mailfrom=example.net",
                "example.com | auth=pass smtp.auth=sender@example.net | spf=pass smtp.mailfrom=example.net",
            ),
            (
                "foo.example.net (foobar) 1 (baz);\n dkim (Because I like it) / 1 (One yay) = (wait for it) fail",
                "foo.example.net | dkim=fail",
            ),
            (
                "example.com; dkim=pass (good signature) header.d=example.com; dkim=fail reason=\"bad; worse\"",
                "example.com | dkim=pass header.d=example.com | dkim=fail reason=bad; worse",
            ),
            (
                "mx.google.com; dkim=pass header.i=@x.test header.s=2020 header.b=ab/c+d1; \
                 dmarc=pass (p=NONE sp=NONE dis=NONE) header.from=x.test",
                "mx.google.com | dkim=pass header.i=@x.test header.s=2020 header.b=ab/c+d1 | dmarc=pass header.from=x.test",
            ),
            ("mx.test; DKIM/1 = PASS Header.D = x.test;", "mx.test | dkim=pass header.d=x.test"),
            (
                "mx.test; spf=pass smtp.mailfrom=\"a;dmarc=pass\"@evil.test",
                "mx.test | spf=pass smtp.mailfrom=a;dmarc=pass@evil.test",
            ),
            ("mx.test (a \\) (b) dmarc=pass); spf=none", "mx.test | spf=none"),
        ] {
            assert_eq!(read(value), said, "{value}");
        }
    }

    #[test]
    fn what_is_broken_proves_nothing() {
        for (value, said) in [
            ("", "nothing"),
            (";", "nothing"),
            ("; dmarc=pass", "nothing"),
            ("\"mx.test\"; dmarc=pass", "nothing"),
            ("mx.test evil; dmarc=pass", "nothing"),
            ("mx.test=1; dmarc=pass", "nothing"),
            ("mx.test; dmarc=pass (", "mx.test | dmarc=pass | broken"),
            ("mx.test; dmarc=pass )", "mx.test | dmarc=pass | broken"),
            ("mx.test; dmarc=pass \"", "mx.test | dmarc=pass | broken"),
            ("mx.test; dmarc=fail; spf=pass smtp.mailfrom=\"", "mx.test | dmarc=fail | broken"),
            ("mx.test; dmarc", "mx.test | broken"),
            ("mx.test; dmarc=pass header.from", "mx.test | broken"),
            ("mx.test; dmarc=\"pass\"", "mx.test | broken"),
            ("mx.test; dmarc==pass", "mx.test | broken"),
            ("mx.test; dmarc=pass\0", "mx.test | dmarc=pass | broken"),
        ] {
            assert_eq!(read(value), said, "{value}");
        }
        let deep = format!("mx.test; spf=none {}", "(".repeat(60_000));
        assert_eq!(read(&deep), "mx.test | spf=none | broken");
        let many = format!("mx.test{}", "; dmarc=pass".repeat(5_000));
        assert_eq!(read_results(many.as_bytes()).map(|results| results.found.len()), Some(MAX_RESULTS));
    }

    #[test]
    fn a_property_told_twice_is_none() {
        let results =
            read_results(b"mx.test; dkim=pass header.d=a.test header.d=b.test header.s=x header.s=x").unwrap();
        let found = results.found.first().unwrap();
        assert_eq!((found.property("header.d"), found.property("header.s")), (None, Some("x")));
    }
}
