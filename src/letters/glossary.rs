//! One word for each thing, in both languages: roles, requests, causes. Sentences stand in the templates.

use super::Lang;
use crate::journal::kind_of;
use crate::request::Word;
use crate::rules::ledger::VoidWhy;
use crate::rules::report::{Cause, ExpelWhy, HuntResult, StoppedBy};
use crate::rules::{Kind, Role, Side};

/// «доктор»; the turned foundling is «подкидыш, ставший мафиози» (A45).
pub fn role(lang: Lang, role: Role) -> &'static str {
    match (role, lang) {
        (Role::Citizen, Lang::Ru) => "мирный житель",
        (Role::Commissioner, Lang::Ru) => "комиссар Каттани",
        (Role::Doctor, Lang::Ru) => "доктор",
        (Role::Sergeant, Lang::Ru) => "сержант",
        (Role::Foundling, Lang::Ru) => "подкидыш",
        (Role::FoundlingMafioso, Lang::Ru) => "подкидыш, ставший мафиози",
        (Role::Mafioso, Lang::Ru) => "мафиози",
        (Role::Boss, Lang::Ru) => "босс",
        (Role::Kamikaze, Lang::Ru) => "камикадзе",
        (Role::Maniac, Lang::Ru) => "маньяк",
        (Role::Citizen, Lang::En) => "townsperson",
        (Role::Commissioner, Lang::En) => "Commissioner Cattani",
        (Role::Doctor, Lang::En) => "doctor",
        (Role::Sergeant, Lang::En) => "sergeant",
        (Role::Foundling, Lang::En) => "foundling",
        (Role::FoundlingMafioso, Lang::En) => "foundling turned mafioso",
        (Role::Mafioso, Lang::En) => "mafioso",
        (Role::Boss, Lang::En) => "Boss",
        (Role::Kamikaze, Lang::En) => "kamikaze",
        (Role::Maniac, Lang::En) => "maniac",
    }
}

/// After «вы»: English wants an article.
pub fn role_with_article(lang: Lang, of: Role) -> String {
    let article = match (lang, of) {
        (Lang::Ru, _) | (_, Role::Commissioner) => return role(lang, of).to_owned(),
        (Lang::En, Role::Boss | Role::FoundlingMafioso) => "the",
        (Lang::En, _) => "a",
    };
    format!("{article} {}", role(lang, of))
}

/// As a check shows it: the unturned foundling is «подкидыш (честный)» (A45).
pub fn role_checked(lang: Lang, checked: Role) -> &'static str {
    match (checked, lang) {
        (Role::Foundling, Lang::Ru) => "подкидыш (честный)",
        (Role::Foundling, Lang::En) => "foundling (honest)",
        (other, _) => role(lang, other),
    }
}

/// What a check shows where it shows the side alone (A44).
pub fn side(lang: Lang, side: Side) -> &'static str {
    match (side, lang) {
        (Side::Town, Lang::Ru) => "на стороне мирных",
        (Side::Mafia, Lang::Ru) => "на стороне мафии",
        (Side::Maniac, Lang::Ru) => "маньяк",
        (Side::Town, Lang::En) => "on the side of the town",
        (Side::Mafia, Lang::En) => "on the side of the mafia",
        (Side::Maniac, Lang::En) => "the maniac",
    }
}

/// «голос», «охота»: the request by its name.
pub fn kind(lang: Lang, kind: Kind) -> &'static str {
    match (kind, lang) {
        (Kind::Lynch, Lang::Ru) => "голос на суде Линча",
        (Kind::Hunt, Lang::Ru) => "охота",
        (Kind::Kill, Lang::Ru) => "убийство",
        (Kind::Check, Lang::Ru) => "проверка",
        (Kind::Heal, Lang::Ru) => "лечение",
        (Kind::Seek, Lang::Ru) => "поиск",
        (Kind::Pistol, Lang::Ru) => "пистолет",
        (Kind::Note, Lang::Ru) => "предсмертная записка",
        (Kind::Pm, Lang::Ru) => "личное письмо",
        (Kind::Clan, Lang::Ru) => "слова клану",
        (Kind::Lynch, Lang::En) => "lynch vote",
        (Kind::Hunt, Lang::En) => "hunt",
        (Kind::Kill, Lang::En) => "murder",
        (Kind::Check, Lang::En) => "check",
        (Kind::Heal, Lang::En) => "heal",
        (Kind::Seek, Lang::En) => "search",
        (Kind::Pistol, Lang::En) => "pistol",
        (Kind::Note, Lang::En) => "death note",
        (Kind::Pm, Lang::En) => "private message",
        (Kind::Clan, Lang::En) => "words to the clan",
    }
}

/// «за вами голос: Сапожник» without its frame: what was asked and whom it names.
pub fn deed(lang: Lang, kind: Kind, nick: &str) -> String {
    let before = match (kind, lang) {
        (Kind::Lynch, Lang::Ru) => "голос против игрока",
        (Kind::Hunt, Lang::Ru) => "охота на игрока",
        (Kind::Kill, Lang::Ru) => "убийство игрока",
        (Kind::Check, Lang::Ru) => "проверка игрока",
        (Kind::Heal, Lang::Ru) => "лечение игрока",
        (Kind::Seek, Lang::Ru) => "поиск у игрока",
        (Kind::Pistol, Lang::Ru) => "пистолет против игрока",
        (Kind::Note, Lang::Ru) => "предсмертная записка игроку",
        (Kind::Pm, Lang::Ru) => "личное письмо игроку",
        (Kind::Clan, Lang::Ru) => return "слова клану".to_owned(),
        (Kind::Lynch, Lang::En) => "vote against",
        (Kind::Hunt, Lang::En) => "hunt for",
        (Kind::Kill, Lang::En) => "murder of",
        (Kind::Check, Lang::En) => "check of",
        (Kind::Heal, Lang::En) => "heal of",
        (Kind::Seek, Lang::En) => "search of",
        (Kind::Pistol, Lang::En) => "pistol aimed at",
        (Kind::Note, Lang::En) => "death note to",
        (Kind::Pm, Lang::En) => "private message to",
        (Kind::Clan, Lang::En) => return "words to the clan".to_owned(),
    };
    format!("{before} {nick}")
}

/// «Охота - ‹ник›»: the line to send, its argument in the brackets that our reader passes over.
pub fn example(lang: Lang, kind: Kind) -> &'static str {
    match (kind, lang) {
        (Kind::Lynch, Lang::Ru) => "Суд Линча - ‹ник›",
        (Kind::Hunt, Lang::Ru) => "Охота - ‹ник›",
        (Kind::Kill, Lang::Ru) => "Убийство - ‹ник›",
        (Kind::Check, Lang::Ru) => "Проверка - ‹ник›",
        (Kind::Heal, Lang::Ru) => "Лечение - ‹ник›",
        (Kind::Seek, Lang::Ru) => "Поиск - ‹ник›",
        (Kind::Pistol, Lang::Ru) => "Пистолет - ‹ник›",
        (Kind::Note, Lang::Ru) => "Записка - ‹ник›: ‹текст›",
        (Kind::Pm, Lang::Ru) => "ЛС - ‹ник›: ‹текст›",
        (Kind::Clan, Lang::Ru) => "Клану: ‹текст›",
        (Kind::Lynch, Lang::En) => "Lynch - ‹nick›",
        (Kind::Hunt, Lang::En) => "Hunt - ‹nick›",
        (Kind::Kill, Lang::En) => "Kill - ‹nick›",
        (Kind::Check, Lang::En) => "Check - ‹nick›",
        (Kind::Heal, Lang::En) => "Heal - ‹nick›",
        (Kind::Seek, Lang::En) => "Seek - ‹nick›",
        (Kind::Pistol, Lang::En) => "Pistol - ‹nick›",
        (Kind::Note, Lang::En) => "Note - ‹nick›: ‹text›",
        (Kind::Pm, Lang::En) => "PM - ‹nick›: ‹text›",
        (Kind::Clan, Lang::En) => "Clan: ‹text›",
    }
}

/// The line to send for a request word, where it takes an argument; None for words that stand alone.
pub fn word_example(lang: Lang, word: Word) -> Option<&'static str> {
    let kind = match word {
        Word::Lynch
        | Word::Hunt
        | Word::Kill
        | Word::Check
        | Word::Heal
        | Word::Seek
        | Word::Pistol
        | Word::Note
        | Word::Pm
        | Word::Clan => kind_of(word)?,
        Word::Cancel => {
            return Some(match lang {
                Lang::Ru => "Отмена - ‹вид заявки›",
                Lang::En => "Cancel - ‹kind of request›",
            });
        }
        Word::Address => {
            return Some(match lang {
                Lang::Ru => "Адрес - ‹новый адрес›",
                Lang::En => "Address - ‹new address›",
            });
        }
        Word::Lot => {
            return Some(match lang {
                Lang::Ru => "Жребий - ‹ваше слово›",
                Lang::En => "Lot - ‹your word›",
            });
        }
        Word::Absence => {
            return Some(match lang {
                Lang::Ru => "Отпуск - ‹даты›",
                Lang::En => "Away - ‹dates›",
            });
        }
        Word::Join
        | Word::Leave
        | Word::Role
        | Word::Status
        | Word::Players
        | Word::Rules
        | Word::Help
        | Word::Why
        | Word::Yes => return None,
    };
    Some(example(lang, kind))
}

/// By what somebody died, as the reader of a check or of the digest learns it (A46).
pub fn cause(lang: Lang, cause: Cause) -> &'static str {
    match (cause, lang) {
        (Cause::Mafia, Lang::Ru) => "мафия (убийство)",
        (Cause::Maniac, Lang::Ru) => "маньяк (убийство)",
        (Cause::Kamikaze, Lang::Ru) => "камикадзе (взрыв)",
        (Cause::Hunt, Lang::Ru) => "охотник (охота)",
        (Cause::Hunting, Lang::Ru) => "сам, на охоте",
        (Cause::KamikazeSelf, Lang::Ru) => "сам, при взрыве",
        (Cause::Pistol, Lang::Ru) => "комиссар (пистолет)",
        (Cause::Lynch, Lang::Ru) => "суд Линча",
        (Cause::Mafia, Lang::En) => "the mafia (murder)",
        (Cause::Maniac, Lang::En) => "the maniac (murder)",
        (Cause::Kamikaze, Lang::En) => "the kamikaze (explosion)",
        (Cause::Hunt, Lang::En) => "a hunter (hunt)",
        (Cause::Hunting, Lang::En) => "by himself, on a hunt",
        (Cause::KamikazeSelf, Lang::En) => "by himself, in the explosion",
        (Cause::Pistol, Lang::En) => "the commissioner (pistol)",
        (Cause::Lynch, Lang::En) => "the lynch court",
    }
}

/// The ground of an expulsion, after «за» or «причина:».
pub fn ground(lang: Lang, why: ExpelWhy) -> &'static str {
    match (why, lang) {
        (ExpelWhy::MissedVotes, Lang::Ru) => "пропущены голосования (правило 10)",
        (ExpelWhy::Inactivity, Lang::Ru) => "долгое молчание в теме (правило 9.1)",
        (ExpelWhy::Host, Lang::Ru) => "решение ведущего",
        (ExpelWhy::Left, Lang::Ru) => "по собственной просьбе",
        (ExpelWhy::MissedVotes, Lang::En) => "missed votes (rule 10)",
        (ExpelWhy::Inactivity, Lang::En) => "silence in the topic (rule 9.1)",
        (ExpelWhy::Host, Lang::En) => "the host's decision",
        (ExpelWhy::Left, Lang::En) => "at the player's own request",
    }
}

/// Why an accepted line had no effect; for hosts only.
pub fn void(lang: Lang, why: VoidWhy) -> &'static str {
    match (why, lang) {
        (VoidWhy::Replaced, Lang::Ru) => "заменена более поздней",
        (VoidWhy::Duplicate, Lang::Ru) => "повторяет прежнюю",
        (VoidWhy::Withdrawn, Lang::Ru) => "отозвана",
        (VoidWhy::Slot, Lang::Ru) => "место занято другой заявкой (A18, A55)",
        (VoidWhy::StatusWithoutVote, Lang::Ru) => "нет голоса на суде Линча (R107)",
        (VoidWhy::HuntWithoutVote, Lang::Ru) => "охота без голоса на суде Линча (A27)",
        (VoidWhy::NotFirst, Lang::Ru) => "охота пришла не первой (R59)",
        (VoidWhy::SenderExpelled, Lang::Ru) => "автор исключён (A36)",
        (VoidWhy::Deprived, Lang::Ru) => "автор лишён голоса (R88)",
        (VoidWhy::DeadBeforeNight, Lang::Ru) => "автор погиб до ночи (A33)",
        (VoidWhy::Replaced, Lang::En) => "replaced by a later one",
        (VoidWhy::Duplicate, Lang::En) => "repeats an earlier one",
        (VoidWhy::Withdrawn, Lang::En) => "withdrawn",
        (VoidWhy::Slot, Lang::En) => "its place is taken by another request (A18, A55)",
        (VoidWhy::StatusWithoutVote, Lang::En) => "no lynch vote (R107)",
        (VoidWhy::HuntWithoutVote, Lang::En) => "a hunt without a lynch vote (A27)",
        (VoidWhy::NotFirst, Lang::En) => "not the first hunt (R59)",
        (VoidWhy::SenderExpelled, Lang::En) => "its author was expelled (A36)",
        (VoidWhy::Deprived, Lang::En) => "its author was deprived of the vote (R88)",
        (VoidWhy::DeadBeforeNight, Lang::En) => "its author was dead before the night (A33)",
    }
}

/// How a hunt ended; for hosts only.
pub fn hunt(lang: Lang, result: HuntResult) -> &'static str {
    match (result, lang) {
        (HuntResult::Kills, Lang::Ru) => "добыча убита (R60)",
        (HuntResult::Dies, Lang::Ru) => "охотник погиб (R61)",
        (HuntResult::Nothing, Lang::Ru) => "ничем не кончилась",
        (HuntResult::Saved, Lang::Ru) => "помешал доктор (A37)",
        (HuntResult::Kills, Lang::En) => "the prey is killed (R60)",
        (HuntResult::Dies, Lang::En) => "the hunter dies (R61)",
        (HuntResult::Nothing, Lang::En) => "it came to nothing",
        (HuntResult::Saved, Lang::En) => "the doctor prevented a death (A37)",
    }
}

/// What stopped an attack; for hosts only.
pub fn shield(lang: Lang, by: StoppedBy) -> &'static str {
    match (by, lang) {
        (StoppedBy::Doctor, Lang::Ru) => "спас доктор (R27)",
        (StoppedBy::Foundling, Lang::Ru) => "мафия не может убить подкидыша (R33)",
        (StoppedBy::Doctor, Lang::En) => "saved by the doctor (R27)",
        (StoppedBy::Foundling, Lang::En) => "the mafia cannot kill the foundling (R33)",
    }
}
