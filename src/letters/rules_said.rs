//! What a toggle of the rulebook changes, in a sentence for players. The names and values are those of
//! [`crate::rules::rulebook`].

use super::Lang;

/// The sentence for one deviation from the default; «имя = значение» for a value that has none (a new toggle).
pub fn sentence(lang: Lang, name: &str, value: &str) -> String {
    let found = SENTENCES.iter().find(|said| said.0 == name && (said.1 == value || said.1 == ANY));
    let Some((_, _, russian, english)) = found else {
        return format!("{name} = {value}");
    };
    let text = match lang {
        Lang::Ru => russian,
        Lang::En => english,
    };
    text.replace("{%}", &percent(value)).replace("{}", value)
}

/// `0.25` as `25`.
fn percent(value: &str) -> String {
    match value.parse::<f64>() {
        Ok(share) => format!("{}", (share * 1000.0).round() / 10.0),
        Err(_) => value.to_owned(),
    }
}

/// Any value: `{}` stands for it, `{%}` for a share in hundredths.
const ANY: &str = "*";

/// Toggle, value, Russian, English.
type Said = (&'static str, &'static str, &'static str, &'static str);

/// In the order of the rulings.
const SENTENCES: &[Said] = &[
    ("mafia_share", ANY, "доля мафии среди игроков: {%} % (A1)", "the mafia's share of the players: {%} % (A1)"),
    ("mafia_rounding", "floor", "число мафии округляется вниз (A1)", "the number of mafia is rounded down (A1)"),
    (
        "mafia_rounding",
        "nearest",
        "число мафии округляется до ближайшего (A1)",
        "the number of mafia is rounded to the nearest (A1)",
    ),
    ("roles", ANY, "состав ролей назначен: {} (A3)", "the roles in play are set: {} (A3)"),
    ("min_players", ANY, "наименьшее число игроков: {} (A4)", "the least number of players: {} (A4)"),
    ("boss", "always", "босс есть в игре всегда (A5)", "there is always a Boss (A5)"),
    ("boss", "never", "босса в игре нет (A5)", "there is no Boss (A5)"),
    (
        "clan_knows_roles",
        "false",
        "в клане знают ники своих, но не их роли (A6)",
        "the clan knows its members' nicks, but not their roles (A6)",
    ),
    ("boss_knows_foundling", "true", "босс знает, кто подкидыш (A7)", "the Boss knows who the foundling is (A7)"),
    (
        "commissioner_knows_sergeant",
        "true",
        "комиссар знает, кто сержант (A8)",
        "the commissioner knows who the sergeant is (A8)",
    ),
    ("nick_source", "issued", "ники выдаёт ведущий (A9)", "nicks are issued by the host (A9)"),
    ("photo_required", "false", "фотография не обязательна (A10)", "a photograph is not required (A10)"),
    (
        "reveal_person_on_death",
        "true",
        "после смерти называют не только роль, но и участника форума (A11)",
        "after a death not only the role but also the forum member is named (A11)",
    ),
    (
        "reveal_persons_at_end",
        "false",
        "в конце игры участников форума не называют (A11)",
        "forum members are not named at the end (A11)",
    ),
    (
        "hunt_on_first_turn",
        "true",
        "охотиться можно уже в первом ходу (A17)",
        "hunting is open from the first turn on (A17)",
    ),
    (
        "hunt_special_conflict",
        "last",
        "из охоты и ролевой заявки в силе та, что прислана позже (A18)",
        "of a hunt and a role request the later one stands (A18)",
    ),
    (
        "hunt_special_conflict",
        "special",
        "если есть ролевая заявка, охота не действует (A18)",
        "with a role request the hunt does not work (A18)",
    ),
    (
        "unsatisfied_hunt_frees_special",
        "true",
        "кто не успел на охоту первым, тот применяет своё умение (A19)",
        "who was not the first to hunt uses the special power (A19)",
    ),
    (
        "hunt_blocks_pistol",
        "false",
        "комиссар на охоте всё равно может выстрелить (A20)",
        "a hunting commissioner can still shoot (A20)",
    ),
    (
        "hunt_change_keeps_place",
        "true",
        "сменив добычу, место в очереди на охоту не теряют (A21)",
        "a change of prey keeps the place in the queue of hunters (A21)",
    ),
    (
        "hunt_maniac",
        "kills_maniac",
        "если добыча — маньяк, он погибает (A23)",
        "if the prey is the maniac, he dies (A23)",
    ),
    (
        "hunt_maniac",
        "kills_hunter",
        "если добыча — маньяк, погибает охотник (A23)",
        "if the prey is the maniac, the hunter dies (A23)",
    ),
    ("maniac_may_hunt", "true", "маньяк может охотиться (A25)", "the maniac may hunt (A25)"),
    (
        "tell_hunter_result",
        "true",
        "охотнику сообщают, чем кончилась охота (A26)",
        "the hunter is told how the hunt ended (A26)",
    ),
    (
        "hunt_needs_vote",
        "true",
        "без голоса на суде Линча не считается и охота (A27)",
        "without a lynch vote a hunt does not count either (A27)",
    ),
    (
        "lynch_quorum",
        ANY,
        "для казни нужно не меньше {%} % голосов (A28)",
        "an execution needs at least {%} % of the votes (A28)",
    ),
    (
        "lynch_quorum_base",
        "alive",
        "нужная доля голосов считается от числа живых (A28)",
        "the needed share of votes is taken of the living (A28)",
    ),
    (
        "lynch_quorum_base",
        "all_players",
        "нужная доля голосов считается от всех, кто начинал игру (A28)",
        "the needed share of votes is taken of all who began (A28)",
    ),
    ("self_vote", "rejected", "голосовать против себя нельзя (A30)", "a vote against oneself is not taken (A30)"),
    (
        "lynch_dead_falls_to_next",
        "true",
        "если выбранный судом уже погиб, казнят следующего по голосам (A32)",
        "if the one chosen by the court is dead, the next in votes is hanged (A32)",
    ),
    (
        "lynch_before_night",
        "true",
        "решение суда Линча исполняют до ночи, а не к её концу (A33)",
        "the lynch court is held before the night (A33)",
    ),
    ("publish_nonvoters", "false", "кто не голосовал, не публикуется (A34)", "who did not vote is not published (A34)"),
    (
        "deprived_is_miss",
        "true",
        "лишение голоса считается пропуском (A35)",
        "a loss of the vote counts as a miss (A35)",
    ),
    (
        "deprived_status_counts",
        "false",
        "у лишённого голоса не считается и ролевая заявка (A35)",
        "who is deprived of the vote loses the role request too (A35)",
    ),
    (
        "doctor_vs_hunt",
        "target",
        "доктор спасает добычу от охотника (A37)",
        "the doctor saves the prey from the hunter (A37)",
    ),
    (
        "doctor_vs_hunt",
        "hunter",
        "доктор спасает охотника, погибающего на охоте (A37)",
        "the doctor saves a hunter who would die on the hunt (A37)",
    ),
    (
        "doctor_vs_hunt",
        "both",
        "доктор спасает и добычу, и охотника (A37)",
        "the doctor saves both prey and hunter (A37)",
    ),
    (
        "doctor_saves_from_maniac",
        "false",
        "от маньяка доктор не спасает (A38)",
        "the doctor does not save from the maniac (A38)",
    ),
    (
        "doctor_saves_from_kamikaze",
        "false",
        "от камикадзе доктор не спасает (A39)",
        "the doctor does not save from the kamikaze (A39)",
    ),
    (
        "doctor_saves_from_pistol",
        "true",
        "доктор спасает и от пистолета комиссара (A40)",
        "the doctor saves from the commissioner's pistol too (A40)",
    ),
    (
        "heal_absorbs",
        "one",
        "одно лечение спасает только от одного нападения (A41)",
        "one heal stops one attack only (A41)",
    ),
    (
        "void_heal_blocks_repeat",
        "true",
        "несостоявшееся лечение тоже нельзя повторить на следующую ночь (A42)",
        "a heal that fell may not be repeated in the next night either (A42)",
    ),
    ("announce_saves", "doctor", "доктору сообщают, что он спас (A43)", "the doctor is told of a save (A43)"),
    ("announce_saves", "patient", "спасённому сообщают, что его спасли (A43)", "the one who was saved is told (A43)"),
    ("announce_saves", "public", "о спасении сообщают всем (A43)", "a save is told to all (A43)"),
    (
        "check_reveals",
        "team",
        "комиссар узнаёт не роль, а сторону (A44)",
        "the commissioner learns the side, not the role (A44)",
    ),
    (
        "check_shows_foundling",
        "false",
        "подкидыш при проверке виден как мирный житель, пока не станет мафиози (A45)",
        "a check shows the foundling as a townsperson until he turns (A45)",
    ),
    (
        "check_killer_detail",
        "nick",
        "комиссар узнаёт и ники тех, кто убил (A46)",
        "the commissioner learns the nicks of the killers too (A46)",
    ),
    (
        "dead_commissioner_gets_check",
        "false",
        "проверка комиссара, погибшего в ту же ночь, пропадает (A47)",
        "the check of a commissioner who dies in that night is lost (A47)",
    ),
    (
        "sergeant_gets_killers",
        "true",
        "сержант узнаёт и о том, кто убил проверенного (A49)",
        "the sergeant too learns who killed the one checked (A49)",
    ),
    (
        "pistol_mode",
        "turn",
        "приказ о пистолете действует только в том ходу, в котором прислан (A50)",
        "a pistol order holds for the turn in which it was sent (A50)",
    ),
    (
        "pistol_mode",
        "window",
        "погибшего комиссара спрашивают, в кого он стреляет (A50)",
        "a dead commissioner is asked whom he shoots (A50)",
    ),
    ("pistol_public", "false", "кто в кого выстрелил, не публикуется (A52)", "who shot whom is not published (A52)"),
    (
        "expulsion_triggers_succession",
        "false",
        "исключённого комиссара сержант не заменяет, и подкидыш из-за исключения босса не меняет сторону (A53, A60)",
        "the sergeant does not follow an expelled commissioner, nor does the foundling turn when the Boss is expelled (A53, A60)",
    ),
    (
        "kamikaze_kills_too",
        "false",
        "камикадзе либо ищет комиссара, либо участвует в убийстве (A55)",
        "the kamikaze either searches or takes part in the murder (A55)",
    ),
    (
        "foundling_before_win_check",
        "false",
        "если мафии не осталось, подкидыш мафиози уже не становится (A58)",
        "if no mafia is left, the foundling does not turn (A58)",
    ),
    (
        "foundling_immune_after_conversion",
        "false",
        "подкидыша, ставшего мафиози, клан может убить (A59)",
        "the clan can kill a foundling who has turned (A59)",
    ),
    ("mafia_may_kill_own", "false", "клан не может напасть на своих (A61)", "the clan may not attack its own (A61)"),
    (
        "public_causes",
        "true",
        "причины ночных смертей публикуются (A64)",
        "the causes of deaths in the night are published (A64)",
    ),
    (
        "missed_votes_limit",
        ANY,
        "пропущенных голосований до исключения: {} (A65)",
        "missed votes that mean expulsion: {} (A65)",
    ),
    (
        "status_needs_vote",
        "false",
        "ролевая заявка считается и без голоса на суде Линча (A68)",
        "a role request counts without a lynch vote too (A68)",
    ),
    (
        "reveal_on_expulsion",
        "false",
        "роль исключённого не называют (A67)",
        "the role of the expelled is not shown (A67)",
    ),
    (
        "note_on_expulsion",
        "true",
        "предсмертную записку передают и при исключении (A67)",
        "a death note is delivered after an expulsion too (A67)",
    ),
    (
        "activity_days",
        ANY,
        "дней молчания в теме до предупреждения: {} (A69)",
        "days of silence in the topic before a warning: {} (A69)",
    ),
    (
        "activity_auto",
        "false",
        "предупреждения за молчание даёт сам ведущий (A69)",
        "warnings for silence are given by the host himself (A69)",
    ),
    ("ghost_private", "true", "призраки могут писать личные письма (A72)", "ghosts may send private messages (A72)"),
    (
        "note_on",
        "mafia_or_lynch",
        "предсмертную записку передают, только если убила мафия или казнил суд (A73)",
        "a death note is delivered only after a murder by the mafia or a lynching (A73)",
    ),
    (
        "note_to_dead",
        "drop",
        "призракам предсмертные записки не передают (A74)",
        "death notes are not delivered to ghosts (A74)",
    ),
    (
        "maniac_counts_as_peaceful",
        "true",
        "при подсчёте победы мафии маньяк считается с мирными (A76)",
        "the maniac counts with the town when the mafia's victory is reckoned (A76)",
    ),
    (
        "maniac_blocks_victory",
        "true",
        "пока жив маньяк, никто другой не победил (A77)",
        "while the maniac lives, nobody else has won (A77)",
    ),
    (
        "stalemate_turns",
        ANY,
        "ничья, если ходов без смертей подряд: {} (A81)",
        "a draw after so many turns without a death: {} (A81)",
    ),
    (
        "relay_private",
        "false",
        "личных писем через ведущего нет (A83)",
        "there are no private messages through the host (A83)",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::letters::guard::reads_as_request;

    #[test]
    fn every_sentence_stands_in_both_languages_and_reads_as_no_request() {
        for (name, value, russian, english) in SENTENCES {
            assert!(russian.chars().any(|c| ('а'..='я').contains(&c)), "{name} {value}");
            assert!(!english.chars().any(|c| ('а'..='я').contains(&c)), "{name} {value}");
            assert!(!reads_as_request(russian) && !reads_as_request(english), "{name} {value}");
        }
    }

    #[test]
    fn values_are_filled_in_and_unknown_toggles_are_shown_as_they_are() {
        assert_eq!(
            sentence(Lang::En, "lynch_quorum", "0.333"),
            "an execution needs at least 33.3 % of the votes (A28)"
        );
        assert_eq!(sentence(Lang::Ru, "missed_votes_limit", "3"), "пропущенных голосований до исключения: 3 (A65)");
        assert_eq!(sentence(Lang::Ru, "new_toggle", "odd"), "new_toggle = odd");
    }
}
