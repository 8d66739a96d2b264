//! The form of each order as our letters teach it, and what a word that stands alone is for.

use crate::letters::Lang;
use crate::request::orders::Verb;

pub(super) fn russian(verb: Verb) -> &'static str {
    match verb {
        Verb::Open => "Открыть - ‹2026-12-05 21:00›",
        Verb::Close => "Закрыть",
        Verb::Accept => "Принять - ‹Ник, Ник›",
        Verb::Decline => "Отклонить - ‹Ник, Ник›",
        Verb::Start => "Начать",
        Verb::Deadline => "Дедлайн - ‹2026-12-05 21:00›",
        Verb::Extend => "Продлить - ‹+2ч›",
        Verb::Skip => "Пропустить - ‹31 декабря, 1-8 января›",
        Verb::Pause => "Пауза",
        Verb::Resume => "Продолжить",
        Verb::Resolve => "Закрыть ход",
        Verb::Publish => "Опубликовать",
        Verb::Preview => "Предпросмотр",
        Verb::Story => "Сюжет - ‹ваши слова›",
        Verb::Rule => "Решение - ‹Ник: жив, ваши слова›",
        Verb::Undo => "Отменить ход",
        Verb::Warn => "Предупреждение - ‹Ник: ваши слова›",
        Verb::Deprive => "Лишить голоса - ‹Ник, Ник: 2›",
        Verb::Forgive => "Простить - ‹Ник›",
        Verb::Expel => "Исключить - ‹Ник: ваши слова›",
        Verb::Replace => "Замена - ‹Ник: адрес›",
        Verb::Posted => "Опубликовано - ‹https://…›",
        Verb::Wrote => "Писали - ‹Ник, Ник›",
        Verb::Silent => "Молчали - ‹Ник, Ник›",
        Verb::Feed => "Лента - ‹https://…›",
        Verb::Finish => "Закончить - ‹город›",
        Verb::Cancel => "Отменить игру",
        Verb::Why => "Почему - ‹Ник›",
        Verb::Status => "Статус",
        Verb::Help => "Помощь",
    }
}

pub(super) fn english(verb: Verb) -> &'static str {
    match verb {
        Verb::Open => "Open - ‹2026-12-05 21:00›",
        Verb::Close => "Close",
        Verb::Accept => "Accept - ‹Nick, Nick›",
        Verb::Decline => "Decline - ‹Nick, Nick›",
        Verb::Start => "Start",
        Verb::Deadline => "Deadline - ‹2026-12-05 21:00›",
        Verb::Extend => "Extend - ‹+2h›",
        Verb::Skip => "Skip - ‹31 December, 1-8 January›",
        Verb::Pause => "Pause",
        Verb::Resume => "Resume",
        Verb::Resolve => "Resolve",
        Verb::Publish => "Publish",
        Verb::Preview => "Preview",
        Verb::Story => "Story - ‹your words›",
        Verb::Rule => "Rule - ‹Nick: alive, your words›",
        Verb::Undo => "Undo",
        Verb::Warn => "Warn - ‹Nick: your words›",
        Verb::Deprive => "Deprive - ‹Nick, Nick: 2›",
        Verb::Forgive => "Forgive - ‹Nick›",
        Verb::Expel => "Expel - ‹Nick: your words›",
        Verb::Replace => "Replace - ‹Nick: address›",
        Verb::Posted => "Posted - ‹https://…›",
        Verb::Wrote => "Wrote - ‹Nick, Nick›",
        Verb::Silent => "Silent - ‹Nick, Nick›",
        Verb::Feed => "Feed - ‹https://…›",
        Verb::Finish => "Finish - ‹town›",
        Verb::Cancel => "Cancel game",
        Verb::Why => "Why - ‹Nick›",
        Verb::Status => "Status",
        Verb::Help => "Help",
    }
}

/// What a word that stands alone is for, in Russian and in English; None for an order that takes an argument.
pub(super) fn purpose(verb: Verb) -> Option<(&'static str, &'static str)> {
    let purpose = match verb {
        Verb::Close => ("закончить запись", "close sign-up"),
        Verb::Start => ("раздать роли и начать", "deal the roles and begin"),
        Verb::Pause => ("остановить срок", "stop the clock"),
        Verb::Resume => ("пустить срок дальше", "let the clock run on"),
        Verb::Resolve => ("закончить ход сейчас", "end the turn now"),
        Verb::Publish => ("обнародовать итоги закрытого хода", "make a closed turn known"),
        Verb::Preview => {
            ("увидеть письма закрытого хода до публикации", "see the letters of a closed turn before they leave")
        }
        Verb::Undo => ("отозвать расчёт хода", "take the resolution of a turn back"),
        Verb::Cancel => ("оставить игру без победителя", "end the game without a winner"),
        Verb::Status => ("узнать, как стоит игра", "learn how the game stands"),
        Verb::Help => ("получить этот список", "get this list"),
        _ => return None,
    };
    Some(purpose)
}

/// English words for the command line: a verb in backticks, or a form of a letter, becomes the command that does it.
pub fn for_the_shell(said: &str) -> String {
    Verb::ALL.iter().fold(said.to_owned(), |said, verb| {
        let taught = verb.taught(Lang::En);
        let command = if *verb == Verb::Status { "show" } else { taught };
        let said = said.replace(&format!("`{taught}`"), &format!("`omerta game {command}`"));
        let form = english(*verb);
        let Some(argument) = form.split_once('‹').and_then(|(_, rest)| rest.strip_suffix('›')) else { return said };
        let argument = match verb {
            Verb::Deprive => "Nick Nick --turns 2".to_owned(),
            _ => argument.replace("Nick, Nick", "Nick Nick").replace(": ", " ").replace("alive, ", "alive "),
        };
        said.replace(form, &format!("`omerta game {command} TAG {argument}`"))
    })
}
