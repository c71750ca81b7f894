//! Strategy folders: what is read, what is refused, and the messages for the author.

use crate::stage::{API, SKIP, Stage, bundle};
use phalanx_lua::{
    Bundle, Diagnostic, FILE_BYTES_MAX, FILES_MAX, Limits, Severity, check_bundle, declared_params,
};
use rstest::rstest;
use std::path::Path;
use std::sync::Arc;

fn write(dir: &Path, path: &str, source: &str) {
    let path = dir.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, source).unwrap();
}

fn paths(bundle: &Bundle) -> Vec<&str> {
    bundle.files().map(|(path, _)| path).collect()
}

fn refusal(dir: &Path) -> String {
    Bundle::read(dir, &[]).unwrap_err().to_string()
}

fn check(files: &[(&str, &str)], roles: &[&str]) -> Vec<Diagnostic> {
    let roles: Vec<_> = roles.iter().map(|role| (*role).to_owned()).collect();
    check_bundle(&API, bundle(files), &roles, Limits::default())
}

fn lines(findings: &[Diagnostic]) -> Vec<String> {
    let help = |finding: &Diagnostic| finding.help.clone().map(|help| format!(" ({help})"));
    findings
        .iter()
        .map(|finding| format!("{finding}{}", help(finding).unwrap_or_default()))
        .collect()
}

#[test]
fn a_folder_becomes_a_bundle_with_the_shared_modules_under_lib() {
    let (own, shared) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(own.path(), "worker.luau", SKIP);
    write(own.path(), "old.lua", SKIP);
    write(own.path(), "lib/paths.luau", "return 'own'");
    write(own.path(), "README.md", "not a script");
    write(own.path(), ".git/hooks/x.lua", "not read");
    write(own.path(), "types/phalanx.d.luau", "declare act: any");
    write(shared.path(), "paths.lua", "return 'shared'");
    write(shared.path(), "auction.luau", "return 'shared'");
    let bundle = Bundle::read(own.path(), &[shared.path()]).unwrap();
    assert_eq!(paths(&bundle), ["lib/auction.luau", "lib/paths.luau", "old.lua", "worker.luau"]);
    assert_eq!(bundle.source("lib/paths.luau").unwrap().as_ref(), "return 'own'");
    assert_eq!(bundle.root_names().collect::<Vec<_>>(), ["old", "worker"]);
    assert_eq!(bundle.resolve("old"), Some("old.lua"));
}

const TUNED: &str = "run = 'r7'\nmatches = 400\n[values]\ngreed = 0.8\n";

#[test]
fn tuned_values_replace_defaults_and_are_part_of_the_strategy() {
    let folder = tempfile::tempdir().unwrap();
    let worker = "local greed = param('greed', { default = 0.5, max = 1 })
        return { decide = function() return act['goto']({ x = 1, y = 1 }, 1, greed) end }";
    write(folder.path(), "worker.luau", worker);
    let plain = Bundle::read(folder.path(), &[]).unwrap();
    write(folder.path(), "tuned.toml", TUNED);
    write(folder.path(), "lib/tuned.toml", "not read");
    let tuned = Bundle::read(folder.path(), &[]).unwrap();
    assert_eq!(paths(&tuned), ["tuned.toml", "worker.luau"]);
    assert_eq!((tuned.tuned().run.as_str(), tuned.tuned().matches), ("r7", 400));
    assert_ne!(tuned.hash(), plain.hash());
    assert_eq!(tuned.with_tuned(None).unwrap(), plain);
    let default = |bundle: &Bundle| {
        let specs = declared_params(&API, Arc::new(bundle.clone()), Limits::default()).unwrap();
        specs[0].default.as_num()
    };
    assert_eq!((default(&plain), default(&tuned)), (Some(0.5), Some(0.8)));
    let mut stage =
        Stage::new(&[("worker.luau", worker), ("scout.luau", SKIP), ("tuned.toml", TUNED)]);
    assert_eq!(stage.decide(0).unwrap().args[2].as_num(), Some(0.8));
}

#[rstest]
#[case(
    "[values]\ngreed = 7",
    "worker.luau:1: param greed: tuned.toml: parameter greed: expected a number up to 1, got 7"
)]
#[case("[values]\ngreed = ", "tuned.toml:2")]
#[case("pace = 3", "tuned.toml: unknown key \"pace\"")]
fn a_wrong_tuned_file_refuses_the_strategy(#[case] tuned: &str, #[case] want: &str) {
    let worker = "param('greed', { default = 0.5, max = 1 }) return { decide = act.skip }";
    let files = [("worker.luau", worker), ("tuned.toml", tuned)];
    let said = match Bundle::from_files(files) {
        Ok(bundle) => {
            lines(&check_bundle(&API, Arc::new(bundle), &[], Limits::default())).join("\n")
        }
        Err(refused) => refused.to_string(),
    };
    assert!(said.contains(want), "{said}");
}

#[test]
fn equal_files_have_equal_hashes_and_any_change_shows() {
    let hash = |files: &[(&str, &str)]| bundle(files).hash().to_owned();
    let one = hash(&[("a.luau", "x"), ("b.luau", "y")]);
    assert_eq!(one, hash(&[("b.luau", "y"), ("a.luau", "x")]));
    assert_eq!(one.len(), 64);
    for other in [
        [("a.luau", "x"), ("b.luau", "z")],
        [("a.luau", "xb.luau"), ("b.luau", "")],
        [("a.lua", "x"), ("b.luau", "y")],
    ] {
        assert_ne!(one, hash(&other));
    }
}

#[test]
fn a_folder_without_scripts_or_without_itself_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    assert!(refusal(dir.path()).contains("no file ends in .luau or .lua"));
    assert!(refusal(&dir.path().join("gone")).contains("there is no such folder"));
    write(dir.path(), "worker.luau", "return { decide = act.skip }");
    assert!(refusal(&dir.path().join("worker.luau")).contains("name the folder that it is in"));
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_folder_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "worker.luau", SKIP);
    std::os::unix::fs::symlink("/etc/passwd", dir.path().join("passwd.lua")).unwrap();
    assert!(refusal(dir.path()).contains("passwd.lua: is a symbolic link"));
}

#[test]
fn oversized_doubled_and_oddly_encoded_files_are_all_named() {
    let dir = tempfile::tempdir().unwrap();
    let size = usize::try_from(FILE_BYTES_MAX).unwrap() + 1;
    write(dir.path(), "big.luau", &"-".repeat(size));
    write(dir.path(), "twice.lua", SKIP);
    write(dir.path(), "twice.luau", SKIP);
    std::fs::write(dir.path().join("latin.lua"), b"-- caf\xe9").unwrap();
    let refusal = refusal(dir.path());
    assert!(
        refusal.contains("big.luau: has 1048577 bytes, a file has at most 1048576"),
        "{refusal}"
    );
    assert!(refusal.contains("twice.luau: there is twice.lua too"), "{refusal}");
    assert!(refusal.contains("latin.lua: is not UTF-8 text"), "{refusal}");
}

#[test]
fn too_many_files_are_refused() {
    let files = (0..=FILES_MAX).map(|index| (format!("lib/m{index}.luau"), ""));
    let refusal = Bundle::from_files(files).unwrap_err().to_string();
    assert!(refusal.contains("at most 300 files"), "{refusal}");
}

#[rstest]
#[case("../worker.luau")]
#[case("/worker.luau")]
#[case("lib//x.luau")]
#[case("lib/.hidden.luau")]
#[case("worker")]
#[case("a b.luau")]
#[case("a/b/c/d/e/f/g/h/i.luau")]
fn odd_paths_are_refused(#[case] path: &str) {
    assert!(Bundle::from_files([(path, SKIP)]).is_err());
}

#[test]
fn files_in_memory_are_what_a_folder_can_hold() {
    let both = [("a.luau", SKIP), ("a.luau/b.luau", SKIP)];
    let refusal = Bundle::from_files(both).unwrap_err().to_string();
    assert!(refusal.contains("a.luau is a file; it cannot be a folder, too"), "{refusal}");
    let long = format!("{}.luau", "x".repeat(250));
    assert!(Bundle::from_files([(long, SKIP)]).is_err());
    let files = [("worker.luau", SKIP), ("types/phalanx.d.luau", "declare act: any")];
    let bundle = Bundle::from_files(files).unwrap();
    assert_eq!(bundle.files().map(|(path, _)| path).collect::<Vec<_>>(), ["worker.luau"]);
}

#[test]
fn all_mistakes_are_listed_at_once_with_their_lines() {
    let files = [
        ("scout.luau", "return { decide = 7 }"),
        ("worker.luau", "local x = 1\nlocal y =\nreturn {}"),
        ("fetcher.luau", "return { decid = act.skip }"),
        ("thrower.luau", "\nerror('broken')"),
        ("helper.luau", "return { help = 1 }"),
        ("team.luau", "return function() end"),
    ];
    let findings = check(&files, &["worker", "scout", "fetcher", "sentinel", "helpr"]);
    assert_eq!(
        lines(&findings),
        [
            "fetcher.luau: decide: expected a function, got nil; the table has decid: did you mean decide?",
            "helpr.luau: there is no file for the role helpr; there are fetcher, helper, scout, thrower, worker; did you mean helper?",
            "scout.luau: decide: expected a function, got 7",
            "sentinel.luau: there is no file for the role sentinel; there are fetcher, helper, scout, thrower, worker",
            "team.luau: the team's file returns a table with plan: returns a function",
            "thrower.luau:2: broken",
            "worker.luau:3: Expected identifier when parsing expression, got 'return'",
        ]
    );
    assert!(findings.iter().all(|finding| finding.severity == Severity::Error));
}

#[test]
fn the_same_mistakes_keep_a_brain_from_starting() {
    let error = Stage::try_new(&[("worker.luau", "return {}")], Limits::default()).err().unwrap();
    assert_eq!(
        error.to_string(),
        "the strategy cannot play\n  \
         scout.luau: there is no file for the role scout; there are worker\n  \
         worker.luau: decide: expected a function, got nil"
    );
}

#[rstest]
#[case::goto(
    "for i = 1, 3 do\ngoto done\nend",
    "worker.luau:2: ",
    "Luau has no goto; use continue, break or a function"
)]
#[case::label(
    "local x = 1\n::done::",
    "worker.luau:2: ",
    "Luau has no labels, since it has no goto"
)]
#[case::const_("local x <const> = 1", "worker.luau:1: ", "Luau has no <const>; leave it out")]
#[case::close(
    "local x <close> = f()",
    "worker.luau:1: ",
    "Luau has no <close>; leave it out and close by hand"
)]
#[case::and("local x = 1 & 2", "worker.luau:1: ", "Luau has no & operator; use bit32.band")]
#[case::or("local x = 1 | 2", "worker.luau:1: ", "Luau has no | operator; use bit32.bor")]
#[case::xor(
    "local x = 1 ~ 2",
    "worker.luau:1: ",
    "Luau has no ~ operator; use bit32.bnot or bit32.bxor"
)]
#[case::shift("local x = 1 << 2", "worker.luau:1: ", "Luau has no << operator; use bit32.lshift")]
fn what_luau_lacks_is_said_by_name(#[case] source: &str, #[case] place: &str, #[case] help: &str) {
    let findings = check(&[("worker.luau", source)], &[]);
    assert_eq!(findings[0].severity, Severity::Error);
    assert!(findings[0].to_string().starts_with(place), "{:?}", lines(&findings));
    assert_eq!(findings[0].help.as_deref(), Some(help));
}

#[test]
fn what_is_not_in_the_sandbox_is_a_warning() {
    let source = "-- os.time() in a comment and 'io.open' in a text are fine
        local function f() return os.time(), math.tointeger(1), io.open('x') end
        local load = 3
        local t = setmetatable({}, { __gc = f, load = load, os = 'linux' })
        return { decide = function(me) return t.load(t.os) end }";
    let findings = check(&[("worker.luau", source)], &["worker"]);
    let names: Vec<_> = lines(&findings);
    assert_eq!(findings.len(), 4, "{names:#?}");
    assert!(findings.iter().all(|finding| finding.severity == Severity::Warning));
    assert!(names[3].starts_with("worker.luau:4: __gc is not in Luau's sandbox"), "{names:#?}");
}

#[test]
fn valid_luau_has_no_findings() {
    let source = "type Cell = { x: number, y: number } | nil
        type Both = Cell & { z: Array<Array<number>> }
        type Array<T> = { T }
        local function f(cell: Cell): number
            local n = 7 // 2
            n += 1
            for i = 1, 3 do if i == 2 then continue end end
            return (cell :: any).x + n ~= 3 and bit32.band(1, 2) or 0
        end
        return { decide = function(me) return act.skip() end, extra = f, text = `{1} ~ & goto x` }";
    assert_eq!(lines(&check(&[("worker.luau", source)], &["worker"])), Vec::<String>::new());
}

#[test]
fn a_terminal_shows_the_line() {
    let source = "local x = 1\nlocal y = 1 & 2\nreturn {}";
    let finding = check(&[("worker.luau", source)], &[]).remove(0);
    let report = miette::GraphicalReportHandler::new_themed(miette::GraphicalTheme::none());
    let mut text = String::new();
    report.render_report(&mut text, &finding).unwrap();
    assert!(text.contains("local y = 1 & 2") && text.contains("bit32.band"), "{text}");
}
