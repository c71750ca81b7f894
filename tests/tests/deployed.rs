//! What is deployed fits the programs: the runbook's commands, the alerts, the dashboard, the image.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test may panic"
)]

use clap::Parser;
use phalanx::cli::{Phalanx, Phalanxd};
use phalanx_e2e::{root, text};
use phalanx_engine::AlertKind;
use phalanx_metrics::{METRICS, MetricKind};
use std::collections::BTreeSet;
use std::path::Path;

const RUNBOOK: &str = "deploy/runbook.md";
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
    let commands = commands();
    assert!(commands.len() > 20, "{commands:?}");
    let wrong: Vec<_> = commands.iter().filter_map(|line| misread(line)).collect();
    assert_eq!(wrong, Vec::<String>::new());
    assert!(misread("phalanx team lst").is_some() && misread("phalanxd --chek").is_some());
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
    let compose: serde_yaml::Value = serde_yaml::from_str(&text(Path::new(COMPOSE))).unwrap();
    let mut looked = 0;
    for (_, service) in compose["services"].as_mapping().unwrap() {
        for volume in service["volumes"].as_sequence().unwrap() {
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

/// The commands of our two programs in the runbook: lines of its blocks, and pieces of its text.
fn commands() -> Vec<String> {
    let page = text(Path::new(RUNBOOK));
    let blocks = page.split("```sh\n").skip(1).filter_map(|part| part.split("```").next());
    let lines = blocks.flat_map(str::lines).map(str::to_owned);
    let ours = |line: &String| line.starts_with("phalanx ") || line.starts_with("phalanxd ");
    let said = page.split("```").step_by(2);
    let pieces = said.flat_map(|part| part.split('`').skip(1).step_by(2)).map(str::to_owned);
    lines.chain(pieces).filter(ours).collect()
}

/// Why a program does not understand this line; `None` when it does.
fn misread(line: &str) -> Option<String> {
    let mut words = Vec::new();
    for (index, part) in line.split('"').enumerate() {
        match index % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    let error = match words.first().map(String::as_str) {
        Some("phalanxd") => Phalanxd::try_parse_from(&words).err(),
        _ => Phalanx::try_parse_from(&words).err(),
    };
    error.filter(clap::Error::use_stderr).map(|error| format!("{line}: {error}"))
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

fn rules() -> Vec<serde_yaml::Value> {
    let file: serde_yaml::Value = serde_yaml::from_str(&text(Path::new(RULES))).unwrap();
    let groups = file["groups"].as_sequence().unwrap().clone();
    groups.iter().flat_map(|group| group["rules"].as_sequence().unwrap().clone()).collect()
}

/// Every expression of the dashboard, wherever it stands.
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
