//! The page's own words in both languages.

use serde::Serialize;

use crate::letters::Lang;
use crate::rules::game::Life;
use crate::rules::{Gender, Winner};

#[derive(Clone, Copy, Debug, Serialize)]
pub struct Words {
    pub chronicle: &'static str,
    pub ended: &'static str,
    pub who_was_who: &'static str,
    pub nick: &'static str,
    pub role: &'static str,
    pub rules: &'static str,
    pub by_the_rules: &'static str,
    pub turns: &'static str,
    pub turn: &'static str,
    pub voter: &'static str,
    pub against: &'static str,
    pub votes: &'static str,
    pub no_vote: &'static str,
    pub secret_votes: &'static str,
    pub lots: &'static str,
    pub lots_intro: &'static str,
    pub dealt_as_given: &'static str,
    pub seed: &'static str,
    pub commitment: &'static str,
    pub lot_words: &'static str,
    pub verify_hash: &'static str,
    pub verify_lots: &'static str,
}

pub fn of(lang: Lang) -> Words {
    match lang {
        Lang::Ru => Words {
            chronicle: "Хроника игры",
            ended: "Игра окончена",
            who_was_who: "Кто кем был",
            nick: "Игрок",
            role: "Роль и судьба",
            rules: "Правила",
            by_the_rules: "Играли по общим правилам, без отклонений.",
            turns: "Ход за ходом",
            turn: "Ход",
            voter: "Кто",
            against: "Против кого",
            votes: "Голоса",
            no_vote: "Не голосовали",
            secret_votes: "Как голосовал город, не публиковалось (правило 11).",
            lots: "Как проверить жребий",
            lots_intro: "Роли и ничьи на суде Линча решал жребий. Все его случайности берутся из одного числа, зерна: до игры \
                         был объявлен только его отпечаток, а теперь открыто само зерно.",
            dealt_as_given: "В этой игре роли раздал ведущий; жребий решал только ничьи.",
            seed: "Зерно",
            commitment: "Отпечаток (SHA-256), объявленный в начале",
            lot_words: "Слова игроков, добавленные к зерну",
            verify_hash: "Отпечаток зерна считает любая программа, например:",
            verify_lots: "Чтобы пересчитать раздачу и ничьи, попросите у ведущего запись игры и проверьте её командой \
                          «omerta verify» или возьмите скрипт из docs/lots.md.",
        },
        Lang::En => Words {
            chronicle: "Chronicle of a game",
            ended: "The game ended",
            who_was_who: "Who was who",
            nick: "Player",
            role: "Role and fate",
            rules: "Rules",
            by_the_rules: "Played by the common rules, without deviations.",
            turns: "Turn by turn",
            turn: "Turn",
            voter: "Who",
            against: "Against whom",
            votes: "Votes",
            no_vote: "No vote from",
            secret_votes: "How the town voted was not published (rule 11).",
            lots: "How to verify the lots",
            lots_intro: "Roles, and ties at the lynch, were drawn by lot. All its chances come from one number, the seed: before \
                         the game only its fingerprint was published, and now the seed itself is.",
            dealt_as_given: "In this game the host dealt the roles; the lots decided ties alone.",
            seed: "Seed",
            commitment: "Fingerprint (SHA-256), published at the start",
            lot_words: "Words of players that were added to the seed",
            verify_hash: "Any program computes the seed's fingerprint, for instance:",
            verify_lots: "To draw the deal and the ties again, ask the host for the game's journal and check it with \
                          “omerta verify”, or take the script in docs/lots.md.",
        },
    }
}

pub fn won(lang: Lang, winner: Winner, by_host: bool) -> String {
    let won = match (lang, winner) {
        (Lang::Ru, Winner::Town) => "Победил город",
        (Lang::Ru, Winner::Mafia) => "Победила мафия",
        (Lang::Ru, Winner::Maniac) => "Победил маньяк",
        (Lang::Ru, Winner::Draw) => "Ничья",
        (Lang::En, Winner::Town) => "The town won",
        (Lang::En, Winner::Mafia) => "The mafia won",
        (Lang::En, Winner::Maniac) => "The maniac won",
        (Lang::En, Winner::Draw) => "A draw",
    };
    match (by_host, lang) {
        (false, _) => won.to_owned(),
        (true, Lang::Ru) => format!("{won}: так решил ведущий"),
        (true, Lang::En) => format!("{won}, by the host's word"),
    }
}

pub fn became(lang: Lang, dealt: &str, role: &str) -> String {
    match lang {
        Lang::Ru => format!("{role} (сначала {dealt})"),
        Lang::En => format!("{role} (at first {dealt})"),
    }
}

pub fn fate(lang: Lang, life: Life, gender: Option<Gender>) -> &'static str {
    match (lang, life, gender) {
        (Lang::Ru, Life::Alive, Some(Gender::Male)) => "дожил до конца",
        (Lang::Ru, Life::Alive, Some(Gender::Female)) => "дожила до конца",
        (Lang::Ru, Life::Alive, None) => "в живых",
        (Lang::Ru, Life::Dead, Some(Gender::Male)) => "погиб",
        (Lang::Ru, Life::Dead, Some(Gender::Female)) => "погибла",
        (Lang::Ru, Life::Dead, None) => "среди погибших",
        (Lang::Ru, Life::Expelled, _) => "вне игры",
        (Lang::En, Life::Alive, _) => "lived",
        (Lang::En, Life::Dead, _) => "died",
        (Lang::En, Life::Expelled, _) => "left the game",
    }
}
