//! `phalanx __complete WORDS…`: what the last word of a command line may become. The completion
//! scripts of the shells call it, so that they know the teams of a running daemon, too.

use crate::cli::Phalanx;
use clap::builder::ValueHint;
use clap::{Arg, ArgAction, Command, CommandFactory, Parser};
use phalanx_cli::args::Remote;
use phalanx_cli::remote::{Subject, Suggestion, suggestions};
use std::io::Write;

/// The verb that the scripts call, before the words of the command line.
pub const VERB: &str = "__complete";
/// A line that tells the script to complete the names of files.
const FILES: &str = ":files";

/// The scripts.
const BASH: &str = include_str!("complete/phalanx.bash");
const ZSH: &str = include_str!("complete/phalanx.zsh");
const FISH: &str = include_str!("complete/phalanx.fish");

/// The completion script of a shell; bash for shells that are not known.
#[must_use]
pub fn script(shell: clap_complete::Shell) -> &'static str {
    if shell == clap_complete::Shell::Zsh {
        ZSH
    } else if shell == clap_complete::Shell::Fish {
        FISH
    } else {
        BASH
    }
}

/// Prints the completions of the last of these words, one a line, each with its meaning after a tab.
/// `words` begins with the program's name. Nothing that goes wrong is reported: somebody is typing.
pub fn print(words: &[String]) {
    let found = completions(words, |subject| suggestions(&remote(words), subject));
    let mut text = String::new();
    for (word, about) in &found.words {
        let about = about.lines().next().unwrap_or_default();
        text.push_str(&format!("{word}\t{about}\n"));
    }
    if found.files {
        text.push_str(&format!("{FILES}\n"));
    }
    std::io::stdout().write_all(text.as_bytes()).unwrap_or_default();
}

/// What a word may become.
#[derive(Debug, Default, PartialEq)]
struct Completions {
    words: Vec<Suggestion>,
    /// Also the name of a file.
    files: bool,
}

/// The place of the last word.
struct Place<'a> {
    command: &'a Command,
    /// The verbs before it.
    path: Vec<&'a str>,
    /// The positional words of the verb before it.
    before: Vec<&'a str>,
    /// The option whose value it is.
    option: Option<&'a Arg>,
    /// After `--` there are no options.
    only_words: bool,
}

fn completions(words: &[String], ask: impl Fn(Subject) -> Vec<Suggestion>) -> Completions {
    let mut command = Phalanx::command();
    command.build();
    let Some((typed, before)) = words.split_last() else { return Completions::default() };
    // bash makes a word of `=`.
    let typed = if typed == "=" { "" } else { typed.as_str() };
    let place = Place::find(&command, before.get(1..).unwrap_or_default());
    if let Some(option) = place.option {
        return place.values(option, typed, "", &ask);
    }
    if let Some((name, value)) = typed.split_once('=').filter(|_| !place.only_words) {
        let option = long(place.command, name);
        return option
            .map(|option| place.values(option, value, &format!("{name}="), &ask))
            .unwrap_or_default();
    }
    if typed.starts_with('-') && !place.only_words {
        return Completions { words: options(place.command, typed), files: false };
    }
    place.words(typed, &ask)
}

impl<'a> Place<'a> {
    fn find(command: &'a Command, words: &'a [String]) -> Self {
        let mut place =
            Self { command, path: Vec::new(), before: Vec::new(), option: None, only_words: false };
        let mut words = words.iter().map(String::as_str).peekable();
        while let Some(word) = words.next() {
            if place.only_words || !word.starts_with('-') || word == "-" {
                place.pass(word);
            } else if word == "--" {
                place.only_words = true;
            } else if let Some(option) = option(place.command, word) {
                let equals = words.next_if_eq(&"=").is_some();
                if !equals && option.is_require_equals_set() {
                    continue;
                }
                if words.next().is_none() {
                    place.option = Some(option);
                }
            }
        }
        place
    }

    fn pass(&mut self, word: &'a str) {
        let verb = self.command.find_subcommand(word).filter(|_| self.before.is_empty());
        match verb {
            Some(verb) => {
                self.command = verb;
                self.path.push(verb.get_name());
            }
            None => self.before.push(word),
        }
    }

    /// Verbs and words that may come here.
    fn words(&self, typed: &str, ask: &impl Fn(Subject) -> Vec<Suggestion>) -> Completions {
        let verbs = self.command.get_subcommands().filter(|verb| !verb.is_hide_set());
        let verbs = verbs.filter(|_| self.before.is_empty());
        let about = |verb: &Command| {
            let about = verb.get_about().map(ToString::to_string).unwrap_or_default();
            (verb.get_name().to_owned(), about)
        };
        let mut words: Vec<Suggestion> = verbs.map(about).collect();
        words.retain(|(word, _)| word.starts_with(typed));
        let positionals: Vec<&Arg> = self.command.get_positionals().collect();
        let many = |arg: &&&Arg| arg.get_num_args().is_some_and(|count| count.max_values() > 1);
        let arg = positionals.get(self.before.len());
        let arg = arg.or_else(|| positionals.last().filter(many));
        let found = arg.map(|arg| self.values(arg, typed, "", ask)).unwrap_or_default();
        words.extend(found.words);
        Completions { words, files: found.files }
    }

    /// The values of an argument that begin with what was typed, after `prefix`.
    fn values(
        &self,
        arg: &Arg,
        typed: &str,
        prefix: &str,
        ask: &impl Fn(Subject) -> Vec<Suggestion>,
    ) -> Completions {
        let possible = arg.get_possible_values();
        let shown = possible.iter().filter(|value| !value.is_hide_set());
        let about = |value: &clap::builder::PossibleValue| {
            let about = value.get_help().map(ToString::to_string).unwrap_or_default();
            (value.get_name().to_owned(), about)
        };
        let mut words: Vec<Suggestion> = shown.map(about).collect();
        for subject in self.subjects(arg) {
            words.extend(ask(subject));
        }
        words.retain(|(word, _)| word.starts_with(typed));
        let words = words.into_iter().map(|(word, about)| (format!("{prefix}{word}"), about));
        Completions { words: words.collect(), files: is_file(arg) }
    }

    /// What an argument means in a running daemon.
    fn subjects(&self, arg: &Arg) -> Vec<Subject> {
        let names = arg.get_value_names().unwrap_or_default();
        let named =
            |part: &str| names.iter().any(|name| name.split(['|', '[', '/']).any(|it| it == part));
        let first = self.path.first().copied().unwrap_or_default();
        let verb = self.path.last().copied().unwrap_or_default();
        let id = arg.get_id().as_str();
        let begins = self.before.is_empty();
        match id {
            _ if named("AGENT") && named("TEAM") => vec![Subject::Agents],
            "agent" if first == "agent" && verb != "add" => vec![Subject::Agents],
            "role" if verb != "create" => vec![Subject::Roles],
            "team" => vec![Subject::Teams],
            "name" if matches!(first, "team" | "match") && verb != "create" => vec![Subject::Teams],
            "words" if matches!(verb, "eval" | "repl") && begins => vec![Subject::Agents],
            "words" if matches!(first, "strategy" | "param" | "board") => {
                let team = self.before.iter().find(|word| word.parse::<u32>().is_err());
                let generations = Subject::Generations(team.map(|team| (*team).to_owned()));
                match (begins, named("GENERATION")) {
                    (true, true) => vec![Subject::Teams, generations],
                    (true, false) => vec![Subject::Teams],
                    (false, true) => vec![generations],
                    (false, false) => Vec::new(),
                }
            }
            _ => Vec::new(),
        }
    }
}

/// The option that takes a value from the next word.
fn option<'a>(command: &'a Command, word: &str) -> Option<&'a Arg> {
    if word.contains('=') {
        return None;
    }
    let short = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
    let is_short =
        |arg: &&Arg| arg.get_short().is_some_and(|it| short.is_some_and(|word| word.ends_with(it)));
    let found = long(command, word).or_else(|| command.get_arguments().find(is_short))?;
    let takes = matches!(found.get_action(), ArgAction::Set | ArgAction::Append);
    takes.then_some(found)
}

fn long<'a>(command: &'a Command, word: &str) -> Option<&'a Arg> {
    let name = word.strip_prefix("--")?;
    command.get_arguments().find(|arg| arg.get_long() == Some(name))
}

/// The options of a verb that begin with what was typed.
fn options(command: &Command, typed: &str) -> Vec<Suggestion> {
    let shown = command.get_arguments().filter(|arg| !arg.is_hide_set());
    let named = shown.filter_map(|arg| {
        let about = arg.get_help().map(ToString::to_string).unwrap_or_default();
        Some((format!("--{}", arg.get_long()?), about))
    });
    named.filter(|(name, _)| name.starts_with(typed)).collect()
}

/// Whether the value may be the name of a file.
fn is_file(arg: &Arg) -> bool {
    let names = arg.get_value_names().unwrap_or_default();
    let is_named = names.iter().any(|name| {
        name.split(['|', ']']).any(|name| matches!(name, "FILE" | "DIR" | "PATH" | "FOLDER"))
    });
    is_named
        || matches!(
            arg.get_value_hint(),
            ValueHint::AnyPath | ValueHint::FilePath | ValueHint::DirPath
        )
}

/// The daemon that the command line names.
fn remote(words: &[String]) -> Remote {
    #[derive(Parser)]
    struct Asked {
        #[command(flatten)]
        remote: Remote,
    }
    let mut given = vec!["phalanx".to_owned()];
    let mut words = words.iter().filter(|word| *word != "=").peekable();
    while let Some(word) = words.next() {
        let name = word.split('=').next().unwrap_or_default();
        if !matches!(name, "--context" | "--control" | "--token-file" | "--ca" | "--certificate") {
            continue;
        }
        given.push(word.clone());
        given.extend(words.next_if(|_| name == word).cloned());
    }
    let none = || Asked::parse_from(["phalanx"]);
    Asked::try_parse_from(given).unwrap_or_else(|_| none()).remote
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completed(line: &str) -> Completions {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        completions(&words, |subject| match subject {
            Subject::Teams => vec![("A".into(), String::new()), ("B".into(), String::new())],
            Subject::Agents => vec![("A/one".into(), "miner".into())],
            Subject::Roles => vec![("miner".into(), "1 agents".into())],
            Subject::Generations(team) => {
                vec![(format!("7{}", team.unwrap_or_default()), String::new())]
            }
        })
    }

    fn words(line: &str) -> Vec<String> {
        completed(line).words.into_iter().map(|(word, _)| word).collect()
    }

    #[test]
    fn verbs_and_options_come_from_the_command_line() {
        assert_eq!(words("phalanx te"), ["team"]);
        assert_eq!(words("phalanx team st"), ["start", "stop"]);
        assert_eq!(words("phalanx --color never team sh"), ["show"]);
        assert_eq!(words("phalanx team start --dry"), ["--dry-run"]);
        assert_eq!(words("phalanx demo --game m"), ["mars"]);
        assert_eq!(words("phalanx demo --game=m"), ["--game=mars"]);
        assert_eq!(words("phalanx demo --game = m"), ["mars"]);
        assert!(words("phalanx team list --wa").contains(&"--watch".to_owned()));
        assert_eq!(words("phalanx __"), [""; 0]);
    }

    #[test]
    fn teams_agents_roles_and_generations_come_from_the_daemon() {
        assert_eq!(words("phalanx team show "), ["A", "B"]);
        assert_eq!(words("phalanx team start --wait B"), ["B"]);
        assert_eq!(words("phalanx top A"), ["A"]);
        assert_eq!(words("phalanx match watch "), ["A", "B"]);
        assert_eq!(words("phalanx agent pause A/"), ["A/one"]);
        assert_eq!(words("phalanx why A"), ["A/one"]);
        assert_eq!(words("phalanx agent role A/one m"), ["miner"]);
        assert_eq!(words("phalanx strategy rollback A "), ["7A"]);
        assert_eq!(words("phalanx strategy diff "), ["A", "B", "7"]);
        assert_eq!(words("phalanx team create "), [""; 0], "a new team has a new name");
    }

    #[test]
    fn files_are_left_to_the_shell() {
        assert!(completed("phalanx replay ").files);
        assert!(completed("phalanx check --config ").files);
        assert!(!completed("phalanx team show ").files);
        let both = completed("phalanx strategy activate ");
        assert!(both.files && both.words.len() == 2);
    }

    #[test]
    fn no_words_make_it_panic() {
        for line in
            ["", "phalanx", "phalanx = =", "phalanx -- -- x", "phalanx -", "phalanx demo --no=1 ="]
        {
            completed(line);
        }
    }
}
