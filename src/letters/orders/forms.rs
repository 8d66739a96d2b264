//! The form of each order as our letters teach it, and what a word that stands alone is for.

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
        Verb::Finish => "Закончить - ‹город›",
        Verb::Cancel => "Отменить игру",
        Verb::Why => "Почему - ‹Ник›",
        Verb::Status => "Статус",
        Verb::Help => "Помощь",
    }
}

pub(super) fn purpose_in_russian(verb: Verb) -> &'static str {
    match verb {
        Verb::Close => "закончить запись",
        Verb::Start => "раздать роли и начать",
        Verb::Pause => "остановить срок",
        Verb::Resume => "пустить срок дальше",
        Verb::Resolve => "закончить ход сейчас",
        Verb::Publish => "обнародовать итоги закрытого хода",
        Verb::Preview => "увидеть письма закрытого хода до публикации",
        Verb::Undo => "отозвать расчёт хода",
        Verb::Cancel => "оставить игру без победителя",
        Verb::Status => "узнать, как стоит игра",
        Verb::Help => "получить этот список",
        Verb::Open
        | Verb::Accept
        | Verb::Decline
        | Verb::Story
        | Verb::Rule
        | Verb::Deadline
        | Verb::Extend
        | Verb::Skip
        | Verb::Warn
        | Verb::Deprive
        | Verb::Forgive
        | Verb::Expel
        | Verb::Replace
        | Verb::Finish
        | Verb::Posted
        | Verb::Wrote
        | Verb::Silent
        | Verb::Why => "",
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
        Verb::Finish => "Finish - ‹town›",
        Verb::Cancel => "Cancel game",
        Verb::Why => "Why - ‹Nick›",
        Verb::Status => "Status",
        Verb::Help => "Help",
    }
}

pub(super) fn purpose_in_english(verb: Verb) -> &'static str {
    match verb {
        Verb::Close => "close sign-up",
        Verb::Start => "deal the roles and begin",
        Verb::Pause => "stop the clock",
        Verb::Resume => "let the clock run on",
        Verb::Resolve => "end the turn now",
        Verb::Publish => "make a closed turn known",
        Verb::Preview => "see the letters of a closed turn before they leave",
        Verb::Undo => "take the resolution of a turn back",
        Verb::Cancel => "end the game without a winner",
        Verb::Status => "learn how the game stands",
        Verb::Help => "get this list",
        Verb::Open
        | Verb::Accept
        | Verb::Decline
        | Verb::Story
        | Verb::Rule
        | Verb::Deadline
        | Verb::Extend
        | Verb::Skip
        | Verb::Warn
        | Verb::Deprive
        | Verb::Forgive
        | Verb::Expel
        | Verb::Replace
        | Verb::Finish
        | Verb::Posted
        | Verb::Wrote
        | Verb::Silent
        | Verb::Why => "",
    }
}
