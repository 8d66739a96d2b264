//! What a server's refusal means: for this letter, for the line, for the day.

use std::fmt;

/// Where in the dialogue a reply was awaited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Connect,
    Greeting,
    StartTls,
    Login,
    Mail,
    Rcpt,
    Data,
    /// The letter itself, before its final dot.
    Words,
    /// The answer to the final dot: from here on the letter may have been taken.
    Verdict,
}

/// A negative reply (4xx or 5xx).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reply {
    pub code: u16,
    /// All its lines. They may name addresses: nobody is shown them.
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// This letter must wait; the line is in order.
    Later,
    /// This letter will never be taken.
    Refused,
    /// The provider blocks us for a day or so.
    Blocked,
    /// The login is not accepted.
    LoginRefused,
    /// Nothing can be sent just now: the server is busy, or hangs up.
    Busy,
    /// Nothing can be sent until somebody mends something: the server, or our settings.
    Unable,
}

impl Reply {
    /// Its enhanced code (RFC 3463), when it has one that agrees with its code.
    pub(super) fn enhanced(&self) -> Option<&str> {
        let word = self.text.split_whitespace().next()?;
        let mut parts = word.split('.');
        let class = parts.next()?;
        let is_number = |part: &str| (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        let agrees = class.len() == 1 && self.code.to_string().starts_with(class);
        let (subject, detail) = (parts.next()?, parts.next()?);
        (agrees && is_number(subject) && is_number(detail) && parts.next().is_none()).then_some(word)
    }

    /// The enhanced code without its class: `7.1`.
    fn detail(&self) -> &str {
        self.enhanced().and_then(|code| code.split_once('.')).map_or("", |(_, detail)| detail)
    }

    fn is_permanent(&self) -> bool {
        self.code >= 500
    }

    pub(super) fn meaning(&self, step: Step) -> Meaning {
        if self.is_block() {
            return Meaning::Blocked;
        }
        match step {
            // A refusal before MAIL FROM judges us and not the letter.
            Step::Connect | Step::Greeting | Step::StartTls if self.is_permanent() => Meaning::Unable,
            Step::Login if self.is_permanent() || self.has("too many") => Meaning::LoginRefused,
            Step::Connect | Step::Greeting | Step::StartTls | Step::Login => Meaning::Busy,
            Step::Mail | Step::Rcpt | Step::Data | Step::Words | Step::Verdict => self.of_a_letter(step),
        }
    }

    fn of_a_letter(&self, step: Step) -> Meaning {
        // Before RCPT nobody has named a recipient: what is refused is our sender, unless it is this letter's form.
        let sender = step == Step::Mail && !self.is_of_one_letter();
        match self.code {
            // RFC 5321, 3.8: the server closes the connection.
            421 => Meaning::Busy,
            // RFC 4954: log in first, or in another way. RFC 5321: a command out of its order.
            530 | 534 | 535 | 538 => Meaning::LoginRefused,
            503 if step != Step::Verdict => Meaning::Busy,
            // The sender is the same for all letters.
            500.. if sender || self.has("sender address rejected") => Meaning::Unable,
            500.. => Meaning::Refused,
            _ => Meaning::Later,
        }
    }

    /// True when a refusal of MAIL FROM says that it is for the letter's size or form, or for a recipient (RFC 3463: x.1.1 to
    /// x.1.6, x.2.3, x.3.4, x.6.*).
    fn is_of_one_letter(&self) -> bool {
        let detail = self.detail();
        let of_a_recipient = ["1.1", "1.2", "1.3", "1.4", "1.5", "1.6"].contains(&detail);
        let of_its_form = ["2.3", "3.4"].contains(&detail) || detail.starts_with("6.");
        self.code == 552 || of_a_recipient || of_its_form || self.has("too large") || self.has("message size")
    }

    /// True when the provider says that we send too much, or look like spam: seen with Gmail (550 5.4.5, 421 4.7.0,
    /// 421 4.7.28), Yandex (554 5.7.1), Mail.ru (451, 550), Outlook (550 5.1.90, 554 5.2.0, 5.7.5xx, 5.7.705) and rspamd
    /// (451 4.7.1).
    fn is_block(&self) -> bool {
        // Sizes, recipients of one letter, connections and failed logins have limits of their own.
        const OTHER_LIMITS: [&str; 8] =
            ["size", "too large", "recipients", "connections", "errors", "sessions", "login attempts", "auth"];
        const LIMITS: [&str; 11] = [
            "daily",
            "sending limit",
            "sending quota",
            "message limit",
            "limit exceeded",
            "quota exceeded",
            "rate limit",
            "ratelimit",
            "unusual rate",
            "too many",
            "too much mail",
        ];
        const SPAM: [&str; 4] = ["spam", "blocked using", "temporarily blocked", "banned"];
        let detail = self.detail();
        if ["4.5", "1.90"].contains(&detail) || detail.starts_with("7.50") || detail == "7.705" || detail == "7.28" {
            return true;
        }
        if self.text.to_ascii_lowercase().contains("submissionquota") {
            return true;
        }
        // x.1.*: an address; x.2.*: the mailbox of the recipient; x.3.4 and 552: the size of the letter.
        if detail.starts_with("1.") || detail.starts_with("2.") || detail == "3.4" || self.code == 552 {
            return false;
        }
        if OTHER_LIMITS.iter().any(|other| self.has(other)) && !self.has("daily") {
            return false;
        }
        let names = |words: &[&str]| words.iter().any(|word| self.has(word));
        match self.code {
            550 | 554 => names(&LIMITS) || names(&SPAM),
            421 | 450 | 451 | 452 => names(&LIMITS) || (detail.starts_with("7.") && names(&SPAM)),
            _ => false,
        }
    }

    /// True when the server's own words say so: addresses, names of hosts and links prove nothing.
    fn has(&self, words: &str) -> bool {
        let is_own = |word: &&str| !word.contains(['@', '/', '<']) && !word.trim_end_matches('.').contains('.');
        let own: Vec<&str> = self.text.split_whitespace().filter(is_own).collect();
        own.join(" ").to_ascii_lowercase().contains(words)
    }
}

impl fmt::Display for Reply {
    /// Code, enhanced code and what they mean; never the server's text, which may name an address.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.code)?;
        if let Some(enhanced) = self.enhanced() {
            write!(f, " {enhanced}")?;
        }
        let meant = match (self.code, self.detail()) {
            (_, "1.1" | "1.6" | "1.10") => "there is no such mailbox",
            (_, "1.2") => "there is no such domain",
            (553, _) | (_, "1.7" | "1.8") => "the sender's address is not accepted",
            (_, "2.1") => "the mailbox is closed",
            (_, "2.2") => "the mailbox is full",
            (552, _) | (_, "3.4") => "the letter is too large",
            (_, "4.5") => "the sending limit is reached",
            (530 | 534 | 535 | 538, _) => "the login is not accepted",
            (_, "7.1") => "refused by the server's policy",
            _ => return Ok(()),
        };
        write!(f, ", {meant}")
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Step::Connect => "connecting",
            Step::Greeting => "the greeting",
            Step::StartTls => "STARTTLS",
            Step::Login => "the login",
            Step::Mail => "MAIL FROM",
            Step::Rcpt => "RCPT TO",
            Step::Data => "DATA",
            Step::Words => "the letter's words",
            Step::Verdict => "the final dot",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Meaning::*;
    use super::*;

    fn reply(code: u16, text: &str) -> Reply {
        Reply { code, text: text.to_owned() }
    }

    #[test]
    fn blocks_of_providers_are_known() {
        for (code, text) in [
            (550, "5.4.5 Daily user sending limit exceeded. For more information on Gmail sending limits go to"),
            (550, "5.4.5 Daily SMTP relay sending limit exceeded for customer."),
            (
                421,
                "4.7.0 Our system has detected an unusual rate of unsolicited mail originating from your IP address.",
            ),
            (421, "4.7.28 Our system has detected an unusual rate of mail"),
            (554, "5.7.1 [2] Message rejected under suspicion of SPAM; https://ya.cc/1IrBc 1631900360-h4Ajl35YEe"),
            (554, "5.7.1 Spam limit exceeded"),
            (554, "5.7.1 Blocked by spam statistics - see http://feedback.yandex.ru/"),
            (554, "5.7.1 Service unavailable; Client host [192.0.2.1] blocked using; see"),
            (550, "spam message rejected. Please visit http://help.mail.ru/notspam-support/id?c=1"),
            (451, "Ratelimit exceeded for mailbox. Try again later"),
            (451, "4.7.1 Ratelimit \"user\" exceeded"),
            (450, "4.7.1 Error: too much mail from 192.0.2.1"),
            (421, "4.7.0 Too many messages, slow down"),
            (550, "5.1.90 Your message can't be sent because you've reached your daily limit for message recipients"),
            (554, "5.2.0 STOREDRV.Submission.Exception:SubmissionQuotaExceededException"),
            (550, "5.7.501 Access denied, spam abuse detected"),
            (550, "5.7.705 Access denied, tenant has exceeded threshold"),
        ] {
            assert_eq!(reply(code, text).meaning(Step::Verdict), Blocked, "{code} {text}");
        }
    }

    #[test]
    fn other_limits_and_refusals_block_nothing() {
        for (step, code, text, meaning) in [
            (Step::Rcpt, 450, "4.2.1 The user you are trying to contact is receiving mail too quickly.", Later),
            (Step::Rcpt, 452, "4.2.2 The email account that you tried to reach is over quota", Later),
            (Step::Rcpt, 552, "5.2.2 Mailbox quota exceeded", Refused),
            (Step::Verdict, 552, "5.3.4 Message size limit exceeded", Refused),
            (Step::Verdict, 550, "message size limit exceeded", Refused),
            (Step::Rcpt, 452, "4.5.3 Error: too many recipients", Later),
            (Step::Rcpt, 450, "4.7.1 Greylisted, try again later", Later),
            (Step::Rcpt, 550, "5.1.1 <anna@x.test>: Recipient address rejected: User unknown", Refused),
            (Step::Rcpt, 554, "5.7.1 <anna@x.test>: Relay access denied", Refused),
            (
                Step::Rcpt,
                550,
                "<anna@nospam.test>: no such user; see https://antispam.test/ or mail spam@x.test",
                Refused,
            ),
            (Step::Rcpt, 550, "5.1.1 nospam is no user here", Refused),
            (Step::Greeting, 421, "4.7.0 localhost Error: too many connections from 192.0.2.1", Busy),
            (Step::Rcpt, 421, "4.7.0 localhost Error: too many errors", Busy),
            (Step::Mail, 421, "4.4.2 localhost Error: timeout exceeded", Busy),
            (Step::Greeting, 554, "5.3.2 No SMTP service here", Unable),
            (Step::StartTls, 502, "5.5.1 Not implemented", Unable),
            (Step::StartTls, 454, "4.7.0 TLS not available", Busy),
            (Step::Login, 535, "5.7.8 Username and Password not accepted", LoginRefused),
            (Step::Login, 454, "4.7.0 Too many login attempts, please try again later", LoginRefused),
            (Step::Login, 454, "4.7.0 Temporary authentication failure", Busy),
            (Step::Mail, 530, "5.7.0 Authentication Required", LoginRefused),
            (Step::Mail, 553, "5.7.1 Sender address rejected: not owned by auth user.", Unable),
            (Step::Rcpt, 553, "5.7.1 <mafia@x.test>: Sender address rejected: not owned by user p1", Unable),
            (Step::Rcpt, 503, "5.5.1 need MAIL command", Busy),
            (Step::Mail, 550, "no", Unable),
            (Step::Mail, 550, "5.7.1 Access denied", Unable),
            (Step::Mail, 550, "5.2.1 Mailbox disabled", Unable),
            (Step::Mail, 501, "5.1.7 Bad sender address syntax", Unable),
            (Step::Mail, 552, "Message size exceeds fixed maximum", Refused),
            (Step::Mail, 554, "5.6.3 Conversion required", Refused),
            (Step::Mail, 550, "5.1.1 No such user", Refused),
            (Step::Rcpt, 550, "no", Refused),
        ] {
            assert_eq!(reply(code, text).meaning(step), meaning, "{step}: {code} {text}");
        }
    }

    #[test]
    fn codes_are_shown_and_texts_are_not() {
        let shown = |code, text| reply(code, text).to_string();
        assert_eq!(shown(550, "5.1.1 <anna@x.test>: User unknown"), "550 5.1.1, there is no such mailbox");
        assert_eq!(shown(550, "anna@x.test is unknown"), "550");
        assert_eq!(shown(451, "5.1.1 does not agree"), "451");
        assert_eq!(shown(451, "4.anna.1 x"), "451");
        assert_eq!(shown(451, "4.7.1.anna x"), "451");
        assert_eq!(shown(552, ""), "552, the letter is too large");
    }
}
