//! The steps in Russian. Nicks stand in the nominative, and no verb asks for a player's gender.

use super::words::Speaker;
use super::{About, Asked, AskedEnd, NoMiss, ShotOrder, Step};
use crate::letters::Lang;
use crate::letters::facts::Fact;
use crate::letters::glossary;
use crate::letters::phrase::plural;
use crate::request::ProblemKind;
use crate::rules::admit::Refusal;
use crate::rules::grounds::{Blow, BlowEnd, Ending, HeirlessWhy, Idle, IdleWhy, KeptWhy, LostWhy, SilentWhy, Verdict};
use crate::rules::ledger::{HostAct, VoidWhy};
use crate::rules::report::{Cause, Learned, LynchOutcome, Status, When};
use crate::rules::rulebook::QuorumBase;
use crate::rules::{Kind, Role};

pub fn heading(s: &Speaker<'_>, about: About) -> String {
    match about {
        About::Lynch => "Решение суда".to_owned(),
        About::Player(who) => {
            let report = s.story.report();
            let death = report.and_then(|report| report.deaths.iter().find(|death| death.who == who));
            let expelled = report.is_some_and(|report| report.expelled.iter().any(|one| one.who == who));
            let end = match (death.map(|death| death.when), report) {
                (Some(When::Night), _) => "погибает ночью",
                (Some(When::Lynch), _) => "погибает на суде Линча",
                (None, _) if expelled => "исключение из игры",
                (None, Some(_)) => "остаётся в игре",
                (None, None) => "ход ещё не закрыт",
            };
            format!("{}: {end}", s.subject(who))
        }
        About::InVain => "Что осталось без действия".to_owned(),
        About::Ending => "Кто остался".to_owned(),
    }
}

pub fn step(s: &Speaker<'_>, step: &Step) -> String {
    match step {
        Step::Asked(asked) => line(s, asked),
        Step::Withdrew { from, second, what } => {
            let what: Vec<String> = what.iter().map(|(kind, target)| s.request(*kind, Some(*target), "")).collect();
            format!("{}, письмо от {}: отозвано «{}»", s.subject(*from), s.arrival(*second), what.join("», «"))
        }
        Step::Unread { from, second, problem, .. } => {
            let why = match problem {
                Some(ProblemKind::NoArgument) => "нет ника",
                Some(ProblemKind::NoText) => "нет текста",
                Some(ProblemKind::NoSeparator) => "нет тире между словом и ником",
                Some(ProblemKind::SubjectReply) => "она стоит только в теме ответа",
                Some(ProblemKind::Undecodable) => "письмо не читается",
                Some(ProblemKind::MisspeltWord) => "слово заявки написано с ошибкой",
                Some(ProblemKind::DoubtfulText) => "непонятно, где кончается текст",
                Some(ProblemKind::BelowSignature) => "строка стоит под подписью",
                Some(ProblemKind::InBrackets) => "ник стоит в скобках примера",
                None => "сейчас такое не принимается",
            };
            format!("{}, письмо от {}: строка не понята, {why}", s.subject(*from), s.arrival(*second))
        }
        Step::HostActed { act, second } => {
            let (who, what) = match act {
                HostAct::Expel { who, left: true } => (who, "выход из игры по своей просьбе".to_owned()),
                HostAct::Expel { who, left: false } => (who, "исключение, все заявки теряют силу".to_owned()),
                HostAct::Deprive { who, turns } => {
                    let turns = u64::from(*turns);
                    (who, format!("лишение голоса на {turns} {}", plural(Lang::Ru, turns, "ход", "хода", "ходов")))
                }
                HostAct::ForgiveMiss { who } => (who, "прощён один пропуск голосования".to_owned()),
                HostAct::ForgiveSilence { who } => (who, "прощено одно предупреждение".to_owned()),
            };
            format!("Ведущий, {}: игрок {}, {what}", s.arrival(*second), s.nick(*who))
        }
        Step::HostWarned(who) => format!("Ведущий своими словами предупреждает: игрок {}", s.nick(*who)),
        Step::Ruled { who, alive: true } => format!("Ведущий решает до публикации: игрок {} жив", s.nick(*who)),
        Step::Ruled { who, alive: false } => format!("Ведущий решает до публикации: игрок {} мёртв", s.nick(*who)),
        Step::FirstTurn => "В первом ходу суда нет".to_owned(),
        Step::Votes { candidate, voters } => {
            let count = voters.len() as u64;
            let votes = plural(Lang::Ru, count, "голос", "голоса", "голосов");
            format!("Против игрока {} {count} {votes}: {}", s.nick(*candidate), s.nicks(voters))
        }
        Step::NoVote(who) => format!("Без голоса: {}", s.nicks(who)),
        Step::NoRightToVote(who) => {
            format!("В этом ходу не имеют права голоса: {}; поэтому публикуется только итог", s.nicks(who))
        }
        Step::Quorum { most, least, base } => {
            let of = match s.story.table.game.rulebook.lynch_quorum_base {
                QuorumBase::VotesCast => "от поданных голосов",
                QuorumBase::Alive => "от живых на начало хода",
                QuorumBase::AllPlayers => "от всех, кто начинал игру",
            };
            let enough = if most >= least { "этого довольно" } else { "этого мало" };
            format!("Нужно голосов: {least} (считается {of}, их {base}); больше всего набрано {most}, {enough}")
        }
        Step::Tie { among, chosen } => {
            let chosen = chosen.map_or_else(|| "никого".to_owned(), |who| format!("игрока {}", s.nick(who)));
            format!("Поровну у нескольких: {}; жребий указывает на {chosen}", s.nicks(among))
        }
        Step::Court { outcome, chosen } => {
            let nick = chosen.map_or("", |who| s.nick(who));
            match outcome {
                LynchOutcome::Hanged => format!("Казнь: игрок {nick}"),
                LynchOutcome::AlreadyOut => format!("Выбран игрок {nick}, но его уже нет; замены ему не ищут"),
                LynchOutcome::NoQuorum => "Никто не казнён: нужного числа голосов нет ни у кого".to_owned(),
                LynchOutcome::NoVotes => "Никто не казнён: голосов нет".to_owned(),
                LynchOutcome::FirstTurn => "В первом ходу суда нет".to_owned(),
            }
        }
        Step::ClanAsleep(who) => format!("У мафии без заявки в силе и потому не в счёт: {}", s.people(who)),
        Step::Blow { blow, prey, undone } => {
            let undone = if *undone { "; ведущий решил иначе" } else { "" };
            format!("{}; {}{undone}", attack(s, blow, *prey), blow_end(blow))
        }
        Step::DoctorsElsewhere(heals) => match heals.as_slice() {
            [] => "Никто в этом ходу не лечит: помешать некому".to_owned(),
            heals => {
                let heal =
                    |(doctor, patient): &(_, _)| format!("{} лечит игрока {}", s.subject(*doctor), s.nick(*patient));
                format!("{}: помешать некому", heals.iter().map(heal).collect::<Vec<_>>().join(", "))
            }
        },
        Step::Idle(idle) => format!("{}: {}", asked(s, idle), idle_why(s, idle)),
        Step::HealedForNothing { doctor, patient } => {
            format!("{} у постели игрока {}: спасать там не от кого", s.subject(*doctor), s.nick(*patient))
        }
        Step::Shot { shot, order } => {
            let order = match order {
                ShotOrder::ThisTurn => "приказ прислан в этом ходу",
                ShotOrder::Earlier => "приказ стоит с прежнего хода",
                ShotOrder::Window => "цель названа в ответ на вопрос после гибели",
            };
            let end = if shot.killed { "смертельно" } else { "доктор спасает" };
            format!("{} стреляет: {order}, цель — игрок {}, {end}", s.subject(shot.by), s.nick(shot.at))
        }
        Step::SilentPistol(silent) => {
            let why = match silent.why {
                SilentWhy::NoOrder => "приказа нет".to_owned(),
                SilentWhy::Expelled => "исключение — не гибель".to_owned(),
                SilentWhy::Hunting => "патроны ушли на охоту".to_owned(),
                SilentWhy::TargetOut(at) => format!("цель, игрок {}, уже мертва или вне игры", s.nick(at)),
            };
            format!("{} не стреляет: {why}", s.subject(silent.by))
        }
        Step::Learned(learned) => learns(s, learned),
        Step::LostCheck(lost) => {
            let why = match lost.why {
                LostWhy::KilledByNight => "комиссар погибает в ту же ночь",
                LostWhy::Expelled => "комиссар исключён",
            };
            format!("{} проверяет игрока {}, но ответа не получает: {why}", s.subject(lost.by), s.nick(lost.about))
        }
        Step::Died(death) => match death.causes.as_slice() {
            [] => format!("Игрок {} погибает по слову ведущего", s.nick(death.who)),
            causes => format!("Игрок {} погибает; причины: {}", s.nick(death.who), s.causes(causes)),
        },
        Step::Missed { who, so_far, limit } => {
            format!("Игрок {} без голоса: пропуск {so_far}, до исключения {limit}", s.nick(*who))
        }
        Step::NoMiss { who, why } => {
            let why = match why {
                NoMiss::Out => "но пропуск не записан: в игре его уже нет",
                NoMiss::Pardoned => "но пропуск прощён",
                NoMiss::Deprived => "но пропуска в этом нет: голосовать было нельзя",
            };
            format!("Игрок {} без голоса, {why}", s.nick(*who))
        }
        Step::Silent { who, warned_before, by_hand } => {
            let then = match (by_hand, warned_before) {
                (true, _) => "предупреждает об этом только сам ведущий",
                (false, true) => "предупреждение уже было",
                (false, false) => "первое предупреждение",
            };
            format!("Игрок {} молчит в теме: {then}", s.nick(*who))
        }
        Step::Expelled(expulsion) => {
            format!(
                "Игрок {} исключён из игры, причина: {}",
                s.nick(expulsion.who),
                glossary::ground(Lang::Ru, expulsion.why)
            )
        }
        Step::Promoted(who) => format!("{}: со следующего хода комиссар", s.subject(*who)),
        Step::Converted(who) => format!("{}: со следующего хода мафиози", s.subject(*who)),
        Step::Heirless(heirless) => {
            let heir = if heirless.role == Role::Boss {
                "Подкидыш не становится мафиози"
            } else {
                "Нового комиссара нет"
            };
            let why = match (heirless.why, heirless.role) {
                (HeirlessWhy::NoHeir, Role::Boss) => "живого подкидыша нет",
                (HeirlessWhy::NoHeir, _) => "живого сержанта нет",
                (HeirlessWhy::Expulsion, _) => "исключение здесь не считается",
                (HeirlessWhy::NoClan, _) => "мафии больше нет",
            };
            format!("{heir}: {why}")
        }
        Step::NoteHanded { from, to } => {
            format!("Игрок {} оставляет предсмертную записку; она передана игроку {}", s.nick(*from), s.nick(*to))
        }
        Step::NoteKept { from, to, why } => {
            let why = match why {
                KeptWhy::Death => "после такой смерти записок не передают",
                KeptWhy::Expulsion => "после исключения записок не передают",
                KeptWhy::Addressee => "адресату её уже не передать",
            };
            format!(
                "Игрок {} оставляет предсмертную записку игроку {}; она не передана: {why}",
                s.nick(*from),
                s.nick(*to)
            )
        }
        Step::Unharmed(who) => format!("С игроком {} в этом ходу ничего не случилось", s.nick(*who)),
        Step::Public(fact) => format!("В итогах для всех названо: {}", said(s, fact)),
        Step::Hidden(fact) => format!("В итогах не названо: {}", said(s, fact)),
        Step::Private { reader, fact } => format!("Письмо игроку {}: {}", s.nick(*reader), said(s, fact)),
        Step::Ending(ending) => end(ending),
    }
}

fn line(s: &Speaker<'_>, line: &Asked) -> String {
    let request = s.request(line.kind, line.target, "неизвестный ник");
    let end = match line.end {
        AskedEnd::Stands => "в силе".to_owned(),
        AskedEnd::StandsByVote => "в силе, голос на суде есть".to_owned(),
        AskedEnd::Filed => "лежит у ведущего".to_owned(),
        AskedEnd::Refused(refusal) => format!("не принято, {}", refused(s, refusal)),
        AskedEnd::Void(why) => format!("без действия, {}", void(line.kind, why)),
        AskedEnd::Overtaken => "принято, но более раннее письмо, прочитанное позже, это отменило".to_owned(),
        AskedEnd::FoundLate => "пришло в срок, но найдено после закрытия хода и само ничего не меняет".to_owned(),
    };
    format!("{}, письмо от {}: «{request}» — {end}", s.subject(line.from), s.arrival(line.second))
}

fn refused(s: &Speaker<'_>, refusal: Refusal) -> String {
    match refusal {
        Refusal::UnknownSender => "отправитель не из игроков".to_owned(),
        Refusal::DeadSender => "отправитель — призрак".to_owned(),
        Refusal::ExpelledSender => "отправитель вне игры".to_owned(),
        Refusal::AfterDeadline => "срок прошёл".to_owned(),
        Refusal::UnknownRequest => "такой заявки нет".to_owned(),
        Refusal::FirstTurn => "в первом ходу такого нет".to_owned(),
        Refusal::Deprived => "голоса в этом ходу нет".to_owned(),
        Refusal::MafiaNoHunt => "мафия не охотится".to_owned(),
        Refusal::LonerNoHunt => "одиночки не охотятся".to_owned(),
        Refusal::NotYourRole => "это умение другой роли".to_owned(),
        Refusal::UnknownNick => "такого ника нет".to_owned(),
        Refusal::TargetOut(who) => format!("игрок {} уже вне игры", s.nick(who)),
        Refusal::SelfTarget => "против себя такого не просят".to_owned(),
        Refusal::OwnClan => "своих клан не трогает".to_owned(),
        Refusal::HealTwice(who) => format!("игрок {} уже под лечением прошлой ночью", s.nick(who)),
        Refusal::NoteAlreadySent => "записка уже лежит у ведущего".to_owned(),
        Refusal::RelayOff => "личных писем в этой игре нет".to_owned(),
    }
}

fn void(kind: Kind, why: VoidWhy) -> &'static str {
    match (why, kind) {
        (VoidWhy::Slot, Kind::Hunt) => "место занято ролевой заявкой",
        (VoidWhy::Slot, Kind::Kill) => "место занято поиском",
        (VoidWhy::Slot, Kind::Seek) => "место занято убийством",
        (VoidWhy::Slot, _) => "место занято охотой",
        (VoidWhy::Replaced, _) => "ниже есть более поздняя",
        (VoidWhy::Duplicate, _) => "повторяет прежнюю",
        (VoidWhy::Withdrawn, _) => "отозвана",
        (VoidWhy::StatusWithoutVote, _) => "голоса на суде Линча нет",
        (VoidWhy::HuntWithoutVote, _) => "голоса на суде Линча нет, а охота здесь без него не считается",
        (VoidWhy::NotFirst, _) => "первой пришла другая охота",
        (VoidWhy::SenderExpelled, _) => "отправитель исключён",
        (VoidWhy::Deprived, _) => "отправитель лишён голоса",
        (VoidWhy::DeadBeforeNight, _) => "отправитель погибает до ночи",
    }
}

fn asked(s: &Speaker<'_>, idle: &Idle) -> String {
    format!("{}, «{}»", s.subject(idle.from), s.request(idle.kind, Some(idle.target), ""))
}

fn idle_why(s: &Speaker<'_>, idle: &Idle) -> String {
    match idle.why {
        IdleWhy::Split => "клан назвал разных, убийство сорвалось".to_owned(),
        IdleWhy::NobodyHome => format!("никого: игрок {} к этому часу уже вне игры", s.nick(idle.target)),
        IdleWhy::NoCommissioner => format!("игрок {} — не комиссар на начало хода", s.nick(idle.target)),
        IdleWhy::NoPrey => "добыча — маньяк: ни он, ни охотник не гибнут".to_owned(),
    }
}

fn attack(s: &Speaker<'_>, blow: &Blow, prey: Option<crate::rules::PlayerId>) -> String {
    let (on, by) = (s.nick(blow.on), s.people(&blow.by));
    match blow.cause {
        Cause::Mafia => format!("Клан единодушен, жертва — игрок {on}: {by}"),
        Cause::Maniac => format!("К игроку {on} приходит маньяк: {by}"),
        Cause::Kamikaze => format!("Игрок {on} — комиссар на начало хода, и его находит камикадзе: {by}"),
        Cause::Hunt => format!("Первой пришла эта охота: {by}; добыча, {}, гибнет по правилам", s.person(blow.on)),
        Cause::Hunting => {
            let prey = prey.map_or_else(|| "?".to_owned(), |prey| s.person(prey));
            format!("Первой пришла эта охота: {by}; добыча, {prey}, не из мафии, и погибает сам охотник")
        }
        Cause::KamikazeSelf => format!("Камикадзе находит комиссара и гибнет вместе с ним: {on}"),
        Cause::Pistol => format!("В игрока {on} стреляет {by}"),
        Cause::Lynch => format!("Игрок {on} казнён"),
    }
}

fn blow_end(blow: &Blow) -> &'static str {
    match (blow.end, blow.cause) {
        (BlowEnd::Kills, _) => "смертельно",
        (BlowEnd::StoppedByDoctor, _) => "доктор рядом, смерти нет",
        (BlowEnd::StoppedByBirth, _) => "мафия не может убить подкидыша, смерти нет",
        (BlowEnd::NotCovered, Cause::Lynch) => "доктор лечит, но от суда не спасает",
        (BlowEnd::NotCovered, _) => "доктор рядом, но от этого не спасает",
        (BlowEnd::HealSpent, _) => "доктор рядом, но лечение ушло на другое нападение",
    }
}

fn learns(s: &Speaker<'_>, learned: &Learned) -> String {
    let status = match learned.status {
        Status::Role(role) => glossary::role_checked(Lang::Ru, role),
        Status::Side(side) => glossary::side(Lang::Ru, side),
    };
    let killers = match learned.killers.as_slice() {
        [] => String::new(),
        causes => format!("; кто и чем убил: {}", s.causes(causes)),
    };
    let nicks = match learned.killer_nicks.as_slice() {
        [] => String::new(),
        nicks => format!(" ({})", s.nicks(nicks)),
    };
    format!("{} узнаёт о проверке: игрок {} — {status}{killers}{nicks}", s.subject(learned.who), s.nick(learned.about))
}

/// What a fact is called.
fn said(s: &Speaker<'_>, fact: &Fact) -> String {
    match fact {
        Fact::Dead { role, .. } => format!("смерть ночью и роль, {}", glossary::role(Lang::Ru, *role)),
        Fact::Hanged { role, .. } => format!("казнь и роль, {}", glossary::role(Lang::Ru, *role)),
        Fact::Shot { role, by, .. } => {
            format!("выстрел, стреляет {}, и роль, {}", s.nick(*by), glossary::role(Lang::Ru, *role))
        }
        Fact::Expelled { role: Some(role), .. } => format!("исключение и роль, {}", glossary::role(Lang::Ru, *role)),
        Fact::Expelled { role: None, .. } => "исключение без роли".to_owned(),
        Fact::NobodyHanged => "никто не казнён".to_owned(),
        Fact::Tie(among) => format!("поровну у нескольких: {}", s.nicks(among)),
        Fact::Vote { voter, candidate } => {
            format!("голос игрока {} против игрока {}", s.nick(*voter), s.nick(*candidate))
        }
        Fact::Nonvoter(_) => "что голоса нет".to_owned(),
        Fact::Cause(_) => "причина смерти".to_owned(),
        Fact::Votes => "кто как голосовал".to_owned(),
        Fact::Deprived(_) => "лишение голоса".to_owned(),
        Fact::Warned(_) => "предупреждение за молчание".to_owned(),
        Fact::Missed(_) => "пропуск голосования".to_owned(),
        Fact::OwnExpulsion(_) => "исключение из игры".to_owned(),
        Fact::Ghost(_) => "о гибели и о том, что можно призраку".to_owned(),
        Fact::Promoted(who) => format!("комиссаром становится игрок {}", s.nick(*who)),
        Fact::Converted(who) => format!("мафиози становится игрок {}", s.nick(*who)),
        Fact::NewMember { who, .. } => format!("в клане теперь игрок {}", s.nick(*who)),
        Fact::Note { from, to } => format!("предсмертная записка от игрока {} игроку {}", s.nick(*from), s.nick(*to)),
        Fact::Hunter(_) => "кто охотник".to_owned(),
        Fact::Prey(_) => "кто добыча".to_owned(),
        Fact::Stopped(_) => "нападение, которое не удалось".to_owned(),
        Fact::Checked(_) => "что была проверка".to_owned(),
        Fact::Check { about, .. } => format!("итог проверки, игрок {}", s.nick(*about)),
    }
}

fn end(ending: &Ending) -> String {
    let Ending { town, mafia, maniacs, verdict } = ending;
    let verdict = match verdict {
        Verdict::GoesOn => "игра продолжается",
        Verdict::ManiacBlocks => "пока жив маньяк, никто другой не победил",
        Verdict::NoMafia => "мафии больше нет, победа мирных",
        Verdict::MafiaNotFewer => "мафии не меньше, чем мирных, её победа",
        Verdict::ManiacAlone => "остался один маньяк, его победа",
        Verdict::NobodyLeft => "не осталось никого, ничья",
        Verdict::Stalemate => "слишком долго никто не погибал, ничья",
    };
    format!("В живых мирных {town}, мафии {mafia}, маньяков {maniacs}: {verdict}")
}
