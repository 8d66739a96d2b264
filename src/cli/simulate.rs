//! `omerta simulate`: many games of a set-up by bots; is this deck fair?

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::load::{self, Place, word_of};
use super::{exit, fail, new, out, print_json};
use crate::letters::Lang;
use crate::rules::report::Cause;
use crate::rules::rulebook::Rulebook;
use crate::rules::{Role, Winner};
use crate::simulate::{self, End, Setup, SetupRoles, Tally};

#[derive(Debug, Args)]
pub struct SimulateArguments {
    /// So many players, at most 1000, with the deck that the rules give them [default: 12]
    #[arg(long, conflicts_with = "roster")]
    players: Option<u16>,
    /// The players of a roster, and its roles if it has them
    #[arg(long, value_name = "FILE.csv")]
    roster: Option<PathBuf>,
    /// A toggle of the rulebook, on top of those of the config, if there is one: name=value
    #[arg(long = "rule", value_name = "NAME=VALUE")]
    rules: Vec<String>,
    /// How many games; of many players, fewer
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// The same seed gives the same games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[arg(long)]
    json: bool,
}

/// Enough for every role.
const PLAYERS: u16 = 12;
/// As many as a roster may hold.
const MOST_PLAYERS: u16 = 1_000;
/// A game costs as its players squared, or more: so much of it is minutes on one core, and no more.
const MOST_WORK: u64 = 200_000_000;

pub fn run(place: &Place, arguments: &SimulateArguments) -> u8 {
    let (setup, lang) = match setup(place, arguments) {
        Ok(setup) => setup,
        Err(code) => return code,
    };
    let most = most_games(setup.players());
    if arguments.games > most {
        let players = setup.players();
        let said = format!("--games {} of {players} players would take too long: at most {most}", arguments.games);
        return fail(exit::USAGE, &said);
    }
    let tally = simulate::play(&setup, arguments.games, arguments.seed);
    if arguments.json {
        return print_json(&as_json(&setup, &tally, arguments.seed));
    }
    out::say(&in_words(&setup, &tally, arguments.seed, lang))
}

/// So many games of so many players come to an end while somebody waits.
fn most_games(players: usize) -> u64 {
    let players = u64::try_from(players).unwrap_or(u64::MAX).max(1);
    (MOST_WORK / players.saturating_mul(players)).max(1)
}

/// What is played, and the language of the config: English where there is none.
fn setup(place: &Place, arguments: &SimulateArguments) -> Result<(Setup, Lang), u8> {
    let mut rulebook = Rulebook::default();
    let mut lang = Lang::En;
    if let Some(path) = load::config_path(place.config.as_deref()) {
        let config = load::config(Some(&path)).map_err(|faults| {
            faults.iter().for_each(|fault| out::complain(&fault.to_string()));
            exit::CONFIG
        })?;
        lang = config.language;
        for (name, value) in &config.game.rules {
            rulebook.set(name, value).map_err(|fault| fail(exit::CONFIG, &fault))?;
        }
    }
    for rule in &arguments.rules {
        let (name, value) =
            rule.split_once('=').ok_or_else(|| fail(exit::USAGE, &format!("--rule {rule}: write name=value")))?;
        rulebook.set(name, value).map_err(|fault| fail(exit::USAGE, &fault))?;
    }
    let setup = match &arguments.roster {
        Some(path) => {
            let rows = new::read_roster(path)?;
            let roles: Vec<Role> = rows.iter().filter_map(|row| row.role).collect();
            // Roles stand in all rows or in none.
            match roles.is_empty() {
                true => Setup::of_players(rows.len(), rulebook),
                false => Setup::of_roles(roles, rulebook),
            }
        }
        None => {
            let players = arguments.players.unwrap_or(PLAYERS);
            if players > MOST_PLAYERS {
                return Err(fail(exit::USAGE, &format!("--players {players}: at most {MOST_PLAYERS}")));
            }
            Setup::of_players(usize::from(players), rulebook)
        }
    };
    setup.map(|setup| (setup, lang)).map_err(|fault| fail(exit::DATA, &fault))
}

const COLUMNS: [&str; 6] = ["WINNER", "GAMES", "SHARE", "LIKELY", "TURNS", "DIED OF IN THE LAST TURN"];

/// The ways to end, in the order in which they are told.
const ENDS: [Option<Winner>; 5] =
    [Some(Winner::Town), Some(Winner::Mafia), Some(Winner::Maniac), Some(Winner::Draw), None];

fn in_words(setup: &Setup, tally: &Tally, seed: u64, lang: Lang) -> String {
    let mut lines = vec![format!("{} games of {} players, seed {seed}", tally.games, setup.players())];
    match &setup.roles {
        SetupRoles::Deck(_) => {
            let deck = setup.deck();
            let deck: Vec<String> = deck.iter().map(|(role, count)| format!("{count} {}", role.name())).collect();
            lines.push(format!("  roles: {}", deck.join(", ")));
        }
        SetupRoles::Over { .. } => {
            lines.push("  With these roles the game is over before it begins; omerta would not start it.".to_owned())
        }
    }
    let rules: Vec<String> =
        setup.rulebook.deviations().iter().map(|(name, value)| format!("{name} = {value}")).collect();
    lines.push(format!("  toggles: {}", if rules.is_empty() { "as they stand".to_owned() } else { rules.join(", ") }));
    lines.push(String::new());
    let mut rows = vec![COLUMNS.map(str::to_owned).to_vec()];
    for winner in ENDS {
        let nothing = End::default();
        let end = tally.ends.get(&winner).unwrap_or(&nothing);
        if end.games == 0 && matches!(winner, None | Some(Winner::Draw | Winner::Maniac)) {
            continue;
        }
        let (low, high) = simulate::likely_share(end.games, tally.games);
        let last = end
            .last_deaths
            .iter()
            .map(|(cause, games)| format!("{} {:.0} %", cause_said(*cause), 100.0 * ratio(*games, end.games)));
        rows.push(vec![
            name_of(winner),
            end.games.to_string(),
            format!("{:.1} %", 100.0 * ratio(end.games, tally.games)),
            format!("{:.1} to {:.1} %", 100.0 * low, 100.0 * high),
            if end.games == 0 { "-".to_owned() } else { format!("{:.1}", ratio(end.turns, end.games)) },
            last.collect::<Vec<_>>().join(", "),
        ]);
    }
    lines.push(out::columns(&rows));
    lines.push(String::new());
    lines.push(broken(columns_explained(lang)));
    lines.push(String::new());
    lines.push(format!(
        "A game lasts {:.1} turns on average, {} at least, {} at most.",
        ratio(tally.turns, tally.games),
        tally.shortest.unwrap_or_default(),
        tally.longest.unwrap_or_default()
    ));
    let mean = |(cause, deaths): (&Cause, &u64)| format!("{} {:.2}", cause_said(*cause), ratio(*deaths, tally.games));
    let deaths: Vec<String> = tally.deaths.iter().map(mean).collect();
    lines.push(format!("Deaths in a game: {}.", if deaths.is_empty() { "none".to_owned() } else { deaths.join(", ") }));
    lines.push(String::new());
    lines.push(broken(simulate::caveat(lang)));
    lines.join("\n")
}

/// What the columns say.
fn columns_explained(lang: Lang) -> &'static str {
    match lang {
        Lang::Ru => {
            "WINNER - кто победил (town - город, mafia - мафия, maniac - маньяк, draw - ничья); GAMES - в скольких играх; \
             SHARE - какая это доля всех игр; LIKELY - в этих границах доля остановится, если играть всё дольше, в 95 случаях \
             из 100; TURNS - сколько ходов в среднем длились эти игры; DIED OF IN THE LAST TURN - отчего погибали в последнем \
             ходу и в какой части этих игр (смертей в одном ходу бывает несколько)."
        }
        Lang::En => {
            "WINNER: who won; GAMES: in how many games; SHARE: what part of all games that is; LIKELY: with ever more games the \
             share settles within this, 95 times in 100; TURNS: how many turns these games lasted on average; DIED OF IN THE \
             LAST TURN: what somebody died of in the last turn, and in what part of these games (a turn may have several deaths)."
        }
    }
}

fn as_json(setup: &Setup, tally: &Tally, seed: u64) -> serde_json::Value {
    let causes = |counts: &std::collections::BTreeMap<Cause, u64>, of: u64| -> serde_json::Map<_, _> {
        counts.iter().map(|(cause, count)| (word_of(cause), json!(rounded(ratio(*count, of))))).collect()
    };
    let end = |winner: Option<Winner>| {
        let nothing = End::default();
        let end = tally.ends.get(&winner).unwrap_or(&nothing);
        let (low, high) = simulate::likely_share(end.games, tally.games);
        let row = json!({
            "games": end.games,
            "share": rounded(ratio(end.games, tally.games)),
            "low": rounded(low),
            "high": rounded(high),
            "turns": (end.games > 0).then(|| rounded(ratio(end.turns, end.games))),
            "last_turn_deaths": causes(&end.last_deaths, end.games),
        });
        (name_of(winner), row)
    };
    let deck: serde_json::Map<_, _> =
        setup.deck().into_iter().map(|(role, count)| (role.name().to_owned(), json!(count))).collect();
    let rules: serde_json::Map<_, _> =
        setup.rulebook.deviations().into_iter().map(|(name, value)| (name, json!(value))).collect();
    json!({
        "games": tally.games,
        "seed": seed,
        "players": setup.players(),
        "deck": deck,
        "over_at_start": matches!(setup.roles, SetupRoles::Over { .. }),
        "rules": rules,
        "winners": ENDS.into_iter().map(end).collect::<serde_json::Map<_, _>>(),
        "turns": {
            "mean": rounded(ratio(tally.turns, tally.games)),
            "shortest": tally.shortest,
            "longest": tally.longest,
        },
        "deaths": causes(&tally.deaths, tally.games),
        "caveat": simulate::caveat(Lang::En),
    })
}

/// In lines of a terminal.
fn broken(text: &str) -> String {
    const WIDTH: usize = 90;
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count().saturating_add(word.chars().count()) < WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join("\n")
}

fn name_of(winner: Option<Winner>) -> String {
    winner.map_or_else(|| "unfinished".to_owned(), |winner| word_of(&winner))
}

fn cause_said(cause: Cause) -> &'static str {
    match cause {
        Cause::Mafia => "the clan",
        Cause::Maniac => "the maniac",
        Cause::Kamikaze => "the kamikaze",
        Cause::Hunt => "a hunter",
        Cause::Hunting => "a failed hunt",
        Cause::KamikazeSelf => "finding the commissioner",
        Cause::Pistol => "the pistol",
        Cause::Lynch => "the rope",
    }
}

fn ratio(part: u64, of: u64) -> f64 {
    if of == 0 { 0.0 } else { part as f64 / of as f64 }
}

fn rounded(number: f64) -> f64 {
    (number * 10_000.0).round() / 10_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_what_was_counted() {
        let setup = Setup::of_roles(vec![Role::Citizen, Role::Citizen, Role::Mafioso], Rulebook::default()).unwrap();
        let tally = simulate::play(&setup, 20, 1);
        let said = in_words(&setup, &tally, 1, Lang::En);
        assert!(said.starts_with("20 games of 3 players, seed 1\n  roles: 2 citizen, 1 mafioso\n"), "{said}");
        assert!(said.contains("mafia   20     100.0 %  83.9 to 100.0 %  1.0    the clan 100 %\n"), "{said}");
        assert!(said.contains("A game lasts 1.0 turns on average, 1 at least, 1 at most.\n"), "{said}");
        assert!(said.contains("Deaths in a game: the clan 1.00."), "{said}");
        let json = as_json(&setup, &tally, 1);
        assert_eq!((&json["winners"]["mafia"]["games"], &json["winners"]["town"]["games"]), (&json!(20), &json!(0)));
        assert_eq!(json["winners"]["mafia"]["last_turn_deaths"], json!({"mafia": 1.0}));
        let over = Setup::of_roles(vec![Role::Mafioso; 7], Rulebook::default()).unwrap();
        let said = in_words(&over, &simulate::play(&over, 5, 1), 1, Lang::Ru);
        assert!(said.contains("over before it begins") && said.contains("100.0 %"), "{said}");
        // Every column is explained, in both languages.
        for lang in [Lang::Ru, Lang::En] {
            for column in COLUMNS {
                assert!(columns_explained(lang).contains(column), "{column}");
            }
        }
    }
}
