//! The words of [`super`] in Russian.

use jiff::Timestamp;

use super::forms::russian as form;
use super::{Did, NotDone, Said, discipline, local};
use crate::feed::address::NoFeedAddress;
use crate::letters::Lang;
use crate::letters::phrase::{Telling, plural};
use crate::request::orders::Verb;
use crate::rules::Winner;
use crate::schedule::LocalTime;

pub(super) fn did(did: &Did, zone: &str) -> Said {
    match did {
        Did::Begun { players, deadline } => Said::new(
            format!(
                "Игра началась, {} за столом. Первый срок: {}.",
                counted(*players, "игрок", "игрока", "игроков"),
                spoken(*deadline, zone)
            ),
            "Роли розданы, заново их не раздать. «Отменить игру» закончит её без победителя.",
        ),
        Did::DeadlineSet { deadline, was, local: clock } => Said::new(
            format!("Срок хода: {}.{}", spoken(*deadline, zone), of_the_clock(*clock)),
            match was {
                Some(was) => format!(
                    "Был {}. Пока это время не прошло, вернуть можно словом «Дедлайн» с ним.",
                    local(*was, zone)
                ),
                None => "Передвинуть можно словом «Дедлайн» с другим временем.".to_owned(),
            },
        ),
        Did::DeadlineStands { deadline } => Said::new(
            format!("Срок и так стоит на это время: {}. Игрокам ничего не посылали.", spoken(*deadline, zone)),
            "Передвинуть срок можно словом «Дедлайн» с другим временем.",
        ),
        Did::Skipping { dates, .. } if dates.is_empty() => {
            Said::new("Пропущенных дат нет.", "Пропустить дни можно словом «Пропустить» с датами.")
        }
        Did::Skipping { dates, stays } => Said::new(
            format!("Ходы сами не кончаются в эти дни: {dates}."),
            match stays {
                Some(stays) => format!(
                    "Назначенный срок, {}, остаётся на месте; передвинуть его можно словом «Дедлайн».",
                    spoken(*stays, zone)
                ),
                None => "Вернуть все дни: слово «Пропустить» и после тире «нет».".to_owned(),
            },
        ),
        Did::TurnOver { turn } => Said::new(
            format!("Ход {turn} окончен этой секундой. Закроется он, когда дойдут письма, которые уже в пути."),
            "Передумали — пока ход не закрыт, «Дедлайн» с новым временем продолжит его. После закрытия «Отменить ход» \
             отзовёт расчёт (последний ход игры — только до публикации), но голосование заново не откроется.",
        ),
        Did::Paused => Said::new("Игра на паузе: заявки принимаются, срок не идёт.", "Дальше: «Продолжить»."),
        Did::Resumed { deadline } => Said::new(
            format!("Игра идёт дальше. Срок хода: {}.", spoken(*deadline, zone)),
            "Остановить снова: «Пауза».",
        ),
        Did::ClockBelieved => Said::new("Часы верны, и всё, чему пора, идёт дальше.", "Делать ничего не нужно."),
        Did::Published => Said::new(
            "Итоги опубликованы.",
            "Отозвать их, пока не закрыт следующий ход, можно словом «Отменить ход»: поправку получат те, чьи письма \
             изменятся. Если игра этим окончена, уже нельзя.",
        ),
        Did::Previewed => Said::new("Предпросмотр отправлен всем ведущим.", "Итоги выйдут по слову «Опубликовать»."),
        Did::StoryTold { turn, replaced } => Said::new(
            format!(
                "Сюжет принят{}: им откроется сводка хода {turn}.",
                if *replaced { ", прежний отброшен" } else { "" }
            ),
            "Новый «Сюжет» заменит этот.",
        ),
        Did::TakenBack { turn, published: false } => Said::new(
            format!("Расчёт хода {turn} отменён, ваши решения по нему сняты. Голосование не открывается заново."),
            "Рассчитать его снова, вместе с письмами, которые пришли вовремя, но нашлись поздно: «Закрыть ход».",
        ),
        Did::TakenBack { turn, published: true } => Said::new(
            format!(
                "Итоги хода {turn} отозваны: письма, которые ещё не ушли, отменены, заявки на следующий ход сохранены, \
                 ваши решения по этому ходу сняты. Голосование не открывается заново."
            ),
            "Решения, которые остаются в силе, пришлите снова: «Решение»; «Закрыть ход» рассчитает ход снова. Потом «Опубликовать»: поправку \
             получат только те, чьи письма изменились.",
        ),
        Did::JudgedAgain { turn, published: false } => {
            Said::new(format!("Ход {turn} рассчитан заново."), "Итоги выйдут по слову «Опубликовать».")
        }
        Did::JudgedAgain { turn, published: true } => Said::new(
            format!("Ход {turn} рассчитан заново и опубликован."),
            "Отозвать итоги, пока не закрыт следующий ход, можно словом «Отменить ход»: поправку получат те, чьи письма \
             изменятся. Если игра этим окончена, уже нельзя.",
        ),
        Did::Ruled { nick, alive } => Said::new(
            format!(
                "Решено: игрок {nick} {}. Ход рассчитан заново, предпросмотр отправлен.",
                if *alive { "жив" } else { "мёртв" }
            ),
            "Итоги выйдут по слову «Опубликовать»; «Отменить ход», до публикации или после, снимет все решения по этому ходу.",
        ),
        Did::Cancelled => Said::new("Игра отменена.", "Вернуть это нельзя."),
        Did::Replaced { nick } => Said::new(
            format!(
                "Замена сделана: за ник {nick} теперь играет другой человек. Роль и всё, что знал прежний, отправлены ему, прежний адрес больше ничего не может."
            ),
            "Если у ника есть пароль от форума, смените его. Вернуть прежнего: «Замена» с тем же ником и прежним адресом.",
        ),
        Did::SeatOffered { nick, who, until } => Said::new(
            format!(
                "Спросили {}, возьмёт ли он место игрока {nick}. Ответа ждём до срока: {}. Потом спросим следующего; о каждом шаге напишем.",
                first_in_line(who),
                local(*until, zone)
            ),
            format!("Назвать человека самому: {}", form(Verb::Replace)),
        ),
        Did::AccountsTaken { accounts } => Said::new(
            format!("Форумных ников с паролями принято: {accounts}. Пароли зашифрованы, файл с ними больше не нужен."),
            "До начала игры новый файл заменит этот.",
        ),
        Did::PasswordsChanged { nicks } => Said::new(
            format!("Пароли сменены. Письмо о роли снова получили: {}.", nicks.join(", ")),
            "Ещё один файл сменит их снова.",
        ),
        Did::Posted { link } => {
            Said::new(format!("Записано: итоги опубликованы, {link}"), "Если ссылка не та, пришлите другую.")
        }
        Did::Wrote { nicks, again } => Said::new(
            format!("Записано, кто писал в теме: {}.{}", nicks.join(", "), judged_again(*again)),
            "Отменить, пока итоги хода не вышли: «Молчали» с теми же никами.",
        ),
        Did::Silent { nicks, by_itself, again } => Said::new(
            format!(
                "Записано, кто молчал в теме: {}.{} {}",
                nicks.join(", "),
                judged_again(*again),
                if *by_itself {
                    "Предупреждение (а за второе молчание исключение) придёт с итогами хода."
                } else {
                    "Что с ними делать, решает ведущий: «Предупреждение» или «Исключить»."
                }
            ),
            "Отменить, пока итоги хода не вышли: «Писали» с теми же никами.",
        ),
        Did::FeedSet { host: Some(host), was } => Said::new(
            format!(
                "Ленту темы этой игры читаем с {host}. За молчание судим только там, где тема видна целиком: что \
                 написано до этой минуты в другой теме, в счёт не идёт."
            ),
            match was {
                Some(was) => format!(
                    "Прежняя лента была с {was}: вернёт её «Лента» с прежней ссылкой. Не читать никакой: «Лента» и \
                     после тире «нет»."
                ),
                None => "Больше её не читать: «Лента» и после тире «нет».".to_owned(),
            },
        ),
        Did::FeedSet { host: None, was } => Said::new(
            "Лента темы в этой игре больше не читается: кто молчал, скажете вы или модератор.",
            match was {
                Some(was) => format!("Прежняя лента была с {was}: вернёт её «Лента» с прежней ссылкой."),
                None => format!("Читать её: {}", form(Verb::Feed)),
            },
        ),
        Did::Finished { winner } => Said::new(
            format!("Игра закончена: {}. Последнее письмо с ролями и голосованиями отправлено всем.", won(*winner)),
            "Вернуть это нельзя.",
        ),
        Did::Expelled { nick } => Said::new(format!("Исключение объявлено: {nick}."), "Вернуть это нельзя."),
        Did::Warned { nick } => {
            Said::new(format!("Предупреждение отправлено: {nick}."), "Само по себе предупреждение ничего не меняет.")
        }
        Did::Deprived { nicks, turns, longer, first_court } => {
            discipline::did(Lang::Ru, nicks, *turns, longer, *first_court)
        }
        Did::Forgiven { what, nick, without } => discipline::forgiven(Lang::Ru, *what, nick.as_deref(), without),
        Did::MissesOfTurnForgiven { published: true } => Said::new(
            "Все пропуски этого хода прощены, итоги опубликованы.",
            "Отозвать итоги, пока не закрыт следующий ход, можно словом «Отменить ход»: поправку получат те, чьи \
                 письма изменятся. Прощение останется. Если игра на этом закончилась, отозвать нельзя.",
        ),
        Did::MissesOfTurnForgiven { published: false } => {
            Said::new("Все пропуски этого хода прощены.", "Итоги выйдут по слову «Опубликовать».")
        }
        Did::SignupOpened { until, min, max, again, commitment } => Said::new(
            format!(
                "Запись открыта{}{}{}. Отпечаток зерна жребия (SHA-256), объявите его в теме: {commitment}.",
                if *again { ", условия новые" } else { "" },
                until.map(|until| format!(" до срока: {}", spoken(until, zone))).unwrap_or_default(),
                limits(*min, *max),
            ),
            "Закончить запись: «Закрыть». Сменить условия: «Открыть» с новыми.",
        ),
        Did::SignupClosed { players, waiting, lacking } => Said::new(
            format!(
                "Запись закрыта. С местом {}, в очереди {waiting}.{}",
                counted(*players, "игрок", "игрока", "игроков"),
                if lacking.is_empty() {
                    String::new()
                } else {
                    format!(" Не хватает характеристики или фотографии: {}.", lacking.join(", "))
                }
            ),
            "Дальше: «Начать». Открыть запись снова: «Открыть».",
        ),
        Did::Accepted { nick, waits: false } => {
            Said::new(format!("Заявка принята: {nick}. Письмо об этом ушло."), "Передумать: «Отклонить» с этим ником.")
        }
        Did::Accepted { nick, waits: true } => Said::new(
            format!("Заявка принята: {nick}. Но мест нет, и пока это очередь в порядке прихода."),
            "Прибавить мест: «Открыть» с новым числом игроков. Передумать: «Отклонить» с этим ником.",
        ),
        Did::Declined { nick } => {
            Said::new(format!("Заявка отклонена: {nick}. Письмо об этом ушло."), "Передумать: «Принять» с этим ником.")
        }
        Did::AcceptedAll { nicks, waiting } if waiting.is_empty() => Said::new(
            format!("Приняты заявки: {}. Письма об этом ушли.", nicks.join(", ")),
            "Передумать: «Отклонить» с этими никами.",
        ),
        Did::AcceptedAll { nicks, waiting } => Said::new(
            format!(
                "{}, они в очереди: {}. Письма об этом ушли.",
                if nicks.is_empty() {
                    "Мест нет".to_owned()
                } else {
                    format!("Приняты заявки: {}. На остальных мест нет", nicks.join(", "))
                },
                waiting.join(", ")
            ),
            "Прибавить мест: «Открыть» с новым числом игроков. Передумать: «Отклонить» с этими никами.",
        ),
        Did::DeclinedAll { nicks } => Said::new(
            format!("Отклонены заявки: {}. Письма об этом ушли.", nicks.join(", ")),
            "Передумать: «Принять» с этими никами.",
        ),
    }
}

fn judged_again(turn: Option<u16>) -> String {
    turn.map(|turn| format!(" Ход {turn} рассчитан заново.")).unwrap_or_default()
}

fn named(nicks: &[String]) -> String {
    super::named(nicks, "без ника")
}

fn first_in_line(nick: &str) -> String {
    if nick.is_empty() {
        "первого в очереди".to_owned()
    } else {
        format!("первого в очереди (ник в заявке: {nick})")
    }
}

fn limits(min: Option<u16>, max: Option<u16>) -> String {
    match (min, max) {
        (None, None) => String::new(),
        (Some(min), None) => format!(", игроков не меньше {min}"),
        (None, Some(max)) => format!(", игроков не больше {max}"),
        (Some(min), Some(max)) => format!(", игроков от {min} до {max}"),
    }
}

/// «пятница, 20 марта 2026 года, 23:00 (Берлин)». What the host may copy into an order stands in figures instead
/// ([`local`]).
fn spoken(moment: Timestamp, zone: &str) -> String {
    Telling { lang: Lang::Ru, zone: zone.to_owned(), now: moment }.dated(moment)
}

fn counted(n: u16, one: &str, few: &str, many: &str) -> String {
    format!("{n} {}", plural(Lang::Ru, u64::from(n), one, few, many))
}

fn won(winner: Winner) -> &'static str {
    match winner {
        Winner::Town => "победил город",
        Winner::Mafia => "победила мафия",
        Winner::Maniac => "победил маньяк",
        Winner::Draw => "ничья",
    }
}

/// «до 100 знаков»: after a comparison.
fn signs(n: u16) -> String {
    format!("{n} {}", plural(Lang::Ru, u64::from(n), "знака", "знаков", "знаков"))
}

/// «не дальше 21 дня», «не дальше 90 дней».
fn days_after(n: u16) -> &'static str {
    plural(Lang::Ru, u64::from(n), "дня", "дней", "дней")
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
        NotDone::PastTime => Said::new("Это время уже прошло.", "Чтобы закончить ход сразу, напишите: «Закрыть ход»."),
        NotDone::TooFar => Said::new("Осталось слишком много времени.", "Назначьте срок сами."),
        NotDone::TooFarAhead { days } => Said::new(
            format!("Это слишком далеко: срок может быть не дальше {days} {} от этой минуты.", days_after(*days)),
            "Назовите время поближе; передвинуть его потом можно ещё раз.",
        ),
        NotDone::TitleUnfit { most } => Said::new(
            format!("Название игры — одна строка, не длиннее {}.", signs(*most)),
            "Дайте название покороче; остальное напишите в словах к игрокам.",
        ),
        NotDone::TextTooLong { most } => Said::new(
            format!("Слова к игрокам слишком длинные: умещается {}.", counted(*most, "знак", "знака", "знаков")),
            "Сократите их или дайте ссылку на тему.",
        ),
        NotDone::NothingToPost => Said::new(
            "Игра ещё не началась, и публиковать пока нечего.",
            "Пришлите ссылку, когда итоги хода будут стоять в теме.",
        ),
        NotDone::EndIsTold => Said::new(
            "Игра окончена, роли и зерно жребия открыты всем: отозвать это уже нельзя.",
            "Если в последнем письме что-то не так, напишите об этом в теме.",
        ),
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
        NotDone::NothingToForgive { what, nick } => discipline::nothing_to_forgive(Lang::Ru, *what, nick.as_deref()),
        NotDone::TooManyTurns { most } => discipline::too_many(Lang::Ru, *most),
        NotDone::NoTurns { said } => discipline::no_turns(Lang::Ru, said),
        NotDone::DeprivedLonger { longer } => discipline::stand_longer(Lang::Ru, longer),
        NotDone::NothingToPublish => {
            Said::new("Закрытого хода, который ждёт публикации, нет.", "Как стоит игра, скажет «Статус».")
        }
        NotDone::NothingToTakeBack => Said::new("Отменять сейчас нечего.", "Как стоит игра, скажет «Статус»."),
        NotDone::NothingToRule => Said::new(
            "Решать сейчас нечего: закрытого хода, который ждёт публикации, нет.",
            "Если ход уже опубликован, сначала «Отменить ход».",
        ),
        NotDone::NotJudged => Said::new("Расчёт хода отменён, показывать пока нечего.", "Сначала «Закрыть ход»."),
        NotDone::WaitsForShot => {
            Said::new("Ход ждёт последнего слова (pistol_mode = \"window\").", "Окно закроется само.")
        }
        NotDone::UnknownNick { said, nicks } => {
            Said::new(format!("Игрока {said} в игре нет."), format!("Играют: {}.", nicks.join(", ")))
        }
        NotDone::OutAlready { nick } => Said::new(format!("{nick} уже вне игры."), "Делать ничего не нужно."),
        NotDone::HostsWord => {
            Said::new("Это слово ведущего.", "От модераторов понимаем «Опубликовано», «Писали» и «Молчали».")
        }
        NotDone::BelowSignature => Said::new(
            "Строка стоит ниже подписи, а там трудно понять, ваша ли она.",
            "Если ваша, пришлите её ещё раз, выше подписи.",
        ),
        NotDone::NotAsked => Said::new(
            "Когда пришло письмо, выполнить это было нельзя, поэтому в нашем вопросе этой строки не было.",
            "Если это всё ещё нужно, пришлите строку ещё раз: мы переспросим.",
        ),
        NotDone::NoLink => Said::new("На ссылку это не похоже.", format!("Пишите так: {}", form(Verb::Posted))),
        NotDone::FeedUnfit { why: NoFeedAddress::NoLink } => {
            Said::new("На ссылку на ленту темы это не похоже.", format!("Пишите так: {}", form(Verb::Feed)))
        }
        NotDone::FeedUnfit { why: NoFeedAddress::InTheClear } => Said::new(
            "Эта ссылка ведёт по открытому каналу (http): по дороге видно, кто пишет.",
            format!("Нужна ссылка с https: {}", form(Verb::Feed)),
        ),
        NotDone::FeedUnfit { why: NoFeedAddress::HoldsPassword } => Said::new(
            "В ссылке стоят имя и пароль, а паролю в письмах не место.",
            format!("Нужна ссылка без них: {} Читается только лента, открытая всем.", form(Verb::Feed)),
        ),
        NotDone::FeedUnfit { why: NoFeedAddress::Inside } => Said::new(
            "По письму мы не берём ни голых IP-адресов, ни машин из сети самого сервера.",
            format!("Дайте ссылку с именем форума: {}", form(Verb::Feed)),
        ),
        NotDone::AddressUnfit => {
            Said::new("На почтовый адрес игрока это не похоже.", format!("Пишите так: {}", form(Verb::Replace)))
        }
        NotDone::AddressTaken => Said::new(
            "С этим адресом в этой игре уже кто-то есть или был: один адрес играет один раз.",
            "Дайте другой адрес.",
        ),
        NotDone::AddressSame => Said::new("Это и есть адрес этого игрока.", "Дайте адрес того, кто его заменит."),
        NotDone::NobodyWaits => Said::new(
            "В очереди нет никого, кто мог бы взять это место.",
            format!("Назовите человека сами: {}", form(Verb::Replace)),
        ),
        NotDone::OfferedAlready { nick, who } => Said::new(
            format!("О месте игрока {nick} уже спросили {}, ждём ответа.", first_in_line(who)),
            format!("Назвать человека самому: {}", form(Verb::Replace)),
        ),
        NotDone::SilentPlayers { nicks } => Said::new(
            format!("Пока не начали. На первое письмо не ответили: {}.", named(nicks)),
            "Подождите их или скажите «Начать» ещё раз: тогда начнём без их ответа, а роли получат и они.",
        ),
        NotDone::HandshakeFirst => Said::new(
            "Запись ещё открыта, и первых писем никому не отправлено (handshake = true).",
            "Сначала «Закрыть»: каждый получит письмо, на которое нужно ответить.",
        ),
        NotDone::TooFewAccounts { accounts, players } => Said::new(
            format!(
                "На {} {}: не хватает.",
                counted(*players, "игрока", "игроков", "игроков"),
                counted(*accounts, "форумный ник", "форумных ника", "форумных ников")
            ),
            "Дайте файл, где ников не меньше, чем игроков: omerta game accounts.",
        ),
        NotDone::UnknownAccount { name } => Said::new(
            format!("Форумного ника {name} в этой игре нет."),
            "Во время игры меняются только пароли тех ников, что уже розданы.",
        ),
        NotDone::AccountNoNick { line, what } => Said::new(
            format!("Строка {line}: форумный ник не годится в ники игры: {what}."),
            "Дайте форумному аккаунту другое имя.",
        ),
        NotDone::NoKey { what } => {
            Said::new("Ключа от форумных паролей нет или он не тот (key_file).", format!("Что с ним: {what}"))
        }
        NotDone::NoSuchWinner { said } => {
            Said::new(format!("Стороны «{said}» в игре нет."), "Пишите: город, мафия, маньяк или ничья.")
        }
        NotDone::Incomplete { verb } => {
            Said::new("В строке чего-то не хватает.", format!("Пишите так: {}", form(*verb)))
        }
        NotDone::NotInForm { verb } => discipline::not_in_form(Lang::Ru, *verb),
        NotDone::NoReason { verb, nick } => discipline::no_reason(Lang::Ru, *verb, nick),
        NotDone::CantDeal { fault } => {
            Said::new(format!("Раздать роли не выходит: {fault}."), "Поправьте состав или правила.")
        }
        NotDone::HasRoster => {
            Said::new("Состав этой игры задан списком, записи в неё нет.", "Заведите игру без списка.")
        }
        NotDone::SignupNotOpen => Said::new("Запись не открыта.", "Открыть её: «Открыть»."),
        NotDone::BadLimits { .. } => {
            Said::new("С таким числом игроков не выйдет.", "Пишите наименьшее и наибольшее: 7-12.")
        }
        NotDone::UnknownApplicant { said, nicks } if nicks.is_empty() => {
            Said::new(format!("Заявки от игрока {said} нет."), "Заявок с ником пока нет ни одной.")
        }
        NotDone::UnknownApplicant { said, nicks } => {
            Said::new(format!("Заявки от игрока {said} нет."), format!("Есть заявки: {}.", nicks.join(", ")))
        }
        NotDone::JudgedAlready { nick } => Said::new(format!("Так уже и есть: {nick}."), "Делать ничего не нужно."),
        NotDone::NoRoom { nick } => Said::new(
            format!("{nick} в очереди, свободных мест нет."),
            "Прибавьте мест: «Открыть» с новым числом игроков; очередь сдвинется сама.",
        ),
        NotDone::NickTaken { nick } => {
            Said::new(format!("Ник {nick} за это время заняли."), "Пусть в заявке будет другой ник.")
        }
        NotDone::TooFew { players, min } => Said::new(
            format!("Мест занято {players}, а нужно не меньше {min}."),
            "Подождите ещё заявок или уменьшите число: «Открыть».",
        ),
        NotDone::Nameless { players } => Said::new(
            format!("Без ника пока {}, а играть без него нельзя.", counted(*players, "игрок", "игрока", "игроков")),
            "Пусть пришлют заявку с именем персонажа.",
        ),
        NotDone::UnknownZone { zone } => Said::new(format!("Пояс {zone} неизвестен."), "Поправьте timezone."),
    }
}
