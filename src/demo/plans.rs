//! What a bot writes, and when.

use crate::demo::bots::{Bot, Today};
use crate::demo::people::Habit;
use crate::demo::phrases;
use crate::demo::scribe::{Answered, Quote, Style};
use crate::request::Word;
use crate::rules::Role;

/// The hours of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    Morning,
    Afternoon,
    /// After the reminder.
    Evening,
    /// After the deadline.
    Late,
}

/// The talk of the town: what stands in the forum's topic, and whom life keeps from writing.
#[derive(Clone, Debug, Default)]
pub struct Town {
    /// Most suspected first.
    pub suspects: Vec<String>,
    /// Sends nothing in this turn.
    pub forgetful: Option<String>,
    /// Sends everything too late.
    pub late: Option<String>,
}

/// A letter to be written.
#[derive(Clone, Debug)]
pub struct Draft {
    pub subject: String,
    pub lines: Vec<String>,
    pub answers: Option<Answered>,
    pub style: Style,
    /// The mail server delivers it twice.
    pub twice: bool,
}

impl Bot {
    /// The letters of this hour. The dead keep silent, but for a ghost that forgets itself.
    pub fn write(&mut self, moment: Moment, turn: u16, town: &Town) -> Vec<Draft> {
        if self.today.turn != turn {
            let afternoon = self.luck.chance(45) || (self.is_mafia() && !self.leads_clan());
            self.today = Today { turn, afternoon, ..Today::default() };
        }
        if !self.in_play {
            return self.ghost_forgets(moment, town);
        }
        let mut drafts = Vec::new();
        drafts.extend(self.talk(moment));
        if self.requests_now(moment, town) {
            drafts.push(self.requests(town));
        } else if self.today.answered && !self.today.to_mend.is_empty() {
            let mut lines = vec![phrases::sorry(self.lang).to_owned()];
            lines.append(&mut self.today.to_mend);
            drafts.push(self.reply(lines));
        } else if moment == Moment::Evening {
            drafts.extend(self.change_of_mind(town));
        }
        drafts
    }

    fn requests_now(&self, moment: Moment, town: &Town) -> bool {
        let is_me = |nick: &Option<String>| nick.as_ref() == Some(&self.person.nick);
        if self.today.requested || is_me(&town.forgetful) {
            return false;
        }
        let late = is_me(&town.late);
        let slow = self.person.habit == Habit::Slow;
        match moment {
            Moment::Morning => !late && !slow && !self.today.afternoon,
            Moment::Afternoon => !late && !slow,
            Moment::Evening => !late,
            Moment::Late => late,
        }
    }

    /// Everything that this player asks for in this turn, in one letter.
    fn requests(&mut self, town: &Town) -> Draft {
        self.today.requested = true;
        let wishes = self.wishes(town);
        let mut lines: Vec<String> =
            wishes.iter().map(|(word, nick)| phrases::request(&mut self.luck, self.lang, *word, nick)).collect();
        if lines.is_empty() {
            lines.push(phrases::bare(self.lang, Word::Status));
        }
        let slips = self.person.habit == Habit::Hasty && self.luck.chance(50);
        if slips && let (Some(line), Some((word, nick))) = (lines.first_mut(), wishes.first()) {
            *line = phrases::mistake(&mut self.luck, self.lang, *word, nick);
            self.today.to_mend = vec![phrases::tidy_request(self.lang, *word, nick)];
        } else if wishes.len() == 1 && self.person.habit == Habit::Tidy && self.luck.chance(25) {
            return self.subject_only(lines.concat());
        }
        lines.extend(self.last_will());
        if self.person.habit == Habit::Chatty {
            lines.insert(0, phrases::greeting(&mut self.luck, self.lang).to_owned());
        }
        self.reply(lines)
    }

    fn wishes(&mut self, town: &Town) -> Vec<(Word, String)> {
        let mut wishes = Vec::new();
        if self.today.turn > 1
            && let Some(nick) = self.choose_vote(town)
        {
            self.today.vote = Some(nick.clone());
            wishes.push((Word::Lynch, nick));
        }
        match self.role {
            Some(Role::Commissioner) => self.commissioner_wishes(town, &mut wishes),
            Some(Role::Doctor) => {
                let healed = if self.luck.chance(30) { Some(self.person.nick.clone()) } else { self.stranger() };
                let healed = healed.filter(|nick| self.last_healed.as_ref() != Some(nick)).or_else(|| self.stranger());
                self.last_healed.clone_from(&healed);
                wishes.extend(healed.map(|nick| (Word::Heal, nick)));
            }
            Some(Role::Maniac) => wishes.extend(self.stranger().map(|nick| (Word::Kill, nick))),
            Some(Role::Citizen | Role::Sergeant | Role::Foundling) | None => {
                let courage = if self.person.habit == Habit::Bold { 40 } else { 10 };
                if self.today.turn > 1 && self.luck.chance(courage) {
                    let prey = self.guess(town);
                    wishes.extend(prey.map(|nick| (Word::Hunt, nick)));
                }
            }
            Some(Role::Mafioso | Role::Boss | Role::Kamikaze | Role::FoundlingMafioso) => {
                let victim = self.today.plan.clone().filter(|nick| self.living.contains(nick));
                let victim = victim.or_else(|| self.stranger());
                wishes.extend(victim.map(|nick| (Word::Kill, nick)));
                if self.role == Some(Role::Kamikaze) {
                    wishes.extend(self.stranger().map(|nick| (Word::Seek, nick)));
                }
            }
        }
        wishes
    }

    fn commissioner_wishes(&mut self, town: &Town, wishes: &mut Vec<(Word, String)>) {
        let mut unknown: Vec<String> = self.strangers().filter(|nick| !self.checked.contains(*nick)).cloned().collect();
        self.luck.shuffle(&mut unknown);
        if let Some(nick) = unknown.pop() {
            self.checked.insert(nick.clone());
            wishes.push((Word::Check, nick));
        }
        let aim = self.guess(town);
        if aim.is_some() && (self.pistol_at.is_none() || !self.guilty.is_empty()) && self.pistol_at != aim {
            self.pistol_at.clone_from(&aim);
            wishes.extend(aim.map(|nick| (Word::Pistol, nick)));
        }
    }

    fn choose_vote(&mut self, town: &Town) -> Option<String> {
        let chosen = self.guess(town);
        if self.luck.chance(75) { chosen } else { self.stranger() }
    }

    /// Somebody proven guilty, else one of the suspects of the day, else anybody.
    fn guess(&mut self, town: &Town) -> Option<String> {
        if let Some(guilty) = self.guilty.iter().find(|nick| self.living.contains(*nick)) {
            return Some(guilty.clone());
        }
        let strangers: Vec<String> = self.strangers().cloned().collect();
        let suspects: Vec<&String> = town.suspects.iter().filter(|nick| strangers.contains(nick)).collect();
        let first = if self.luck.chance(70) { suspects.first() } else { suspects.last() };
        first.map(|nick| (*nick).clone()).or_else(|| self.stranger())
    }

    /// The living but oneself and one's friends; when only friends are left, they must do.
    fn strangers(&self) -> impl Iterator<Item = &String> {
        let others = self.living.iter().filter(|nick| **nick != self.person.nick);
        let only_friends = others.clone().all(|nick| self.friends.contains(nick));
        others.filter(move |nick| only_friends || !self.friends.contains(*nick))
    }

    fn stranger(&mut self) -> Option<String> {
        let strangers: Vec<String> = self.strangers().cloned().collect();
        self.luck.pick(&strangers).cloned()
    }

    fn leads_clan(&self) -> bool {
        let fellows = self.friends.intersection(&self.living);
        self.is_mafia() && fellows.into_iter().all(|nick| *nick > self.person.nick)
    }

    /// The clan's plan, private letters, words about nothing.
    fn talk(&mut self, moment: Moment) -> Option<Draft> {
        if moment == Moment::Morning && self.leads_clan() && !self.friends.is_disjoint(&self.living) {
            let victim = self.stranger()?;
            let line = phrases::to_clan(self.lang, &phrases::clan_plan(self.lang, &victim));
            self.today.plan = Some(victim);
            return Some(self.reply(vec![line]));
        }
        if moment == Moment::Afternoon && self.person.habit == Habit::Chatty && self.luck.chance(40) {
            let nick = self.stranger()?;
            let text = phrases::private_words(&mut self.luck, self.lang);
            return Some(self.reply(vec![phrases::told(self.lang, Word::Pm, &nick, text)]));
        }
        if moment == Moment::Morning && self.person.habit == Habit::Chatty && self.luck.chance(20) {
            let text = phrases::small_talk(&mut self.luck, self.lang).to_owned();
            return Some(self.reply(vec![text]));
        }
        None
    }

    fn last_will(&mut self) -> Option<String> {
        if self.note_sent || !self.luck.chance(25) {
            return None;
        }
        let (reader, suspect) = (self.stranger()?, self.stranger()?);
        self.note_sent = true;
        let text = phrases::last_words(self.lang, &suspect);
        Some(phrases::told(self.lang, Word::Note, &reader, &text))
    }

    fn change_of_mind(&mut self, town: &Town) -> Option<Draft> {
        let vote = self.today.vote.clone()?;
        if self.today.changed || self.person.habit != Habit::Bold || !self.luck.chance(50) {
            return None;
        }
        let other = self.guess(town).filter(|nick| *nick != vote).or_else(|| self.stranger())?;
        if other == vote {
            return None;
        }
        self.today.changed = true;
        self.today.vote = Some(other.clone());
        let line = phrases::request(&mut self.luck, self.lang, Word::Lynch, &other);
        Some(self.reply(vec![phrases::changed_my_mind(self.lang).to_owned(), String::new(), line]))
    }

    fn ghost_forgets(&mut self, moment: Moment, town: &Town) -> Vec<Draft> {
        if moment != Moment::Afternoon || !self.luck.chance(8) {
            return Vec::new();
        }
        let Some(nick) = town.suspects.first().cloned() else { return Vec::new() };
        let line = phrases::request(&mut self.luck, self.lang, Word::Lynch, &nick);
        vec![self.reply(vec![line])]
    }

    fn reply(&mut self, lines: Vec<String>) -> Draft {
        let quotes = [Quote::None, Quote::Below, Quote::Below, Quote::Above, Quote::Outlook];
        let quote = self.luck.pick(&quotes).copied().unwrap_or(Quote::None);
        let answers = self.last_letter.clone();
        let subject = match &answers {
            Some(_) if self.last_subject.starts_with("Re: ") => self.last_subject.clone(),
            Some(_) => format!("Re: {}", self.last_subject),
            None => "omerta".to_owned(),
        };
        Draft { subject, lines, answers, style: Style { quote, ..self.style }, twice: self.luck.chance(6) }
    }

    fn subject_only(&self, line: String) -> Draft {
        let style = Style { quote: Quote::None, ..self.style };
        Draft { subject: line, lines: Vec::new(), answers: None, style, twice: false }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::demo::bots::Received;
    use crate::demo::luck::Luck;
    use crate::demo::people::cast;
    use crate::letters::Lang;

    fn bots(count: usize, role: impl Fn(usize) -> Role) -> Vec<Bot> {
        let people = cast(count, Lang::Ru, &mut Luck::new(1));
        let mut luck = Luck::new(9);
        let mafia: Vec<String> = (0..count)
            .filter(|number| role(*number) == Role::Mafioso)
            .map(|number| people[number].nick.clone())
            .collect();
        people
            .iter()
            .enumerate()
            .map(|(number, person)| {
                let mut bot = Bot::new(person.clone(), &people, Lang::Ru, luck.split());
                let text = if role(number) == Role::Mafioso { mafia.join("\n") } else { String::new() };
                bot.hear(&Received {
                    kind: "role".into(),
                    subject: "[demo] Ваша роль".into(),
                    text,
                    role: Some(role(number)),
                    message_id: "1@demo.test".into(),
                    date: Timestamp::UNIX_EPOCH,
                });
                bot
            })
            .collect()
    }

    fn day(bots: &mut [Bot], turn: u16, town: &Town) -> Vec<Vec<Draft>> {
        let mut all = vec![Vec::new(); bots.len()];
        for moment in [Moment::Morning, Moment::Afternoon, Moment::Evening, Moment::Late] {
            for (bot, letters) in bots.iter_mut().zip(&mut all) {
                letters.extend(bot.write(moment, turn, town));
                bot.today.answered = true;
            }
        }
        all
    }

    #[test]
    fn everybody_votes_from_the_second_turn_on_and_nobody_for_himself() {
        let mut bots = bots(12, |_| Role::Citizen);
        day(&mut bots, 1, &Town::default());
        assert!(bots.iter().all(|bot| bot.today.vote.is_none() && bot.today.requested));
        day(&mut bots, 2, &Town::default());
        for bot in &bots {
            assert!(bot.today.vote.as_ref().is_some_and(|nick| *nick != bot.person.nick));
            assert!(bot.today.to_mend.is_empty());
        }
    }

    #[test]
    fn mistakes_are_mended_after_the_answer() {
        let mut bots = bots(60, |_| Role::Citizen);
        let letters = day(&mut bots, 2, &Town::default());
        let sorry = phrases::sorry(Lang::Ru);
        let mended: Vec<&Draft> =
            letters.iter().flatten().filter(|draft| draft.lines.first().is_some_and(|line| line == sorry)).collect();
        assert!(!mended.is_empty());
        assert!(mended.iter().all(|draft| draft.lines[1].starts_with("Суд Линча - ")));
    }

    #[test]
    fn the_forgetful_send_no_request_and_the_late_send_it_last() {
        let mut bots = bots(8, |_| Role::Citizen);
        let (forgetful, late) = (bots[0].person.nick.clone(), bots[1].person.nick.clone());
        let town = Town { forgetful: Some(forgetful), late: Some(late), ..Town::default() };
        day(&mut bots, 2, &town);
        assert!(bots[0].today.vote.is_none() && bots[1].today.vote.is_some());
        let mut again = self::bots(8, |_| Role::Citizen);
        let before: Vec<Draft> = [Moment::Morning, Moment::Afternoon, Moment::Evening]
            .into_iter()
            .flat_map(|moment| again[1].write(moment, 2, &town))
            .collect();
        assert!(again[1].today.vote.is_none(), "{before:?}");
    }

    #[test]
    fn a_clan_has_one_leader_and_kills_no_fellow() {
        let role = |number: usize| if number < 3 { Role::Mafioso } else { Role::Citizen };
        let mut bots = bots(12, role);
        assert_eq!(bots.iter().filter(|bot| bot.leads_clan()).count(), 1);
        day(&mut bots, 1, &Town::default());
        let fellows: Vec<String> = bots[..3].iter().map(|bot| bot.person.nick.clone()).collect();
        let leader = bots.iter().find(|bot| bot.leads_clan()).unwrap();
        assert!(leader.today.plan.as_ref().is_some_and(|nick| !fellows.contains(nick)));
    }

    #[test]
    fn the_same_seed_writes_the_same_letters() {
        let said = || {
            let letters = day(&mut bots(12, |_| Role::Doctor), 2, &Town::default());
            letters.into_iter().flatten().flat_map(|draft| draft.lines).collect::<Vec<_>>()
        };
        assert_eq!(said(), said());
    }
}
