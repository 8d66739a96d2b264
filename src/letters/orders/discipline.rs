//! What is said where the host keeps order: of a vote that is taken away, and of words that are missing. Both languages.

use super::{Forgiven, Said, form};
use crate::letters::Lang;
use crate::letters::phrase::plural;
use crate::request::orders::Verb;

/// `first_court`: the first turn with a lynch court, while it has not begun.
pub(super) fn did(
    lang: Lang,
    nicks: &[String],
    turns: u16,
    longer: &[(String, u16)],
    first_court: Option<u16>,
) -> Said {
    let (count, nicks) = (counted(lang, turns), nicks.join(", "));
    let stays = match (lang, longer) {
        (_, []) => String::new(),
        (Lang::Ru, longer) => format!(" Раньше назначено дольше, так и остаётся: {}.", until(lang, longer)),
        (Lang::En, longer) => format!("; an earlier loss is longer and stands: {}", until(lang, longer)),
    };
    let what = match lang {
        Lang::Ru => format!("Без голоса на {count}: {nicks}.{stays}"),
        Lang::En => format!("{nicks} may not vote for {count}{stays}"),
    };
    Said::new(what, spent(lang, turns, first_court))
}

/// How it ends, and how much of it no court will see (A35: the current turn counts).
fn spent(lang: Lang, turns: u16, first_court: Option<u16>) -> String {
    let Some(first) = first_court else {
        return match lang {
            Lang::Ru => "Кончится это само.",
            Lang::En => "It ends by itself.",
        }
        .to_owned();
    };
    let (courts, wanted) = (turns.saturating_sub(1), turns.saturating_add(1));
    match (lang, courts) {
        (Lang::Ru, 0) => format!(
            "Но суда Линча в этом ходе нет, первый будет в ходе {first}, и там голос уже вернётся. Чтобы не вернулся, \
             пришлите ещё раз, с числом {wanted} вместо {turns}."
        ),
        (Lang::En, 0) => format!(
            "But there is no lynch court in this turn: the first one is in turn {first}, and they vote there. If they \
             shall not, send it again with {wanted} instead of {turns}."
        ),
        (Lang::Ru, _) => format!(
            "Этот ход тоже в счёте, хотя суда Линча в нём нет: пропадёт {courts} {}. Кончится это само.",
            plural(lang, u64::from(courts), "голосование", "голосования", "голосований")
        ),
        (Lang::En, _) => format!(
            "This turn counts, though it has no lynch court: they miss {courts} {}. It ends by itself.",
            plural(lang, u64::from(courts), "vote", "votes", "votes")
        ),
    }
}

/// [`super::Did::Forgiven`]
pub(super) fn forgiven(lang: Lang, what: Forgiven, nicks: Option<&str>, without: &[String]) -> Said {
    let without = without.join(", ");
    let what = match (lang, what) {
        (Lang::Ru, Forgiven::Miss) => "пропущенный голос",
        (Lang::Ru, Forgiven::Silence) => "молчание",
        (Lang::En, Forgiven::Miss) => "a missed vote",
        (Lang::En, Forgiven::Silence) => "a silence",
    };
    match lang {
        Lang::Ru => {
            let done = match nicks {
                None => format!("Прощено всем: {what}."),
                Some(nicks) => format!("Прощено: {nicks}, {what}."),
            };
            let rest =
                if without.is_empty() { String::new() } else { format!(" Прощать нечего: {without}.") };
            Said::new(done + &rest, "Вернуть это нельзя.")
        }
        Lang::En => {
            let done = format!("{what} is forgiven to {}", nicks.unwrap_or("everybody who has one"));
            let rest = if without.is_empty() { String::new() } else { format!("; nothing to forgive: {without}") };
            Said::new(done + &rest, "This can't be taken back.")
        }
    }
}

/// [`super::NotDone::NothingToForgive`]
pub(super) fn nothing_to_forgive(lang: Lang, what: Forgiven, nicks: Option<&str>) -> Said {
    let told = match (lang, what, nicks) {
        (Lang::Ru, Forgiven::Miss, Some(nicks)) => format!("Прощать нечего, пропущенных голосов нет: {nicks}."),
        (Lang::Ru, Forgiven::Silence, Some(nicks)) => {
            format!("Прощать нечего, предупреждений за молчание нет: {nicks}.")
        }
        (Lang::Ru, Forgiven::Miss, None) => "Прощать нечего: пропущенных голосов ни за кем нет.".to_owned(),
        (Lang::Ru, Forgiven::Silence, None) => "Прощать нечего: предупреждений за молчание нет ни у кого.".to_owned(),
        (Lang::En, Forgiven::Miss, Some(nicks)) => format!("there is nothing to forgive, no missed vote: {nicks}"),
        (Lang::En, Forgiven::Silence, Some(nicks)) => {
            format!("there is nothing to forgive, no warning of silence: {nicks}")
        }
        (Lang::En, Forgiven::Miss, None) => "there is nothing to forgive: nobody has missed a vote".to_owned(),
        (Lang::En, Forgiven::Silence, None) => {
            "there is nothing to forgive: nobody has been warned of silence".to_owned()
        }
    };
    let then = match lang {
        Lang::Ru => "Вперёд не прощают: дождитесь итогов хода, в которых это будет.",
        Lang::En => "Nothing is forgiven in advance: wait for the results that tell of it.",
    };
    Said::new(told, then)
}

/// [`super::NotDone::TooManyTurns`]
pub(super) fn too_many(lang: Lang, most: u16) -> Said {
    let form = form(lang, Verb::Deprive);
    match lang {
        Lang::Ru => Said::new(
            format!(
                "Так надолго голоса не лишают: не больше {most} {}.",
                plural(lang, u64::from(most), "хода", "ходов", "ходов")
            ),
            format!("Пишите так: {form} Кому больше не играть, того исключают."),
        ),
        Lang::En => Said::new(
            format!("a vote is taken for {most} turns at most"),
            format!("Write: {form} Who shall play no more is expelled."),
        ),
    }
}

/// [`super::NotDone::NoTurns`]
pub(super) fn no_turns(lang: Lang, said: &str) -> Said {
    let form = form(lang, Verb::Deprive);
    match lang {
        Lang::Ru => Said::new(
            format!("Не понять, на сколько ходов: «{said}»."),
            format!("После двоеточия нужно число: {form} Без него голоса не будет один ход."),
        ),
        Lang::En => Said::new(
            format!("\"{said}\" is no number of turns"),
            format!("Behind the colon stands a number: {form} Without it the vote is taken for one turn."),
        ),
    }
}

/// [`super::NotDone::DeprivedLonger`]
pub(super) fn stand_longer(lang: Lang, longer: &[(String, u16)]) -> Said {
    match lang {
        Lang::Ru => Said::new(
            format!("Ничего не изменилось, раньше назначено дольше: {}.", until(lang, longer)),
            "Сократить это нельзя, кончится оно само.",
        ),
        Lang::En => Said::new(
            format!("nothing has changed, an earlier loss is longer: {}", until(lang, longer)),
            "It can't be made shorter, and ends by itself.",
        ),
    }
}

/// [`super::NotDone::NoReason`]
pub(super) fn no_reason(lang: Lang, verb: Verb, nick: &str) -> Said {
    let form = form(lang, verb);
    match lang {
        Lang::Ru => Said::new(
            "Не сказано, за что. Игрок прочтёт ваши слова в своём письме: без них ему не понять, что случилось.",
            format!("Пишите так: {}", form.replacen("Ник", nick, 1)),
        ),
        Lang::En => Said::new(
            "you did not say what for: the player reads these words in a letter, and would not know why",
            format!("Write: {}", form.replacen("Nick", nick, 1)),
        ),
    }
}

/// [`super::NotDone::NotInForm`]
pub(super) fn not_in_form(lang: Lang, verb: Verb) -> Said {
    let form = form(lang, verb);
    // A word that stands alone is told in quotes, lest it begin a line.
    let alone = !form.contains('‹');
    match lang {
        Lang::Ru => Said::new(
            "Похоже на распоряжение, но по такой строке не понять точно, на какое.",
            if alone {
                format!("Пишите так, и больше в строке ничего: «{form}».")
            } else {
                format!("Пишите так: {form}")
            },
        ),
        Lang::En => Said::new(
            "it looks like an order, but such a line does not say exactly which",
            if alone { format!("Write, with nothing else in the line: \"{form}\".") } else { format!("Write: {form}") },
        ),
    }
}

/// «Глеб до хода 5 включительно».
fn until(lang: Lang, longer: &[(String, u16)]) -> String {
    let one = |(nick, turn): &(String, u16)| match lang {
        Lang::Ru => format!("{nick} до хода {turn} включительно"),
        Lang::En => format!("{nick} up to turn {turn}"),
    };
    longer.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn counted(lang: Lang, turns: u16) -> String {
    let unit = match lang {
        Lang::Ru => plural(lang, u64::from(turns), "ход", "хода", "ходов"),
        Lang::En => plural(lang, u64::from(turns), "turn", "turns", "turns"),
    };
    format!("{turns} {unit}")
}
