//! The words of [`super`] in Russian.

use super::{Did, Forgiven, NotDone, Said, local};
use crate::letters::Lang;
use crate::letters::phrase::plural;
use crate::request::orders::Verb;
use crate::schedule::LocalTime;

pub(super) fn did(did: &Did, zone: &str) -> Said {
    match did {
        Did::Begun { players, deadline } => Said::new(
            format!(
                "Игра началась, {} за столом. Первый срок: {}.",
                counted(*players, "игрок", "игрока", "игроков"),
                local(*deadline, zone)
            ),
            "Роли розданы, заново их не раздать. «Отменить игру» закончит её без победителя.",
        ),
        Did::DeadlineSet { deadline, was, local: clock } => Said::new(
            format!("Срок хода: {}.{}", local(*deadline, zone), of_the_clock(*clock)),
            match was {
                Some(was) => format!("Был {}; вернуть можно словом «Дедлайн» с этим временем.", local(*was, zone)),
                None => "Передвинуть можно словом «Дедлайн» с другим временем.".to_owned(),
            },
        ),
        Did::Skipping { dates, .. } if dates.is_empty() => {
            Said::new("Пропущенных дат нет.", "Пропустить дни можно словом «Пропустить» с датами.")
        }
        Did::Skipping { dates, stays } => Said::new(
            format!("Ходы сами не кончаются в эти дни: {dates}."),
            match stays {
                Some(stays) => format!(
                    "Назначенный срок, {}, остаётся на месте; передвинуть его можно словом «Дедлайн».",
                    local(*stays, zone)
                ),
                None => "Вернуть все дни: слово «Пропустить» и после тире «нет».".to_owned(),
            },
        ),
        Did::TurnOver { turn } => Said::new(
            format!("Ход {turn} окончен этой секундой. Закроется он, когда дойдут письма, которые уже в пути."),
            "Вернуть это нельзя.",
        ),
        Did::Paused => Said::new("Игра на паузе: заявки принимаются, срок не идёт.", "Дальше: «Продолжить»."),
        Did::Resumed { deadline } => {
            Said::new(format!("Игра идёт дальше. Срок хода: {}.", local(*deadline, zone)), "Остановить снова: «Пауза».")
        }
        Did::Published => Said::new("Итоги опубликованы.", "Ушедшие письма не вернуть."),
        Did::Cancelled => Said::new("Игра отменена.", "Вернуть это нельзя."),
        Did::Expelled { nick } => Said::new(format!("Исключение объявлено: {nick}."), "Вернуть это нельзя."),
        Did::Warned { nick } => {
            Said::new(format!("Предупреждение отправлено: {nick}."), "Само по себе предупреждение ничего не меняет.")
        }
        Did::Deprived { nicks, turns } => Said::new(
            format!("Без голоса на {}: {}.", counted(*turns, "ход", "хода", "ходов"), nicks.join(", ")),
            "Кончится это само.",
        ),
        Did::Forgiven { what, nick: None } => {
            Said::new(format!("Прощено всем: {}.", forgiven(*what)), "Вернуть это нельзя.")
        }
        Did::Forgiven { what, nick: Some(nick) } => {
            Said::new(format!("Прощено: {nick}, {}.", forgiven(*what)), "Вернуть это нельзя.")
        }
        Did::MissesOfTurnForgiven { published: true } => {
            Said::new("Все пропуски этого хода прощены, итоги опубликованы.", "Ушедшие письма не вернуть.")
        }
        Did::MissesOfTurnForgiven { published: false } => {
            Said::new("Все пропуски этого хода прощены.", "Итоги выйдут по слову «Опубликовать».")
        }
    }
}

fn counted(n: u16, one: &str, few: &str, many: &str) -> String {
    format!("{n} {}", plural(Lang::Ru, u64::from(n), one, few, many))
}

/// What the clock made of the hour that was named.
fn of_the_clock(clock: LocalTime) -> &'static str {
    match clock {
        LocalTime::Once => "",
        LocalTime::Skipped => {
            " Названный час часы перескакивают: их переводят вперёд. Срок наступит позже ровно на этот скачок."
        }
        LocalTime::Twice => " Этот час часы показывают дважды: их переводят назад. Берём тот, что раньше.",
    }
}

fn forgiven(what: Forgiven) -> &'static str {
    match what {
        Forgiven::Miss => "пропущенный голос",
        Forgiven::Silence => "молчание",
    }
}

pub(super) fn not_done(why: &NotDone) -> Said {
    match why {
        NotDone::StartedAlready => Said::new("Игра уже началась.", "Как она стоит, скажет «Статус»."),
        NotDone::NotBegun => Said::new("Игра ещё не началась.", "Сначала «Начать»."),
        NotDone::HasEnded => Said::new("Игра уже кончилась.", "Заведите новую."),
        NotDone::IsPaused => Said::new("Игра на паузе.", "Сначала «Продолжить»."),
        NotDone::NotPaused => Said::new("Игра не на паузе.", "Делать ничего не нужно."),
        NotDone::NotPlaying => Said::new("Игра сейчас не идёт.", "Как она стоит, скажет «Статус»."),
        NotDone::NoDeadline => Said::new("Срок ещё не назначен.", "Назначьте его словом «Дедлайн»."),
        NotDone::MovesNothing => Said::new("Это ничего не передвигает.", "Скажите, на сколько: +2ч."),
        NotDone::PastTime => Said::new("Это время уже прошло.", "Закончить ход сразу: «Закрыть ход»."),
        NotDone::TooFar => Said::new("Осталось слишком много времени.", "Назначьте срок сами."),
        NotDone::NoTime { said } => Said::new(
            format!("«{said}» на время не похоже."),
            "Пишите 2026-12-05 21:00, 21:00, завтра 21:00, 05.12 21:00, +90с, +2ч или +1д.",
        ),
        NotDone::NoDates { said } => Said::new(
            format!("«{said}» на будущие даты не похоже."),
            "Пишите 31 декабря, 1-8 января, или 31.12, 01.01-08.01, или 2026-12-31 - 2027-01-08, или нет.",
        ),
        NotDone::BeingClosed => Said::new("Срок прошёл, ход закрывается.", "Дождитесь итогов и напишите ещё раз."),
        NotDone::InReview { turn } => Said::new(
            format!("Ход {turn} закрыт и ждёт публикации, в нём это уже не посчитается."),
            "Сначала «Опубликовать», потом напишите ещё раз.",
        ),
        NotDone::NothingToPublish => {
            Said::new("Закрытого хода, который ждёт публикации, нет.", "Как стоит игра, скажет «Статус».")
        }
        NotDone::WaitsForShot => {
            Said::new("Ход ждёт последнего слова (pistol_mode = \"window\").", "Окно закроется само.")
        }
        NotDone::UnknownNick { said, nicks } => {
            Said::new(format!("Игрока {said} в игре нет."), format!("Играют: {}.", nicks.join(", ")))
        }
        NotDone::OutAlready { nick } => Said::new(format!("{nick} уже вне игры."), "Делать ничего не нужно."),
        NotDone::Incomplete { verb } => {
            Said::new("В строке чего-то не хватает.", format!("Пишите так: {}", form(*verb)))
        }
        NotDone::CantDeal { fault } => {
            Said::new(format!("Раздать роли не выходит: {fault}."), "Поправьте состав или правила.")
        }
        NotDone::UnknownZone { zone } => Said::new(format!("Пояс {zone} неизвестен."), "Поправьте timezone."),
    }
}

pub(super) fn form(verb: Verb) -> &'static str {
    match verb {
        Verb::Start => "Начать",
        Verb::Deadline => "Дедлайн - ‹2026-12-05 21:00›",
        Verb::Extend => "Продлить - ‹+2ч›",
        Verb::Skip => "Пропустить - ‹31 декабря, 1-8 января›",
        Verb::Pause => "Пауза",
        Verb::Resume => "Продолжить",
        Verb::Resolve => "Закрыть ход",
        Verb::Publish => "Опубликовать",
        Verb::Warn => "Предупреждение - ‹Ник: ваши слова›",
        Verb::Deprive => "Лишить голоса - ‹Ник, Ник: 2›",
        Verb::Forgive => "Простить - ‹Ник›",
        Verb::Expel => "Исключить - ‹Ник: ваши слова›",
        Verb::Cancel => "Отменить игру",
        Verb::Why => "Почему - ‹Ник›",
        Verb::Status => "Статус",
        Verb::Help => "Помощь",
    }
}

/// What a word that stands alone is for.
pub(super) fn purpose(verb: Verb) -> &'static str {
    match verb {
        Verb::Start => "раздать роли и начать",
        Verb::Pause => "остановить срок",
        Verb::Resume => "пустить срок дальше",
        Verb::Resolve => "закончить ход сейчас",
        Verb::Publish => "обнародовать итоги закрытого хода",
        Verb::Cancel => "оставить игру без победителя",
        Verb::Status => "узнать, как стоит игра",
        Verb::Help => "получить этот список",
        Verb::Deadline
        | Verb::Extend
        | Verb::Skip
        | Verb::Warn
        | Verb::Deprive
        | Verb::Forgive
        | Verb::Expel
        | Verb::Why => "",
    }
}
