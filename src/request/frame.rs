//! The lines that mail programs put round what people write: quote marks, attributions, headers of quoted letters,
//! footers.

use super::typography::{is_colon, is_dash, tidy};

/// `> `, and `AB> ` of The Bat!.
pub fn is_quoted(line: &str) -> bool {
    let line = line.trim_start();
    let initials = line.chars().take_while(|c| c.is_alphabetic()).take(5).count();
    let mut rest = line.chars().skip(initials);
    rest.next() == Some('>') && (initials == 0 || matches!(rest.next(), None | Some(' ' | '>')))
}

/// A row of underscores or dashes.
pub fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 5 && line.chars().all(|c| matches!(c, '_' | '-' | '=' | '*' | '—'))
}

/// `-----Исходное сообщение-----` and its like.
pub fn is_original_header(line: &str) -> bool {
    const TITLES: &[&str] = &[
        "исходное сообщение",
        "пересылаемое сообщение",
        "пересылаемое письмо",
        "исходное письмо",
        "пересланное сообщение",
        "пересланное письмо",
        "переадресованное сообщение",
        "конец пересылаемого сообщения",
        "завершение пересылаемого сообщения",
        "оригинальное сообщение",
        "первоначальное сообщение",
        "вихідне повідомлення",
        "оригінальне повідомлення",
        "переслане повідомлення",
        "original message",
        "original appointment",
        "forwarded message",
        "forwarded by",
        "ursprüngliche nachricht",
        "weitergeleitete nachricht",
        "message d'origine",
        "message original",
        "message transféré",
        "mensaje original",
        "mensaje reenviado",
        "mensagem original",
        "messaggio originale",
        "messaggio inoltrato",
        "oorspronkelijk bericht",
        "wiadomość oryginalna",
        "oryginalna wiadomość",
        "ursprungligt meddelande",
        "originalmeddelande",
        "opprinnelig melding",
        "oprindelig meddelelse",
        "alkuperäinen viesti",
    ];
    let line = tidy(line).to_lowercase();
    if line.starts_with("begin forwarded message")
        || line.starts_with("начало переадресованного сообщения")
        || line.starts_with("начало пересылаемого сообщения")
    {
        return true;
    }
    let title = line.trim_matches(|c: char| is_dash(c) || matches!(c, ' ' | '_' | '*' | '='));
    let ruled = line.trim_start_matches('*').starts_with(is_dash);
    // Zoho writes its attribution between dashes.
    let zoho = line.ends_with(is_dash) && is_attribution(&format!("{title}:"), false);
    ruled && (zoho || TITLES.iter().any(|known| title.starts_with(known)))
}

/// Labels of the line of a quoted header that names its sender.
pub const SENDER_LABELS: &[&str] = &[
    "от",
    "от кого",
    "отправитель",
    "from",
    "von",
    "de",
    "від",
    "da",
    "van",
    "från",
    "fra",
    "od",
    "lähettäjä",
    "expéditeur",
    "remitente",
    "mittente",
];
/// Labels of the lines round it.
pub const COMPANION_LABELS: &[&str] = &[
    "отправлено",
    "дата",
    "кому",
    "копия",
    "тема",
    "sent",
    "date",
    "to",
    "cc",
    "subject",
    "reply-to",
    "надіслано",
    "надійшло",
    "копія",
    "gesendet",
    "datum",
    "an",
    "betreff",
    "envoyé",
    "envoyé le",
    "à",
    "a",
    "objet",
    "sujet",
    "message du",
    "copie à",
    "fecha",
    "enviado",
    "enviado el",
    "para",
    "asunto",
    "assunto",
    "data",
    "inviato",
    "oggetto",
    "risposta",
    "verzonden",
    "aan",
    "onderwerp",
    "skickat",
    "till",
    "ämne",
    "sendt",
    "til",
    "emne",
    "wysłano",
    "wysłane",
    "do",
    "temat",
    "lähetetty",
    "vastaanottaja",
    "aihe",
];

/// The label of a header line (`Тема: …`), lower-cased.
pub fn header_label(line: &str) -> Option<String> {
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || c == '*');
    let (label, _) = line.split_once(is_colon)?;
    (label.len() <= 40).then(|| tidy(label).trim_end_matches('*').to_lowercase())
}

/// `Отправлено с iPhone` and its like.
pub fn is_footer(line: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "отправлено с ",
        "отправлено из ",
        "отправлено через ",
        "отправлено от ",
        "послано с ",
        "написано с ",
        "надіслано з ",
        "надіслано із ",
        "sent from ",
        "sent via ",
        "sent with ",
        "get outlook for ",
        "скачать outlook ",
        "получить outlook ",
        "скачайте outlook ",
        "загрузить outlook ",
        "gesendet von ",
        "gesendet mit ",
        "von meinem ",
        "diese nachricht wurde von ",
        "envoyé de ",
        "envoyé depuis ",
        "envoyé à partir ",
        "enviado desde ",
        "enviado do ",
        "enviado de ",
        "inviato da ",
        "sendt fra ",
        "skickat från ",
        "verzonden vanaf ",
        "verzonden met ",
        "wysłane z ",
    ];
    const MACHINES: &[&str] = &[
        "iphone",
        "ipad",
        "ios",
        "android",
        "андроид",
        "samsung",
        "galaxy",
        "huawei",
        "honor",
        "xiaomi",
        "redmi",
        "realme",
        "яндекс",
        "yandex",
        "почт",
        "mail",
        "outlook",
        "windows",
        "телефон",
        "смартфон",
        "планшет",
        "устройств",
        "пристр",
        "мобильн",
        "gmail",
        "nokia",
        "blackberry",
        "phone",
        "mobile",
        "device",
        "tablet",
        "thunderbird",
        "spark",
        "айфон",
        "rambler",
        "lenovo",
        "sony",
        "htc",
        "poco",
        "mac",
        "компьютер",
    ];
    if line.len() > 200 {
        return false;
    }
    let line = tidy(line);
    let line = line.trim_start_matches(|c: char| !c.is_alphabetic());
    // A machine of any name: «Sent from my Wiko RIDGE». What is written small is no name.
    if line.strip_prefix("Sent from my ").is_some_and(|machine| machine.starts_with(char::is_uppercase)) {
        return true;
    }
    let line = line.to_lowercase();
    // «Sent from my custom mailer» is no footer, and a link is one: «Sent from TypeApp<http://…>».
    let names_machine =
        |word: &str| word == "lg" || word != "mailer" && MACHINES.iter().any(|machine| word.contains(machine));
    BEGINNINGS.iter().any(|beginning| line.starts_with(beginning))
        && (line.contains("<http") || line.split(|c: char| !c.is_alphanumeric()).any(names_machine))
}

/// What an attribution says that somebody did.
const VERBS: &[&str] = &[
    "написал",
    "написала",
    "написал(а)",
    "написали",
    "написал/а",
    "написало",
    "пишет",
    "писал",
    "писала",
    "писал(а)",
    "пише",
    "написав",
    "написав(ла)",
    "wrote",
    "writes",
    "said",
    "schrieb",
    "écrit",
    "scritto",
    "escribió",
    "escreveu",
    "schreef",
    "geschreven",
    "skrev",
    "kirjoitti",
    "napisał",
    "napisała",
    "napisał(a)",
];

/// Whether lines, joined, tell who wrote the quote below.
pub fn is_attribution(joined: &str, quoted_below: bool) -> bool {
    let Some(said) = joined.strip_suffix(is_colon) else {
        return false;
    };
    let lower = said.trim_end().to_lowercase();
    let told_when = lower.contains(|c: char| c.is_ascii_digit());
    let last = lower.rsplit(' ').next().unwrap_or_default();
    if VERBS.contains(&last) {
        return told_when || lower.contains('@') || quoted_below;
    }
    if lower.contains("вы писали") || lower.contains("you wrote") {
        return told_when || quoted_below;
    }
    let has_verb = lower.split(' ').any(|word| VERBS.contains(&word));
    let begins_like = begins_like_attribution(joined);
    let dated = told_when && (has_clock(&lower) || begins_like && lower.contains('@'));
    dated && (has_verb || lower.contains('@') || begins_like)
}

/// `On … <a@b.test> wrote`, `2016-03-03 17:21 GMT+01:00 X`, `On … at 11:16 X <a@b.test>`: all that they tell is needed to
/// believe them.
pub fn is_attribution_without_colon(joined: &str) -> bool {
    let lower = joined.to_lowercase();
    if !begins_like_attribution(joined) || !has_clock(&lower) {
        return false;
    }
    let last = lower.rsplit(' ').next().unwrap_or_default();
    lower.contains(" gmt+") || lower.contains('@') && (lower.ends_with('>') || VERBS.contains(&last))
}

/// A day of the week, a date, or `On`.
pub fn begins_like_attribution(line: &str) -> bool {
    const DAYS: &[&str] = &[
        "пн",
        "вт",
        "ср",
        "чт",
        "пт",
        "сб",
        "вс",
        "нд",
        "понедельник",
        "вторник",
        "среда",
        "среду",
        "четверг",
        "пятница",
        "пятницу",
        "суббота",
        "субботу",
        "воскресенье",
        "понеділок",
        "вівторок",
        "середа",
        "пʼятниця",
        "п'ятниця",
        "субота",
        "неділя",
        "on",
        "mon",
        "tue",
        "wed",
        "thu",
        "fri",
        "sat",
        "sun",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "le",
        "am",
        "el",
    ];
    const MONTHS: &[&str] = &[
        "янв", "фев", "мар", "апр", "мая", "май", "июн", "июл", "авг", "сен", "окт", "ноя", "дек", "jan", "feb", "mar",
        "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec", "січ", "лют", "бер", "кві", "тра", "чер", "лип",
        "сер", "вер", "жов", "лис", "гру",
    ];
    let lower = line.to_lowercase();
    let mut words = lower.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
    let Some(first) = words.next() else {
        return false;
    };
    if DAYS.contains(&first.trim_end_matches('.')) {
        return true;
    }
    let digits = first.chars().take_while(char::is_ascii_digit).count();
    let date = digits > 0 && first.chars().nth(digits).is_some_and(|c| matches!(c, '.' | '/' | '-'));
    let day_and_month = (1..=2).contains(&digits)
        && words.next().is_some_and(|month| MONTHS.iter().any(|known| month.starts_with(known)));
    date || day_and_month
}

/// A time of day, `19:40`.
fn has_clock(line: &str) -> bool {
    line.split(is_colon).zip(line.split(is_colon).skip(1)).any(|(before, after)| {
        before.ends_with(|c: char| c.is_ascii_digit()) && after.starts_with(|c: char| c.is_ascii_digit())
    })
}
