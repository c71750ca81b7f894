//! What is deployed fits the programs: the commands of runbook and manual, the alerts, the dashboard,
//! the image.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test may panic"
)]

use clap::Parser;
use clap::error::ErrorKind;
use phalanx::cli::Phalanx;
use phalanx_e2e::{files, is, root, text};
use phalanx_engine::AlertKind;
use phalanx_metrics::{METRICS, MetricKind};
use phalanxd::args::Phalanxd;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const RUNBOOK: &str = "deploy/runbook.md";
const MANUAL: &str = "deploy/manual";
/// Lists what the Debian package installs.
const PACKAGE: &str = "daemon/phalanx/Cargo.toml";
const RULES: &str = "deploy/prometheus/alerts.yml";
const DASHBOARD: &str = "deploy/grafana/phalanx.json";
const COMPOSE: &str = "deploy/docker/compose.yaml";
const IMAGE: &str = "deploy/docker/Dockerfile";
/// What the daemon tells of its process, of all that such metrics have.
const PROCESS: &[&str] = &[
    "process_cpu_seconds_total",
    "process_max_fds",
    "process_open_fds",
    "process_resident_memory_bytes",
];
const ALERTS: [AlertKind; 5] = [
    AlertKind::SilentAgent,
    AlertKind::StuckAgent,
    AlertKind::ShrinkingMargin,
    AlertKind::ErrorStorm,
    AlertKind::SuspendedScript,
];

#[test]
fn every_command_of_the_runbook_is_one_of_ours() {
    let page = text(Path::new(RUNBOOK));
    let commands: Vec<_> = typed(&page).into_iter().chain(mentioned(&page)).collect();
    assert!(commands.len() > 20, "{commands:?}");
    let wrong: Vec<_> = commands.iter().filter_map(|line| misread(line)).collect();
    assert_eq!(wrong, Vec::<String>::new());
    assert!(misread("phalanx team lst").is_some() && misread("phalanxd --chek").is_some());
}

#[test]
fn every_command_that_readme_and_manual_let_you_type_is_one_of_ours() {
    let mut wrong = Vec::new();
    for path in pages() {
        let commands = typed(&text(&path));
        let misread = commands.iter().filter_map(|line| misread(line));
        wrong.extend(misread.map(|error| format!("{}: {error}", path.display())));
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(typed(&text(Path::new("README.md"))).len() > 10);
    for page in pages().iter().filter(|path| path.starts_with(MANUAL)) {
        assert!(!text(page).contains("```console"), "{}: commands are in `sh`", page.display());
    }
}

#[test]
fn commands_are_found_in_the_lines_that_people_type() {
    let page = "```sh\ncargo run --release -- demo\nphalanx token create x > x.token # once\n\
                phalanx team drain A && phalanx team delete A\nphalanx team create B \\\n    \
                --agents 'a b:3'\ncurl http://x | phalanx lst\n```\n";
    let expected = [
        "phalanx demo",
        "phalanx token create x",
        "phalanx team drain A",
        "phalanx team delete A",
        "phalanx team create B     --agents 'a b:3'",
        "phalanx lst",
    ];
    assert_eq!(typed(page), expected);
    assert_eq!(words("phalanx pin 'move(n)' \"a b\""), ["phalanx", "pin", "move(n)", "a b"]);
}

#[test]
fn every_verb_that_a_page_mentions_is_one_of_ours() {
    let mut wrong = Vec::new();
    for path in pages() {
        for line in mentioned(&text(&path)) {
            let error = unknown_verb(&line);
            wrong.extend(error.map(|error| format!("{}: {line}: {error}", path.display())));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    for line in ["phalanx team lst", "phalanx team --lst"] {
        assert!(unknown_verb(line).is_some(), "{line}");
    }
    assert_eq!(unknown_verb("phalanx team create"), None);
}

#[test]
fn the_manual_has_every_page_in_its_index_and_its_links_work_in_the_package() {
    let index = text(&Path::new(MANUAL).join("README.md"));
    let package = text(Path::new(PACKAGE));
    assert!(package.contains("deploy/manual/*.md"));
    let mut wrong = Vec::new();
    for path in pages().into_iter().filter(|path| path.starts_with(MANUAL)) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name != "README.md" && !index.contains(&format!("]({name})")) {
            wrong.push(format!("{name} is not in the index"));
        }
        let page = text(&path);
        let targets = page.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
        for target in targets.filter(|target| !target.is_empty() && !target.contains("://")) {
            let ships = match target.strip_prefix("../") {
                Some(above) => package.contains(&format!("\"../../deploy/{above}\"")),
                None => !target.contains('/'),
            };
            if !ships {
                wrong.push(format!("{name}: the package does not have {target}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn every_alert_has_its_section_in_the_runbook() {
    let headings = headings();
    let own = ALERTS.map(|kind| kind.word().replace('_', "-"));
    let mut wanted: BTreeSet<String> = own.into_iter().collect();
    for rule in rules() {
        let place = rule["annotations"]["runbook"].as_str().unwrap().to_owned();
        wanted.insert(place.strip_prefix("runbook.md#").unwrap().to_owned());
    }
    let missing: Vec<_> = wanted.difference(&headings).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn each_of_the_daemons_own_alerts_has_a_rule_and_each_rule_a_test() {
    let rules = rules();
    let asked: Vec<_> = rules.iter().map(|rule| rule["expr"].as_str().unwrap()).collect();
    for kind in ALERTS {
        let kind = format!("phalanx_alerts{{kind=\"{}\"}}", kind.word());
        assert!(asked.iter().any(|expr| expr.contains(&kind)), "{kind}");
    }
    let tests = text(Path::new("deploy/prometheus/alerts_test.yml"));
    for rule in &rules {
        let fires = format!("alertname: {}\n        exp_alerts:", rule["alert"].as_str().unwrap());
        assert!(tests.contains(&fires), "{fires}");
    }
}

#[test]
fn rules_and_dashboard_ask_for_metrics_that_there_are() {
    let exposed: BTreeSet<String> = METRICS
        .iter()
        .flat_map(|metric| match metric.kind {
            MetricKind::Histogram(_) => {
                ["bucket", "sum", "count"].map(|part| format!("{}_{part}", metric.name)).to_vec()
            }
            MetricKind::Counter | MetricKind::Gauge => vec![metric.name.to_owned()],
        })
        .chain(PROCESS.iter().map(|&name| name.to_owned()))
        .collect();
    let mut asked = BTreeSet::new();
    for rule in rules() {
        asked.extend(names(rule["expr"].as_str().unwrap()));
    }
    for expression in expressions() {
        asked.extend(names(&expression));
    }
    assert!(asked.len() > 15, "{asked:?}");
    let unknown: Vec<_> = asked.difference(&exposed).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

#[test]
fn the_image_and_its_neighbours_find_what_they_copy_and_mount() {
    let compose: serde_json::Value = serde_saphyr::from_str(&text(Path::new(COMPOSE))).unwrap();
    let mut looked = 0;
    for (_, service) in compose["services"].as_object().unwrap() {
        for volume in service["volumes"].as_array().unwrap() {
            let source = volume.as_str().unwrap().trim_start_matches("${PHALANX_SETTINGS:-");
            let source = source.split([':', '}']).next().unwrap();
            if source.starts_with('.') {
                let path = root().join("deploy/docker").join(source);
                assert!(path.exists(), "{}", path.display());
                looked += 1;
            }
        }
    }
    assert!(looked >= 4, "{looked} files and folders of ours are mounted");
    let image = text(Path::new(IMAGE));
    let copied = image.lines().filter(|line| line.starts_with("COPY ") && !line.contains("--from"));
    for line in copied {
        let words: Vec<_> =
            line.split_whitespace().skip(1).filter(|word| !word.starts_with("--")).collect();
        assert!(root().join(words[0]).exists(), "{line}");
    }
    let toolchain: toml::Table = toml::from_str(&text(Path::new("rust-toolchain.toml"))).unwrap();
    let channel = toolchain["toolchain"]["channel"].as_str().unwrap();
    let (minor, _) = channel.rsplit_once('.').unwrap();
    assert!(image.contains(&format!("FROM rust:{minor}-")), "the toolchain is {channel}");
    assert!(image.contains("\nUSER phalanx\n"), "nothing runs as root");
    let check = image.split("CMD [").nth(1).unwrap().split(']').next().unwrap();
    assert_eq!(misread(&check.replace(['"', ','], "")), None);
}

#[test]
fn a_unit_gives_the_drain_its_time() {
    let keys: std::collections::BTreeMap<_, _> =
        phalanx_settings::KEYS.iter().map(|key| (key.path, key.default)).collect();
    let drain = humantime(keys["limits.drain_max"].unwrap());
    for unit in ["deploy/systemd/phalanxd.service", "deploy/systemd/phalanxd@.service"] {
        let unit = text(Path::new(unit));
        let value = |name: &str| {
            let mut lines = unit.lines().filter_map(|line| line.strip_prefix(name));
            lines.next_back().unwrap_or_else(|| panic!("no {name}")).to_owned()
        };
        assert!(humantime(&value("TimeoutStopSec=")) >= 2 * drain);
        assert_eq!((&*value("Type="), &*value("KillMode=")), ("notify-reload", "mixed"));
        assert!(value("RestartPreventExitStatus=").contains("64"));
    }
}

/// Seconds, as both the settings and units write them here.
fn humantime(text: &str) -> u64 {
    text.strip_suffix('s').unwrap().parse().unwrap()
}

/// The pages whose commands are checked.
fn pages() -> Vec<PathBuf> {
    let checked = |path: &PathBuf| {
        let written = ["README.md", "scripts/README.md"].iter().any(|page| path == Path::new(page));
        is(path, &["md"]) && (written || path.starts_with("deploy"))
    };
    files().into_iter().filter(checked).collect()
}

/// The commands of our two programs in the blocks of a page, each without what the shell does.
fn typed(page: &str) -> Vec<String> {
    let blocks = page.split("```sh\n").skip(1).filter_map(|part| part.split("```").next());
    let blocks = blocks.map(|block| block.replace("\\\n", ""));
    blocks.flat_map(|block| commands(&block)).filter(|line| is_ours(line)).collect()
}

/// The simple commands of a script: separated by lines, `&&` and `|`; redirections and comments
/// are left out.
fn commands(script: &str) -> Vec<String> {
    let (mut all, mut quote, mut skips) = (vec![String::new()], None, false);
    for letter in script.chars() {
        match (quote, letter) {
            (None, '\n' | '|' | '&') => {
                all.push(String::new());
                skips = false;
            }
            (None, '>' | '<' | '#') => skips = true,
            (None, '\'' | '"') => quote = Some(letter),
            (Some(open), _) if open == letter => quote = None,
            _ => {}
        }
        if !skips && (quote.is_some() || !matches!(letter, '\n' | '|' | '&')) {
            all.last_mut().unwrap().push(letter);
        }
    }
    let trimmed = all.iter().map(|line| line.trim().replace("cargo run --release -- ", "phalanx "));
    trimmed.filter(|line| !line.is_empty()).collect()
}

/// The commands of our two programs in the text of a page.
fn mentioned(page: &str) -> Vec<String> {
    let said = page.split("```").step_by(2);
    let pieces = said.flat_map(|part| part.split('`').skip(1).step_by(2)).map(str::to_owned);
    pieces.filter(|piece| is_ours(piece)).collect()
}

fn is_ours(line: &str) -> bool {
    line.starts_with("phalanx ") || line.starts_with("phalanxd ")
}

/// The words of a command, as a shell makes them.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut quote) = (vec![String::new()], None);
    for letter in line.chars() {
        match (quote, letter) {
            (None, '\'' | '"') => quote = Some(letter),
            (Some(open), _) if open == letter => quote = None,
            (None, ' ') => words.push(String::new()),
            _ => words.last_mut().unwrap().push(letter),
        }
    }
    words.into_iter().filter(|word| !word.is_empty()).collect()
}

fn error(line: &str) -> Option<clap::Error> {
    let words = words(line);
    let error = match words.first().map(String::as_str) {
        Some("phalanxd") => Phalanxd::try_parse_from(&words).err(),
        _ => Phalanx::try_parse_from(&words).err(),
    };
    error.filter(clap::Error::use_stderr)
}

/// Why a program does not understand this line; `None` when it does.
fn misread(line: &str) -> Option<String> {
    error(line).map(|error| format!("{line}: {error}"))
}

/// What a line names that there is not; arguments may be missing, and be placeholders.
fn unknown_verb(line: &str) -> Option<String> {
    let error = error(line)?;
    let names = [ErrorKind::InvalidSubcommand, ErrorKind::UnknownArgument];
    names.contains(&error.kind()).then(|| error.to_string())
}

/// The places that headings make in a page.
fn headings() -> BTreeSet<String> {
    let page = text(Path::new(RUNBOOK));
    let titles = page.lines().filter_map(|line| line.strip_prefix('#'));
    let place = |title: &str| {
        let title = title.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
        title.replace('\'', "")
    };
    titles.map(place).collect()
}

fn rules() -> Vec<serde_json::Value> {
    let file: serde_json::Value = serde_saphyr::from_str(&text(Path::new(RULES))).unwrap();
    let groups = file["groups"].as_array().unwrap().clone();
    groups.iter().flat_map(|group| group["rules"].as_array().unwrap().clone()).collect()
}

/// Every expression of the dashboard.
fn expressions() -> Vec<String> {
    let dashboard: serde_json::Value = serde_json::from_str(&text(Path::new(DASHBOARD))).unwrap();
    let (mut waiting, mut found) = (vec![dashboard], Vec::new());
    while let Some(value) = waiting.pop() {
        match value {
            serde_json::Value::Object(map) => {
                for (key, value) in map {
                    match value {
                        serde_json::Value::String(text) if ["expr", "query"].contains(&&*key) => {
                            found.push(text);
                        }
                        other => waiting.push(other),
                    }
                }
            }
            serde_json::Value::Array(list) => waiting.extend(list),
            _ => {}
        }
    }
    found
}

/// The names of metrics in an expression.
fn names(expression: &str) -> Vec<String> {
    let parts = expression.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let metric = |part: &&str| part.starts_with("phalanx_") || part.starts_with("process_");
    parts.filter(metric).map(str::to_owned).collect()
}
