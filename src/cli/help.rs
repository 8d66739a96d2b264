//! What `--help` says of the words that many commands share, in one place. All else is explained where it stands.

use clap::{Arg, Command};

/// An argument, and what it means wherever no command says otherwise.
const SHARED: [(&str, &str); 16] = [
    ("json", "As JSON, for scripts"),
    ("tag", "The game, by its short name: palermo"),
    ("nick", "A player, by nick"),
    ("nicks", "Players, by nick; a nick of several words stands in quotes"),
    ("when", "The new deadline"),
    ("by", "So much later (+2h, +1d), or the later time itself"),
    ("dates", "Days, as above"),
    ("text", "Your words, up to the end of the line"),
    ("fate", "How it is with the player"),
    ("address", "The new person's mail address; without it the waiting list is asked"),
    ("file", "The CSV file"),
    ("link", "The address of the post: https://..."),
    ("winner", "town, mafia, maniac or draw; without it a draw"),
    ("title", "What the game is called in letters"),
    ("turns", "For so many turns"),
    ("id", "The letter's number"),
];

/// The command and all below it, with a word for every argument.
pub fn explained(command: Command) -> Command {
    command.mut_args(with_help).mut_subcommands(explained)
}

fn with_help(argument: Arg) -> Arg {
    if argument.get_help().is_some() {
        return argument;
    }
    let shared = SHARED.iter().find(|(name, _)| *name == argument.get_id().as_str());
    match shared {
        Some((_, help)) => argument.help(*help),
        None => argument,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Arguments of a command and of those below it, as `game warn TEXT`, for which `is_so` holds.
    fn all(command: &Command, path: &str, is_so: &impl Fn(&Arg) -> bool) -> Vec<String> {
        let here = format!("{path} {}", command.get_name());
        let found = command.get_arguments().filter(|argument| !argument.is_hide_set() && is_so(argument));
        let mut found: Vec<String> = found.map(|argument| format!("{here} {}", argument.get_id())).collect();
        found.extend(command.get_subcommands().flat_map(|below| all(below, &here, is_so)));
        found
    }

    #[test]
    fn every_command_and_argument_is_explained() {
        let mut whole = super::super::command();
        whole.build();
        let bare =
            all(&whole, "", &|argument| argument.get_help().is_none_or(|help| help.to_string().trim().is_empty()));
        assert_eq!(bare, [""; 0]);
        fn commands(command: &Command) -> Vec<&Command> {
            command.get_subcommands().flat_map(|below| [vec![below], commands(below)].concat()).collect()
        }
        let bare: Vec<&str> =
            commands(&whole).into_iter().filter(|one| one.get_about().is_none()).map(Command::get_name).collect();
        assert_eq!(bare, [""; 0]);
        // No word stands here in vain.
        for (name, _) in SHARED {
            let used = all(&whole, "", &|argument| argument.get_id() == name);
            assert!(!used.is_empty(), "{name}");
        }
    }
}
