//! Who plays in the demo: nicks, taglines and habits.

use crate::demo::luck::Luck;
use crate::letters::Lang;
use crate::rules::Gender;

/// One place at the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    pub address: String,
    pub nick: String,
    pub characteristic: String,
    pub gender: Option<Gender>,
    pub habit: Habit,
}

/// How somebody writes letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Habit {
    /// To the point, in time.
    Tidy,
    /// Private letters, notes, words around the request.
    Chatty,
    /// Typing errors, forgotten dashes.
    Hasty,
    /// Only after the reminder.
    Slow,
    /// Hunts, changes votes.
    Bold,
}

/// As many people as asked for, at most as many as there are nicks; the first ones are always at the table.
pub fn cast(players: usize, lang: Lang, luck: &mut Luck) -> Vec<Person> {
    let mut nicks: Vec<(&str, char)> = match lang {
        Lang::Ru => RUSSIAN.to_vec(),
        Lang::En => ENGLISH.to_vec(),
    };
    let (_, others) = nicks.split_at_mut(ALWAYS.min(players));
    luck.shuffle(others);
    nicks.truncate(players);
    luck.shuffle(&mut nicks);
    let taglines = match lang {
        Lang::Ru => TAGLINES_RU,
        Lang::En => TAGLINES_EN,
    };
    let habits = [Habit::Tidy, Habit::Chatty, Habit::Hasty, Habit::Bold, Habit::Slow, Habit::Tidy];
    let seat = |(number, (nick, gender)): (usize, (&str, char))| Person {
        address: format!("p{:02}@demo.test", number + 1),
        nick: nick.to_owned(),
        characteristic: luck.word(&taglines).to_owned(),
        gender: match gender {
            'm' => Some(Gender::Male),
            'f' => Some(Gender::Female),
            _ => None,
        },
        habit: habits.get(number % habits.len()).copied().unwrap_or(Habit::Tidy),
    };
    nicks.into_iter().enumerate().map(seat).collect()
}

/// The most that can sit at one table.
pub const MOST_PLAYERS: usize = RUSSIAN.len();

/// Nicks with a space, a dash, a ё and Latin letters are at each table: they are what real games trip over.
const ALWAYS: usize = 4;

const RUSSIAN: [(&str, char); 60] = [
    ("Дон Педро", 'm'),
    ("Кот-Баюн", 'm'),
    ("Ёжик", '-'),
    ("Nika", 'f'),
    ("Сапожник", 'm'),
    ("Баронесса", 'f'),
    ("Тётя Роза", 'f'),
    ("Маэстро", 'm'),
    ("Капитан Вру", 'm'),
    ("Мадам Жоржетта", 'f'),
    ("Полынь", 'f'),
    ("Шарманщик", 'm'),
    ("Звездочёт", 'm'),
    ("Рыжая", 'f'),
    ("Антиквар", 'm'),
    ("Фонарщик", 'm'),
    ("Инкогнито", '-'),
    ("Часовщик", 'm'),
    ("Вишня", 'f'),
    ("Лунатик", 'm'),
    ("Граф Кофе", 'm'),
    ("Селёдка", 'f'),
    ("Пекарь", 'm'),
    ("Балерина", 'f'),
    ("Старый Томас", 'm'),
    ("Жасмин", 'f'),
    ("Филин", 'm'),
    ("Корнет", 'm'),
    ("Мельник", 'm'),
    ("Изюминка", 'f'),
    ("Туман", 'm'),
    ("Аптекарь", 'm'),
    ("Синьора Помидор", 'f'),
    ("Цирюльник", 'm'),
    ("Бубенец", 'm'),
    ("Чайка", 'f'),
    ("Гвоздь", 'm'),
    ("Марципан", 'm'),
    ("Дядюшка Ау", 'm'),
    ("Хронометр", 'm'),
    ("Лавочник", 'm'),
    ("Ундина", 'f'),
    ("Щегол", 'm'),
    ("Ключник", 'm'),
    ("Пан Зюзя", 'm'),
    ("Стрекоза", 'f'),
    ("Рыбак", 'm'),
    ("Эхо", '-'),
    ("Юнга", 'm'),
    ("Заноза", 'f'),
    ("Почтальон", 'm'),
    ("Кактус", 'm'),
    ("Бабушка Мо", 'f'),
    ("Снегирь", 'm'),
    ("Тапёр", 'm'),
    ("Флюгер", 'm'),
    ("Незабудка", 'f'),
    ("Якорь", 'm'),
    ("Ореховый Сэм", 'm'),
    ("Циркачка", 'f'),
];

const ENGLISH: [(&str, char); 60] = [
    ("Don Pedro", 'm'),
    ("Cat-o-Nine", 'm'),
    ("Ёжик", '-'),
    ("Nika", 'f'),
    ("Cobbler", 'm'),
    ("Baroness", 'f'),
    ("Aunt Rose", 'f'),
    ("Maestro", 'm'),
    ("Captain Fib", 'm'),
    ("Madame Georgette", 'f'),
    ("Wormwood", '-'),
    ("Organ Grinder", 'm'),
    ("Stargazer", 'm'),
    ("Ginger", 'f'),
    ("Antiquary", 'm'),
    ("Lamplighter", 'm'),
    ("Incognito", '-'),
    ("Clockmaker", 'm'),
    ("Cherry", 'f'),
    ("Sleepwalker", 'm'),
    ("Count Coffee", 'm'),
    ("Herring", 'f'),
    ("Baker", 'm'),
    ("Ballerina", 'f'),
    ("Old Thomas", 'm'),
    ("Jasmine", 'f'),
    ("Owl", 'm'),
    ("Cornet", 'm'),
    ("Miller", 'm'),
    ("Raisin", 'f'),
    ("Fogbank", 'm'),
    ("Apothecary", 'm'),
    ("Signora Tomato", 'f'),
    ("Barber", 'm'),
    ("Jingle", 'm'),
    ("Seagull", 'f'),
    ("Rusty Nail", 'm'),
    ("Marzipan", 'm'),
    ("Uncle Echo", 'm'),
    ("Metronome", 'm'),
    ("Shopkeeper", 'm'),
    ("Undine", 'f'),
    ("Goldfinch", 'm'),
    ("Turnkey", 'm'),
    ("Mister Snooze", 'm'),
    ("Dragonfly", 'f'),
    ("Fisherman", 'm'),
    ("Whisper", '-'),
    ("Cabin Boy", 'm'),
    ("Splinter", 'f'),
    ("Postman", 'm'),
    ("Cactus", 'm'),
    ("Granny Mo", 'f'),
    ("Bullfinch", 'm'),
    ("Pianist", 'm'),
    ("Weathercock", 'm'),
    ("Forget-me-not", 'f'),
    ("Anchor", 'm'),
    ("Walnut Sam", 'm'),
    ("Acrobat", 'f'),
];

const TAGLINES_RU: [&str; 8] = [
    "всё видел, ничего не скажу",
    "по вечерам в баре у площади",
    "чиню каблуки и репутации",
    "меня здесь не было",
    "верю на слово, но записываю",
    "кофе крепкий, совесть чистая",
    "третий этаж, окна во двор",
    "жду письма из столицы",
];

const TAGLINES_EN: [&str; 8] = [
    "saw it all, will say nothing",
    "evenings in the bar on the square",
    "mends heels and reputations",
    "was never here",
    "takes your word, writes it down",
    "strong coffee, clear conscience",
    "third floor, windows to the yard",
    "waiting for a letter from the capital",
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn everybody_has_an_address_and_a_nick_of_his_own() {
        for lang in [Lang::Ru, Lang::En] {
            let all = cast(60, lang, &mut Luck::new(1));
            let nicks: BTreeSet<String> = all.iter().map(|person| person.nick.to_lowercase()).collect();
            let addresses: BTreeSet<&str> = all.iter().map(|person| person.address.as_str()).collect();
            assert_eq!((nicks.len(), addresses.len()), (60, 60));
        }
    }

    #[test]
    fn the_awkward_nicks_sit_at_each_table_and_the_seed_decides_the_rest() {
        let table = cast(7, Lang::Ru, &mut Luck::new(1));
        for nick in ["Дон Педро", "Кот-Баюн", "Ёжик", "Nika"] {
            assert!(table.iter().any(|person| person.nick == nick));
        }
        assert_eq!(table, cast(7, Lang::Ru, &mut Luck::new(1)));
        assert_ne!(table, cast(7, Lang::Ru, &mut Luck::new(2)));
        assert_eq!(cast(3, Lang::Ru, &mut Luck::new(1)).len(), 3);
    }
}
