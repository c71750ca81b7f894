//! The rules of the repository that no compiler checks.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use phalanx_e2e::modules::Modules;
use phalanx_e2e::{files, is, root, text};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Longest file, in lines.
const LINES_MAX: usize = 600;
/// Longest README, in lines.
const README_LINES_MAX: usize = 180;
/// Most terms of a glossary.
const GLOSSARY_TERMS_MAX: usize = 30;
/// What may stand at the top besides dot files.
const TOP: &[&str] = &[
    "CHANGELOG.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "clippy.toml",
    "daemon",
    "deny.toml",
    "deploy",
    "plugins",
    "proto",
    "rust-toolchain.toml",
    "rustfmt.toml",
    "scripts",
    "target",
    "tests",
];
/// Plugin crates that are not games.
const SHARED_PLUGINS: &[&str] = &["game", "grid", "luau", "massim", "scripted", "testkit"];
/// The files of a game.
const SKELETON: &[&str] = &[
    "src/lib.rs",
    "src/wire.rs",
    "src/session.rs",
    "src/percept.rs",
    "src/world.rs",
    "src/action.rs",
    "src/arena.rs",
    "tests",
];
/// The crate that uses the games.
const GAMES: &str = "phalanx-games";
/// Who may use whom: each only crates above it. Games may use what is shared by games, and only
/// [`GAMES`] uses them; end-to-end tests may use all.
const MAY_USE: &[(&str, &[&str])] = &[
    ("phalanx-game", &[]),
    ("phalanx-grid", &["phalanx-game"]),
    ("phalanx-massim", &["phalanx-game", "phalanx-grid"]),
    ("phalanx-luau", &["phalanx-game"]),
    ("phalanx-scripted", &["phalanx-game", "phalanx-grid", "phalanx-luau"]),
    ("phalanx-mars", &["phalanx-game", "phalanx-grid", "phalanx-massim"]),
    ("phalanx-assemble", &["phalanx-game", "phalanx-grid", "phalanx-massim"]),
    ("phalanx-testkit", &["phalanx-game"]),
    ("phalanx-engine", &["phalanx-game"]),
    ("phalanx-lua", &["phalanx-game", "phalanx-engine", "phalanx-luau"]),
    ("phalanx-net", &["phalanx-game", "phalanx-engine"]),
    ("phalanx-settings", &["phalanx-game"]),
    ("phalanx-proto", &[]),
    ("phalanx-convert", &["phalanx-game", "phalanx-engine", "phalanx-proto"]),
    (
        "phalanx-record",
        &["phalanx-game", "phalanx-engine", "phalanx-net", "phalanx-proto", "phalanx-convert"],
    ),
    (
        "phalanx-exchange",
        &["phalanx-game", "phalanx-engine", "phalanx-net", "phalanx-proto", "phalanx-record"],
    ),
    ("phalanx-picture", &["phalanx-game", "phalanx-proto"]),
    ("phalanx-foxglove", &["phalanx-game", "phalanx-net", "phalanx-record"]),
    ("phalanx-files", &[]),
    ("phalanx-access", &["phalanx-files"]),
    ("phalanx-metrics", &["phalanx-engine"]),
    ("phalanx-league", &["phalanx-files"]),
    ("phalanx-tune", &["phalanx-league"]),
    ("phalanx-queue", &["phalanx-league"]),
    ("phalanx-ladder", &["phalanx-files", "phalanx-league", "phalanx-queue"]),
    ("phalanx-trial", &["phalanx-game", "phalanx-engine", "phalanx-lua"]),
    (
        "phalanx-strategy",
        &["phalanx-game", "phalanx-engine", "phalanx-lua", "phalanx-net", "phalanx-trial"],
    ),
    (
        "phalanx-control",
        &[
            "phalanx-game",
            "phalanx-engine",
            "phalanx-lua",
            "phalanx-net",
            "phalanx-settings",
            "phalanx-league",
            "phalanx-trial",
            "phalanx-strategy",
            "phalanx-access",
            "phalanx-metrics",
            "phalanx-proto",
            "phalanx-convert",
        ],
    ),
    (
        GAMES,
        &[
            "phalanx-game",
            "phalanx-engine",
            "phalanx-lua",
            "phalanx-net",
            "phalanx-settings",
            "phalanx-scripted",
        ],
    ),
    (
        "phalanx-chaos",
        &[
            "phalanx-game",
            "phalanx-engine",
            "phalanx-lua",
            "phalanx-net",
            "phalanx-record",
            "phalanx-proto",
            "phalanx-convert",
            "phalanx-strategy",
            "phalanx-control",
            GAMES,
        ],
    ),
    (
        "phalanx-cli",
        &[
            "phalanx-files",
            "phalanx-game",
            "phalanx-lua",
            "phalanx-net",
            "phalanx-settings",
            "phalanx-proto",
            "phalanx-picture",
            "phalanx-league",
            "phalanx-control",
            GAMES,
        ],
    ),
    (
        "phalanx-analysis",
        &[
            "phalanx-game",
            "phalanx-engine",
            "phalanx-lua",
            "phalanx-net",
            "phalanx-proto",
            "phalanx-convert",
            "phalanx-record",
            "phalanx-exchange",
            "phalanx-picture",
            GAMES,
            "phalanx-cli",
        ],
    ),
    (
        "phalanxd",
        &[
            "phalanx-game",
            "phalanx-engine",
            "phalanx-lua",
            "phalanx-net",
            "phalanx-settings",
            "phalanx-proto",
            "phalanx-record",
            "phalanx-foxglove",
            "phalanx-metrics",
            "phalanx-league",
            "phalanx-tune",
            "phalanx-queue",
            "phalanx-ladder",
            "phalanx-trial",
            "phalanx-strategy",
            "phalanx-control",
            GAMES,
        ],
    ),
    (
        "phalanx-play",
        &[
            "phalanx-files",
            "phalanx-game",
            "phalanx-convert",
            "phalanx-engine",
            "phalanx-lua",
            "phalanx-net",
            "phalanx-settings",
            "phalanx-record",
            "phalanx-exchange",
            "phalanx-metrics",
            "phalanx-league",
            "phalanx-tune",
            "phalanx-queue",
            "phalanx-ladder",
            "phalanx-chaos",
            "phalanx-trial",
            "phalanx-strategy",
            "phalanx-control",
            GAMES,
            "phalanx-cli",
            "phalanxd",
        ],
    ),
    (
        "phalanx-mcp",
        &[
            "phalanx-lua",
            "phalanx-league",
            "phalanx-tune",
            GAMES,
            "phalanx-cli",
            "phalanx-analysis",
            "phalanxd",
            "phalanx-play",
        ],
    ),
    ("phalanx", &["phalanx-cli", "phalanx-analysis", "phalanxd", "phalanx-play", "phalanx-mcp"]),
];
/// Most files of a crate that need each other.
const CYCLE_FILES_MAX: usize = 3;
/// Libraries with clocks, sockets, tasks or files.
const IMPURE: &[&str] =
    &["tokio", "mio", "socket2", "async-std", "smol", "notify", "tonic", "async-nats"];

#[test]
fn the_top_holds_only_what_the_design_names() {
    let mut strangers = Vec::new();
    for entry in std::fs::read_dir(root()).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        if !name.starts_with('.') && !TOP.contains(&name.as_str()) {
            strangers.push(name);
        }
    }
    nothing(&strangers);
}

#[test]
fn a_file_has_one_subject_and_fits_its_job() {
    let mut wrong = Vec::new();
    for path in written() {
        let lines = text(&path).lines().count();
        if lines > LINES_MAX {
            wrong.push(format!("{}: {lines} lines", path.display()));
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
        if is(&path, &["rs"])
            && ["mod", "util", "utils", "helpers", "misc"].contains(&name.as_str())
        {
            wrong.push(format!("{}: say what it is about", path.display()));
        }
    }
    nothing(&wrong);
}

#[test]
fn nothing_is_left_for_later() {
    let marks = [
        concat!("TO", "DO"),
        concat!("FIX", "ME"),
        concat!("XX", "X:"),
        concat!("todo", "!("),
        concat!("unimplemented", "!("),
        concat!("#[ig", "nore"),
    ];
    nothing(&lines_with(&written(), &marks));
}

#[test]
fn no_file_names_this_machine_or_a_registry() {
    let hosts = [
        concat!("crates", ".io"),
        concat!("npmjs", ".org"),
        concat!("npmjs", ".com"),
        concat!("pypi", ".org"),
        concat!("pythonhosted", ".org"),
        concat!("proxy.golang", ".org"),
        concat!("/wo", "rk/"),
        concat!("..", "/shared"),
    ];
    let ci = Path::new(".ci/run");
    let all: Vec<_> = written().into_iter().filter(|path| path != ci).collect();
    nothing(&lines_with(&all, &hosts));
}

#[test]
fn every_game_has_the_whole_skeleton() {
    let mut missing = Vec::new();
    for game in games() {
        for part in SKELETON {
            let path = root().join("plugins").join(&game).join(part);
            if !path.exists() {
                missing.push(format!("plugins/{game}/{part}"));
            }
        }
    }
    nothing(&missing);
}

#[test]
fn crates_depend_in_one_direction() {
    let mut wrong = Vec::new();
    for (name, (folder, manifest)) in crates() {
        for section in ["dependencies", "build-dependencies", "dev-dependencies"] {
            for used in names(&manifest, section) {
                let ours = used.starts_with("phalanx");
                if ours && !may_use(&name, &folder, &used, section == "dev-dependencies") {
                    wrong.push(format!("{name} may not use {used} ({section})"));
                }
                let pure = folder.starts_with("plugins") || name == "phalanx-engine";
                if pure && section != "dev-dependencies" && IMPURE.contains(&used.as_str()) {
                    wrong.push(format!("{name} is sans-IO and may not use {used}"));
                }
            }
        }
    }
    nothing(&wrong);
}

#[test]
fn no_arrow_between_crates_leads_up() {
    let mut wrong = Vec::new();
    for (at, (name, may)) in MAY_USE.iter().enumerate() {
        let above = MAY_USE.get(..at).unwrap_or_default();
        let below = may.iter().filter(|used| !above.iter().any(|(known, _)| known == *used));
        wrong.extend(below.map(|used| format!("{name} may not use {used}: it is not above")));
    }
    nothing(&wrong);
}

#[test]
fn files_of_a_crate_do_not_need_each_other_in_circles() {
    let mut wrong = Vec::new();
    for (name, (folder, _)) in crates() {
        let cycles = Modules::of(&folder).cycles(CYCLE_FILES_MAX);
        let large = cycles.iter().filter(|files| files.len() > CYCLE_FILES_MAX);
        wrong.extend(large.map(|files| format!("{name}: {} need each other", files.join(", "))));
    }
    nothing(&wrong);
}

fn may_use(name: &str, folder: &Path, used: &str, in_tests: bool) -> bool {
    if name == "phalanx-e2e" {
        return true;
    }
    let is_game =
        used.strip_prefix("phalanx-").is_some_and(|used| games().contains(&used.to_owned()));
    if name == GAMES && is_game {
        return true;
    }
    let table = MAY_USE.iter().find(|(known, _)| *known == name).map(|(_, may)| *may);
    let game: &[&str] = &["phalanx-game", "phalanx-grid"];
    let may = table.unwrap_or(game);
    // Tests of the network play a real game; the engine and the games know testkit at most.
    let plays = folder.starts_with("daemon") && name != "phalanx-engine";
    let in_test = in_tests && (used == "phalanx-testkit" || plays);
    may.contains(&used) || in_test
}

#[test]
fn only_one_crate_uses_the_games() {
    let games: Vec<_> = games().iter().map(|game| format!("phalanx_{game}")).collect();
    let games: Vec<_> = games.iter().map(String::as_str).collect();
    let source = |path: &PathBuf| {
        let shipped = path.components().any(|part| part.as_os_str() == "src");
        let uses_games = path.starts_with("daemon/games");
        path.starts_with("daemon") && is(path, &["rs"]) && shipped && !uses_games
    };
    let all: Vec<_> = written().into_iter().filter(source).collect();
    nothing(&lines_with(&all, &games));
}

#[test]
fn pure_code_has_the_stricter_lints() {
    for folder in ["plugins", "daemon/engine"] {
        let lints = text(&Path::new(folder).join("clippy.toml"));
        for banned in ["Instant::now", "SystemTime::now", "env::var", "thread::spawn"] {
            assert!(lints.contains(banned), "{folder}/clippy.toml does not ban {banned}");
        }
    }
}

#[test]
fn every_crate_says_what_it_is_and_obeys_the_workspace() {
    let mut wrong = Vec::new();
    for (name, (folder, manifest)) in crates() {
        let package = manifest.get("package").unwrap();
        let lints = manifest.get("lints").and_then(|lints| lints.get("workspace"));
        if lints.and_then(toml::Value::as_bool) != Some(true) {
            wrong.push(format!("{name}: [lints] workspace = true"));
        }
        for key in ["description", "license", "rust-version"] {
            if package.get(key).is_none() {
                wrong.push(format!("{name}: package.{key}"));
            }
        }
        if !text(&folder.join("src/lib.rs")).starts_with("//! ") {
            wrong.push(format!("{name}: src/lib.rs does not begin with what the crate is for"));
        }
    }
    nothing(&wrong);
}

#[test]
fn the_code_map_lists_every_crate_and_no_other() {
    let map = text(Path::new("daemon/ARCHITECTURE.md"));
    let heading = |line: &str| {
        let (folder, name) = line.strip_prefix("### `")?.split_once("`: `")?;
        Some((name.trim_end_matches('`').to_owned(), PathBuf::from(folder)))
    };
    let listed: BTreeMap<_, _> = map.lines().filter_map(heading).collect();
    let real: BTreeMap<_, _> =
        crates().into_iter().map(|(name, (folder, _))| (name, folder)).collect();
    assert_eq!(listed, real);
}

#[test]
fn paths_that_the_architecture_names_exist() {
    let map = text(Path::new("daemon/ARCHITECTURE.md"));
    let quoted = map.split('`').skip(1).step_by(2);
    let tops = ["daemon/", "plugins/", "proto/", "scripts/", "deploy/", "tests/"];
    let paths = quoted.filter(|quoted| tops.iter().any(|top| quoted.starts_with(top)));
    let gone: Vec<_> = paths.filter(|path| !root().join(path).exists()).collect();
    nothing(&gone);
}

#[test]
fn links_between_documents_resolve() {
    let mut dead = Vec::new();
    for path in written().into_iter().filter(|path| is(path, &["md"])) {
        let page = prose(&text(&path));
        for target in page.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if !target.contains("://") && !resolves(&path, target) {
                dead.push(format!("{}: {target}", path.display()));
            }
        }
    }
    nothing(&dead);
    let readme = Path::new("README.md");
    assert!(resolves(readme, "daemon/ARCHITECTURE.md#code-map") && resolves(readme, "#start"));
    assert!(!resolves(readme, "daemon/ARCHITECTURE.md#nowhere") && !resolves(readme, "#nowhere"));
}

/// Whether a link of this page leads to a file, and to a heading of it where it names one.
fn resolves(page: &Path, target: &str) -> bool {
    let (file, heading) = target.split_once('#').unwrap_or((target, ""));
    let there = match file {
        "" => page.to_owned(),
        file => page.parent().unwrap().join(file),
    };
    let is_heading =
        heading.is_empty() || anchors(&text(&there)).iter().any(|anchor| anchor == heading);
    root().join(&there).exists() && is_heading
}

/// The anchors that a Markdown viewer gives to the headings of a page.
fn anchors(page: &str) -> Vec<String> {
    prose(page).lines().filter_map(|line| line.strip_prefix('#')).map(slug).collect()
}

fn slug(title: &str) -> String {
    let title = title.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
    title.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_')).collect()
}

#[test]
fn the_readme_is_short() {
    let lines = text(Path::new("README.md")).lines().count();
    assert!(lines <= README_LINES_MAX, "{lines} lines: the manual in deploy/manual has the rest");
}

#[test]
fn a_glossary_is_short() {
    for page in ["daemon/ARCHITECTURE.md", "deploy/manual/glossary.md"] {
        let all = text(Path::new(page));
        let terms = all.split("# Glossary").nth(1).unwrap_or_default();
        let rows = terms.lines().take_while(|line| !line.starts_with("## "));
        let rows = rows.filter(|line| line.starts_with("| ")).count().saturating_sub(1);
        assert!((1..=GLOSSARY_TERMS_MAX).contains(&rows), "{page}: {rows} terms");
    }
}

/// A page without its fenced blocks of code, where brackets are no links.
fn prose(page: &str) -> String {
    let mut is_code = false;
    let is_prose = |line: &&str| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    };
    page.lines().filter(is_prose).collect::<Vec<_>>().join("\n")
}

#[test]
fn shell_scripts_stop_at_the_first_error_and_can_be_run() {
    use std::os::unix::fs::PermissionsExt;
    let mut wrong = Vec::new();
    for path in written() {
        let script = text(&path);
        if script.starts_with("#!/") {
            let mode = std::fs::metadata(root().join(&path)).unwrap().permissions().mode();
            if mode & 0o111 == 0 {
                wrong.push(format!("{}: not executable", path.display()));
            }
            let shell = script.lines().next().is_some_and(|line| line.contains("sh"));
            if shell && !script.contains("set -euo pipefail") {
                wrong.push(format!("{}: set -euo pipefail", path.display()));
            }
        }
    }
    nothing(&wrong);
}

/// Fails with everything that is wrong, one a line.
fn nothing<T: std::fmt::Display>(wrong: &[T]) {
    let shown: String = wrong.iter().map(|line| format!("\n  {line}")).collect();
    assert!(wrong.is_empty(), "{shown}");
}

/// Files that people wrote: not generated, not locked, not recorded.
fn written() -> Vec<PathBuf> {
    let generated = |path: &PathBuf| {
        path.starts_with("proto/src/gen")
            || path.starts_with("daemon/dashboard/dist")
            || path.starts_with("daemon/dashboard/src/gen")
            || path.starts_with("daemon/dashboard/package-lock.json")
            || path.starts_with("scripts/types")
            || path.starts_with("tests/lint") && is(path, &["yml"])
            || path.starts_with("proto/tests/published.txt")
            || path.starts_with("deploy/config/schema.json")
            || path.starts_with("tests/fuzz/corpus")
            || path.starts_with("LICENSE-APACHE")
            || is(path, &["lock", "snap", "bin", "bmp", "png", "gz", "ttf"])
    };
    files().into_iter().filter(|path| !generated(path)).collect()
}

fn lines_with(paths: &[PathBuf], patterns: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for path in paths {
        for (number, line) in (1..).zip(text(path).lines()) {
            if let Some(pattern) = patterns.iter().find(|pattern| line.contains(**pattern)) {
                found.push(format!("{}:{number}: {pattern}", path.display()));
            }
        }
    }
    found
}

fn games() -> Vec<String> {
    let entries = std::fs::read_dir(root().join("plugins")).unwrap();
    let folders = entries.flatten().filter(|entry| entry.path().join("Cargo.toml").is_file());
    let names = folders.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| !SHARED_PLUGINS.contains(&name.as_str())).collect()
}

/// The folder and the manifest of every crate, by name.
fn crates() -> BTreeMap<String, (PathBuf, toml::Table)> {
    let workspace: toml::Table = text(Path::new("Cargo.toml")).parse().unwrap();
    let members = workspace.get("workspace").unwrap().get("members").unwrap().as_array().unwrap();
    let folders = members.iter().flat_map(|member| member_folders(member.as_str().unwrap()));
    let read = |folder: PathBuf| {
        let manifest: toml::Table = text(&folder.join("Cargo.toml")).parse().unwrap();
        let name = manifest.get("package").unwrap().get("name").unwrap().as_str().unwrap();
        (name.to_owned(), (folder, manifest.clone()))
    };
    folders.map(read).collect()
}

/// The folders of a member: itself, or all below it.
fn member_folders(member: &str) -> Vec<PathBuf> {
    let Some(parent) = member.strip_suffix("/*") else { return vec![PathBuf::from(member)] };
    let entries = std::fs::read_dir(root().join(parent)).unwrap().flatten();
    let folders = entries.filter(|entry| entry.path().join("Cargo.toml").is_file());
    folders.map(|entry| Path::new(parent).join(entry.file_name())).collect()
}

fn names(manifest: &toml::Table, section: &str) -> Vec<String> {
    let table = manifest.get(section).and_then(toml::Value::as_table);
    table.map(|table| table.keys().cloned().collect()).unwrap_or_default()
}
