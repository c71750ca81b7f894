//! What all verbs of `phalanx` share: exit codes, forms, contexts, completions, manual pages.

use crate::support::{
    PHALANX, PHALANXD, Running, control, daemon, phalanx, quiet, settings, stderr, stdout,
};
use clap::{Arg, Command as Verb, CommandFactory};
use phalanx::cli::Phalanx;
use phalanxd::args::Phalanxd;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

/// Arguments of verbs that accept no `A` for any of them.
const SAMPLES: &[(&str, &[&str])] = &[
    ("param set", &["A", "name", "1"]),
    ("param reset", &["A", "name"]),
    ("agent eval", &["A", "a1", "1"]),
    ("agent repl", &["A", "a1"]),
    ("league create", &["--strategy", "shipped", "--strategy", "idle"]),
    ("league delete", &["A"]),
    ("map", &["A", "--svg", "/dev/null"]),
    ("strategy check", &["--team", "A"]),
    (
        "team create",
        &["A", "--game", "assemble", "--server", "x:1", "--strategy", "s", "--agents", "a:1"],
    ),
];

/// All verbs without subverbs, with their path.
fn leaves() -> Vec<(Vec<String>, Verb)> {
    fn walk(verb: &Verb, path: &[String], found: &mut Vec<(Vec<String>, Verb)>) {
        // Hidden verbs are for programs.
        let shown = |verb: &&Verb| verb.get_name() != "help" && !verb.is_hide_set();
        for verb in verb.get_subcommands().filter(shown) {
            let path = [path, &[verb.get_name().to_owned()]].concat();
            match verb.has_subcommands() {
                true => walk(verb, &path, found),
                false => found.push((path, verb.clone())),
            }
        }
    }
    let mut found = Vec::new();
    walk(&Phalanx::command(), &[], &mut found);
    assert!(found.len() > 25, "{}", found.len());
    found
}

/// Values that a positional accepts.
fn fill(arg: &Arg) -> Vec<String> {
    let known = arg.get_possible_values();
    let word = known.first().map_or("A", |value| value.get_name());
    vec![word.to_owned(); arg.get_num_args().map_or(1, |count| count.min_values().max(1))]
}

/// The command lines of all verbs that ask a daemon.
fn asking() -> Vec<Vec<String>> {
    let asks = |verb: &Verb| verb.get_arguments().any(|arg| arg.get_id() == "token_file");
    let all = leaves()
        .into_iter()
        .filter(|(path, verb)| asks(verb) && path.first().is_none_or(|first| first != "context"));
    all.map(|(path, verb)| {
        let sample = SAMPLES.iter().find(|(name, _)| *name == path.join(" "));
        let words: Vec<String> = match sample {
            Some((_, words)) => words.iter().map(|&word| word.to_owned()).collect(),
            None => {
                verb.get_positionals().filter(|arg| arg.is_required_set()).flat_map(fill).collect()
            }
        };
        [path, words].concat()
    })
    .collect()
}

fn ask(words: &[String], more: &[&str]) -> Output {
    let words: Vec<&str> = words.iter().map(String::as_str).chain(more.iter().copied()).collect();
    phalanx(&words)
}

fn wrong_codes(outputs: impl Iterator<Item = (Vec<String>, Output)>, code: i32) -> Vec<String> {
    let wrong = outputs.filter(|(_, output)| output.status.code() != Some(code));
    wrong
        .map(|(words, output)| format!("{words:?}: {}, {}", output.status, stderr(&output)))
        .collect()
}

#[test]
fn every_verb_fails_with_1_and_says_what_to_do_when_no_daemon_answers() {
    let asked = asking().into_iter().map(|words| {
        let output = ask(&words, &["--control", "unix:/nowhere/control.sock"]);
        let said = stderr(&output);
        assert!(
            said.contains("no daemon answers at unix:/nowhere/control.sock"),
            "{words:?} {said}"
        );
        assert!(said.contains("`phalanx context show`"), "{words:?} {said}");
        (words, output)
    });
    assert_eq!(wrong_codes(asked, 1), Vec::<String>::new());
}

#[test]
fn every_verb_knows_its_flags_and_tells_them() {
    for (path, _) in leaves() {
        let output = ask(&path, &["--no-such-flag"]);
        assert_eq!(output.status.code(), Some(64), "{path:?}: {}", stderr(&output));
        let output = ask(&path, &["--help"]);
        assert_eq!(output.status.code(), Some(0), "{path:?}");
        assert!(stdout(&output).contains("Usage: phalanx"), "{path:?}");
    }
    assert!(stdout(&phalanx(&["--help"])).contains("2 the daemon refused; 64 wrong command line"));
}

/// A daemon whose team waits for its referee, at a socket and at an address.
struct Bench {
    dir: TempDir,
    address: SocketAddr,
    _daemon: Running,
}

impl Bench {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let server = "127.0.0.1:1".parse().unwrap();
        let strategy = "return { decide = function() return act.skip() end }";
        let config = settings(dir.path(), server, 2, strategy);
        let text = std::fs::read_to_string(&config).unwrap();
        let text = text.replace("[control]", "[control]\ntcp = \"127.0.0.1:0\"");
        std::fs::write(&config, text).unwrap();
        let mut daemon = daemon(&config);
        let line: Value = serde_json::from_str(&daemon.line_with("\"address\"")).unwrap();
        let address = line["fields"]["address"].as_str().unwrap().parse().unwrap();
        Self { dir, address, _daemon: daemon }
    }

    fn ask(&self, words: &[&str]) -> Output {
        phalanx(&[words, &["--control", &control(self.dir.path())]].concat())
    }
}

#[test]
fn every_verb_exits_with_2_when_the_daemon_refuses_and_says_what_helps() {
    let bench = Bench::new();
    let token = bench.dir.path().join("old.token");
    std::fs::write(&token, "phx_abcdefgh_0123456789abcdefghjkmnpqrstvwxyz0123456789abcdefghjk\n")
        .unwrap();
    let control = format!("http://{}", bench.address);
    let asked = asking().into_iter().map(|words| {
        let shows = ["--control", &control, "--token-file", token.to_str().unwrap()];
        let output = ask(&words, &shows);
        let said = stderr(&output);
        assert!(said.lines().count() >= 2, "an error and advice: {words:?} {said}");
        (words, output)
    });
    assert_eq!(wrong_codes(asked, 2), Vec::<String>::new());
    let unknown = bench.ask(&["team", "show", "Z"]);
    assert_eq!(unknown.status.code(), Some(2));
    let said = stderr(&unknown);
    assert!(said.contains("there are: A") && said.contains("`phalanx team list`"), "{said}");
}

#[test]
fn an_answer_takes_the_form_that_the_caller_wants() {
    let bench = Bench::new();
    let piped: Value = serde_json::from_slice(&bench.ask(&["team", "show"]).stdout).unwrap();
    assert_eq!((&piped["name"], &piped["agent_count"]), (&json!("A"), &json!(2)));
    let template = "{{ name }}{% for agent in agents %} {{ agent.name }}{% endfor %}";
    let told = bench.ask(&["team", "show", "--template", template]);
    assert_eq!(stdout(&told), "A agentA1 agentA2\n");
    let told = bench.ask(&["team", "show", "--output", &format!("template={template}")]);
    assert_eq!(stdout(&told), "A agentA1 agentA2\n");
    let slip = bench.ask(&["team", "show", "--template", "{{ name }}\n{{ nmae }}"]);
    assert_eq!(slip.status.code(), Some(64));
    assert!(stderr(&slip).contains("line 2, column 4"), "{}", stderr(&slip));
    // A template that does not compile is reported before the daemon is called.
    let broken = ["team", "list", "--control", "unix:/nowhere", "--output", "template={{ a"];
    let broken = phalanx(&broken);
    assert_eq!(broken.status.code(), Some(64));
    assert!(stderr(&broken).contains("line 1, column"), "{}", stderr(&broken));
    let none = bench.ask(&["team", "list", "--output", "xml"]);
    assert_eq!(none.status.code(), Some(64));
    assert!(stderr(&none).contains("json, template=TEXT"), "{}", stderr(&none));
}

#[test]
fn under_the_name_of_the_daemon_the_tool_is_the_daemon() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("phalanxd");
    std::os::unix::fs::symlink(PHALANX, &link).unwrap();
    for arg in ["--version", "--help", "--no-such-option"] {
        let said = |program: &Path| {
            let output = quiet(Command::new(program)).arg(arg).output().unwrap();
            (output.status.code(), stdout(&output), stderr(&output))
        };
        assert_eq!(said(&link), said(Path::new(PHALANXD)), "{arg}");
    }
}

#[test]
fn colours_come_when_they_are_wanted_and_never_by_themselves_into_a_file() {
    let bench = Bench::new();
    let table = |color: &str| {
        let told = bench.ask(&["team", "show", "--output", "table", "--color", color]);
        assert!(told.status.success(), "{}", stderr(&told));
        stdout(&told)
    };
    assert!(table("always").contains("\u{1b}[31m"), "{}", table("always"));
    for color in ["auto", "never"] {
        assert!(!table(color).contains('\u{1b}'), "{color}");
    }
}

#[test]
fn a_watched_view_is_printed_again_and_again_until_somebody_leaves() {
    let bench = Bench::new();
    let mut command = quiet(Command::new(PHALANX));
    command.args(["team", "list", "--watch=100ms", "--control", &control(bench.dir.path())]);
    let mut watch = Running::start(command);
    for _ in 0..3 {
        let line: Value = serde_json::from_str(&watch.line_with("teams")).unwrap();
        assert_eq!(line["teams"][0]["name"], "A");
    }
    watch.signal("INT");
    assert_eq!(watch.finish().1, Some(0));
    let hasty = bench.ask(&["team", "list", "--watch=1ms"]);
    assert_eq!(hasty.status.code(), Some(64));
    assert!(stderr(&hasty).contains("at least 100ms"), "{}", stderr(&hasty));
}

/// `phalanx` of a user whose contexts are in `home`.
fn at_home(home: &Path, words: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = quiet(Command::new(PHALANX));
    command.env("XDG_CONFIG_HOME", home).envs(variables.iter().copied());
    command.args(words).current_dir(home).output().unwrap()
}

#[test]
fn a_context_stands_for_flags_and_gives_way_to_them() {
    let bench = Bench::new();
    let home = bench.dir.path();
    let run = |words: &[&str]| at_home(home, words, &[]);
    let added = run(&["context", "add", "room", "--control", &control(home), "--token-file", "t"]);
    assert_eq!(added.status.code(), Some(0), "{}", stderr(&added));
    let file = home.join("phalanx/contexts.toml");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    std::fs::write(home.join("t"), "phx_secret").unwrap();
    let shown: Value = serde_json::from_slice(&run(&["context", "ls"]).stdout).unwrap();
    let names: Vec<_> =
        shown["contexts"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["local", "room"]);
    let token_file = home.join("t").display().to_string();
    assert_eq!(shown["contexts"][1]["token_file"], token_file, "the same from every folder");
    // The context is not in use yet, and no daemon listens at this machine's sockets.
    let runtime =
        [("XDG_RUNTIME_DIR", "/nowhere"), ("XDG_STATE_HOME", "/nowhere"), ("HOME", "/nowhere")];
    let nobody = at_home(home, &["team", "list", "--context", "local"], &runtime);
    assert_eq!(nobody.status.code(), Some(1));
    assert!(stderr(&nobody).contains("phalanxd --config FILE"), "{}", stderr(&nobody));
    assert_eq!(run(&["team", "list", "--context", "room"]).status.code(), Some(0));
    let variable = [("PHALANX_CONTEXT", "room")];
    assert_eq!(at_home(home, &["team", "list"], &variable).status.code(), Some(0));
    assert_eq!(run(&["context", "use", "room"]).status.code(), Some(0));
    assert_eq!(run(&["team", "list"]).status.code(), Some(0));
    // The token of the context in use is not sent to another address.
    let other = ["context", "show", "--control", "http://127.0.0.1:1", "--output", "json"];
    let other: Value = serde_json::from_slice(&run(&other).stdout).unwrap();
    assert_eq!(
        (&other["control"], &other["token_file"]),
        (&json!("http://127.0.0.1:1"), &Value::Null)
    );
    let flag = run(&["team", "list", "--control", "unix:/nowhere"]);
    assert_eq!(flag.status.code(), Some(1));
    let unknown = run(&["team", "list", "--context", "romo"]);
    assert_eq!(unknown.status.code(), Some(64));
    assert!(stderr(&unknown).contains("did you mean \"room\"?"), "{}", stderr(&unknown));
    assert_eq!(run(&["context", "remove", "room"]).status.code(), Some(0));
    assert_eq!(run(&["context", "use", "room"]).status.code(), Some(64));
}

#[test]
fn a_broken_file_of_contexts_is_told_with_its_line() {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir(home.path().join("phalanx")).unwrap();
    let text = "[contexts.room]\ncontrol = \"unix:/x\"\ntoken = \"phx_secret\"\n";
    std::fs::write(home.path().join("phalanx/contexts.toml"), text).unwrap();
    let output = at_home(home.path(), &["team", "list"], &[]);
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("contexts.toml:3: unknown field `token`"), "{said}");
    assert!(!said.contains("phx_secret"), "{said}");
}

#[test]
fn every_verb_is_completed() {
    for (path, _) in leaves() {
        let (last, before) = path.split_last().unwrap();
        let mut args = vec!["__complete", "phalanx"];
        args.extend(before.iter().map(String::as_str));
        args.push(last);
        let output = stdout(&phalanx(&args));
        let mut words = output.lines().map(|line| line.split('\t').next().unwrap());
        assert!(words.any(|word| word == last), "{path:?}: {output}");
    }
}

#[test]
fn without_a_daemon_nothing_of_it_is_completed_and_nothing_is_said() {
    let home = tempfile::tempdir().unwrap();
    let nowhere = format!("--control=unix:{}", home.path().join("none").display());
    let output = phalanx(&["__complete", "phalanx", "team", "show", &nowhere, ""]);
    assert!(output.status.success());
    assert_eq!((stdout(&output).as_str(), stderr(&output).as_str()), ("", ""));
}

#[test]
fn the_shells_understand_their_completions() {
    for shell in ["bash", "zsh", "fish"] {
        for program in ["phalanx", "phalanxd"] {
            let output = phalanx(&["completions", shell, "--program", program]);
            assert!(output.status.success(), "{}", stderr(&output));
            let script = stdout(&output);
            let dir = tempfile::tempdir().unwrap();
            let file = dir.path().join("script");
            std::fs::write(&file, &script).unwrap();
            match Command::new(shell).arg("-n").arg(&file).output() {
                Ok(parsed) => assert!(parsed.status.success(), "{shell}: {}", stderr(&parsed)),
                // Not every machine has every shell.
                Err(error) => eprintln!("{shell} is not here ({error}): its script is not parsed"),
            }
        }
    }
    assert_eq!(phalanx(&["completions", "tcsh"]).status.code(), Some(64));
}

#[test]
fn every_verb_has_a_manual_page() {
    let dir = tempfile::tempdir().unwrap();
    let made = phalanx(&["man", dir.path().join("man").to_str().unwrap()]);
    assert!(made.status.success(), "{}", stderr(&made));
    let page = |name: &str| {
        let path = dir.path().join("man").join(name);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    for (path, _) in leaves() {
        let name = path.join("-");
        assert!(page(&format!("phalanx-{name}.1")).contains(".SH SYNOPSIS"), "{name}");
    }
    assert!(page("phalanx.1").contains("Exit codes"));
    let daemon = page("phalanxd.8");
    for flag in Phalanxd::command().get_arguments().filter_map(Arg::get_long) {
        assert!(daemon.contains(&flag.replace('-', "\\-")), "{flag}");
    }
}
