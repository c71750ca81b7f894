//! `phalanx worker`, and leagues and tune runs on a queue, with a real nats-server.

use crate::nats::NatsServer;
use crate::support::{
    PATIENCE, PHALANX, Running, SLOW, WALKS, pause, phalanx, quiet, refused, stderr, strategy, text,
};
use crate::tune::HASTY;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use serde_json::Value;
use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Instant;

/// A worker in the background; its log can be read as if it were its standard output.
fn worker(server: &str, more: &[&str]) -> Running {
    let mut shell = quiet(Command::new("sh"));
    shell.arg("-c").arg(r#"exec "$0" "$@" 2>&1"#).arg(PHALANX).args(["worker", "--nats", server]);
    shell.args(more);
    Running::start(shell)
}

fn league(walks: &str, folder: &Path, more: &[&str]) -> Command {
    let mut command = quiet(Command::new(PHALANX));
    command.args(["league", "run", "--game", "assemble", "--steps", "60", "--seeds", "1..12"]);
    command.args(["--strategy", walks, "--strategy", "idle", "--output", "json"]);
    command.arg("--folder").arg(folder).args(more).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn results(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("results.jsonl")).unwrap_or_default()
}

/// Starts a league, and returns when it has the right to coordinate its matches and waits for a
/// worker: what asks for them now comes second, however slow this machine is.
fn without_workers(mut league: Command, folder: &Path) -> Child {
    let said = folder.with_extension("said");
    let child = league.stderr(File::create(&said).unwrap()).spawn().unwrap();
    let (begun, read) = (Instant::now(), || std::fs::read_to_string(&said).unwrap());
    while !read().contains("wait for a worker") {
        assert!(begun.elapsed() < PATIENCE, "it does not ask for workers: {}", read());
        pause();
    }
    child
}

/// Waits until a league has this many results.
fn played(folder: &Path, count: usize) {
    let begun = Instant::now();
    while results(folder).lines().count() < count {
        assert!(begun.elapsed() < PATIENCE, "the league does not go on: {}", results(folder));
        pause();
    }
}

/// What a program says that must end by itself; it is killed after a while.
fn ended(mut command: Command) -> Output {
    let mut child = command.spawn().unwrap();
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > PATIENCE {
            child.kill().unwrap();
        }
        pause();
    }
    child.wait_with_output().unwrap()
}

#[test]
fn each_match_counts_once_though_workers_coordinator_and_server_are_killed() {
    let Some(mut server) = NatsServer::start() else { return };
    let dir = tempfile::tempdir().unwrap();
    let walks = strategy(dir.path(), "walks", WALKS);
    let here = dir.path().join("here");
    let output = league(&walks, &here, &[]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));

    let (there, url) = (dir.path().join("there"), server.url());
    let queued = || league(&walks, &there, &["--nats", &url]);
    let mut first = queued().spawn().unwrap();
    let killed = worker(&url, &["--threads", "1"]);
    played(&there, 3);
    killed.signal("KILL");
    let _workers = [(); 2].map(|()| worker(&url, &["--threads", "1"]));
    played(&there, 6);
    server.restart();
    played(&there, 9);
    first.kill().unwrap();
    first.wait().unwrap();
    // The same command goes on, without waiting for the lease of the first one to lapse.
    let output = queued().output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(results(&there), results(&here));
    let shown: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&shown["played"], &shown["failed"]), (&24.into(), &0.into()));
}

#[test]
fn a_second_coordinator_is_told_who_is_first_and_ctrl_c_lets_others_go_on() {
    let Some(server) = NatsServer::start() else { return };
    let dir = tempfile::tempdir().unwrap();
    let walks = strategy(dir.path(), "walks", WALKS);
    let (one, two) = (dir.path().join("one"), dir.path().join("two"));
    let url = server.url();
    let mut first = without_workers(league(&walks, &one, &["--nats", &url]), &one);
    let second = ended(league(&walks, &two, &["--nats", &url]));
    let said = stderr(&second);
    assert_eq!(second.status.code(), Some(1), "{said}");
    assert!(said.contains(&format!("coordinated by process {}", first.id())), "{said}");
    let pid = first.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    assert_eq!(first.wait().unwrap().code(), Some(130));
    let _worker = worker(&url, &["--threads", "1"]);
    let second = league(&walks, &two, &["--nats", &url]).output().unwrap();
    assert!(second.status.success(), "{}", stderr(&second));
    assert_eq!(results(&two).lines().count(), 24);
}

/// Moves the wall clock of the programs that load it by `CLOCK_SKEW` seconds.
const SKEWED_CLOCK: &str = r#"
    #define _GNU_SOURCE
    #include <stdlib.h>
    #include <sys/syscall.h>
    #include <sys/time.h>
    #include <time.h>
    #include <unistd.h>
    static long skew(void) {
        const char *text = getenv("CLOCK_SKEW");
        return text ? atol(text) : 0;
    }
    int clock_gettime(clockid_t clock, struct timespec *now) {
        int done = syscall(SYS_clock_gettime, clock, now);
        if (done == 0 && clock == CLOCK_REALTIME) now->tv_sec += skew();
        return done;
    }
    int gettimeofday(struct timeval *now, void *zone) {
        int done = syscall(SYS_gettimeofday, now, zone);
        if (done == 0) now->tv_sec += skew();
        return done;
    }
    time_t time(time_t *into) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        if (into) *into = now.tv_sec;
        return now.tv_sec;
    }
"#;

#[test]
fn clocks_that_are_years_apart_change_neither_leases_nor_results() {
    let Some(server) = NatsServer::start() else { return };
    let dir = tempfile::tempdir().unwrap();
    let (source, library) = (dir.path().join("clock.c"), dir.path().join("clock.so"));
    std::fs::write(&source, SKEWED_CLOCK).unwrap();
    // Luau is built with the same compiler.
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]).args([&library, &source]);
    assert!(compiler.status().unwrap().success());
    let year = 365 * 24 * 60 * 60;
    let at = |mut command: Command, years: i64| {
        command.env("LD_PRELOAD", &library).env("CLOCK_SKEW", (years * year).to_string());
        command
    };
    let year_at = |years| {
        let mut date = Command::new("date");
        date.arg("+%Y");
        let shown = at(date, years).output().unwrap();
        String::from_utf8(shown.stdout).unwrap().trim().parse::<i32>().unwrap()
    };
    let apart = year_at(0) - year_at(-9);
    assert!((8..=10).contains(&apart), "the clock is not moved: {apart}");

    let walks = strategy(dir.path(), "walks", WALKS);
    let folders = ["here", "there", "second"].map(|name| dir.path().join(name));
    let [here, there, second] = &folders;
    let output = league(&walks, here, &[]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let url = server.url();
    let queued = |folder: &Path, years| at(league(&walks, folder, &["--nats", &url]), years);
    let worker = |years| {
        let mut shell = quiet(Command::new("sh"));
        shell.arg("-c").arg(r#"exec "$0" "$@" 2>&1"#).arg(PHALANX);
        shell.args(["worker", "--nats", &url, "--threads", "1"]);
        Running::start(at(shell, years))
    };
    // A coordinator of the future, workers of the past and of a later future.
    let mut first = without_workers(queued(there, 5), there);
    // For a coordinator of the past, the lease of the first one has not lapsed, and for one of a
    // later future neither.
    for years in [-9, 20] {
        let refused = ended(queued(second, years));
        let said = stderr(&refused);
        assert_eq!(refused.status.code(), Some(1), "{said}");
        assert!(said.contains(&format!("coordinated by process {}", first.id())), "{said}");
    }
    let killed = worker(-9);
    played(there, 1);
    killed.signal("KILL");
    let _workers = [-9, 20].map(worker);
    played(there, 8);
    first.kill().unwrap();
    first.wait().unwrap();
    // The lease of a dead process from the future does not keep one of the past waiting.
    let output = queued(there, -9).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(results(there), results(here));
    let shown: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&shown["played"], &shown["failed"]), (&24.into(), &0.into()));
}

/// A tune run of a copy of the explorer: a run that proves something writes into its folder.
fn tune(dir: &Path, more: &[&str]) -> Command {
    let hasty = dir.join("hasty");
    std::fs::create_dir_all(&hasty).unwrap();
    std::fs::write(hasty.join("explorer.luau"), HASTY).unwrap();
    let mut command = quiet(Command::new(PHALANX));
    command.args(["tune", "run", text(&hasty), "--game", "asimulator", "--worlds", "1"]);
    command.args(["--seeds", "1..4", "--budget", "120", "--output", "json"]);
    command.arg("--out").arg(dir.join("out")).args(more);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[test]
fn a_tune_run_on_a_queue_gives_the_bytes_of_one_in_this_process_also_after_ctrl_c() {
    let Some(server) = NatsServer::start() else { return };
    let dir = tempfile::tempdir().unwrap();
    let (here, there) = (dir.path().join("here"), dir.path().join("there"));
    let url = server.url();
    let output = tune(&here, &[]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));

    let _worker = worker(&url, &["--threads", "2"]);
    let first = tune(&there, &["--nats", &url]).spawn().unwrap();
    played(&there.join("out"), 10);
    let pid = first.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let ended = first.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130), "{}", stderr(&ended));
    let output = tune(&there, &["--nats", &url]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let (here, there) = (results(&here.join("out")), results(&there.join("out")));
    assert!(here.lines().count() > 50, "{here}");
    assert_eq!(here, there);
}

/// Scripts that try what a script must not do, in words that the checks before a match do not find.
const HOSTILE: [(&str, &str); 6] = [
    ("loops", "return { decide = function() while true do end end }"),
    (
        "eats",
        "return { decide = function(me)
            local all = {}
            while true do all[#all + 1] = string.rep('x', 1000000) .. #all end
        end }",
    ),
    ("reads", "return { decide = function() return _G['i' .. 'o'].open('/etc/passwd') end }"),
    ("leaves", "return { decide = function() return require('../../..' .. '/etc/passwd') end }"),
    ("starts", "return { decide = function() return _G['o' .. 's'].execute('reboot') end }"),
    (
        "recurses",
        "local function f() return f() + 1 end return { decide = function() return f() end }",
    ),
];

#[test]
fn hostile_strategies_lose_their_matches_and_the_worker_plays_on() {
    let Some(server) = NatsServer::start() else { return };
    let dir = tempfile::tempdir().unwrap();
    let url = server.url();
    let mut words = vec!["league", "run", "--game", "asimulator", "--worlds", "1", "--steps", "1"];
    words.extend(["--seeds", "1", "--output", "json", "--nats", &url]);
    words.extend(["--strategy", "idle"]);
    let folders: Vec<_> = HOSTILE
        .iter()
        .map(|(name, source)| {
            let folder = dir.path().join(name);
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("explorer.luau"), source).unwrap();
            text(&folder).to_owned()
        })
        .collect();
    for folder in &folders {
        words.extend(["--strategy", folder]);
    }
    // Several at once: each decision of a script that does not end takes the longest time.
    let worker = worker(&url, &["--threads", "3", "--match-time", "2m"]);
    let output = phalanx(&words);
    // A script that a trial refuses is not even sent; the others are played to the end.
    assert!(output.status.success(), "{}", stderr(&output));
    let shown: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&shown["played"], &shown["failed"]), (&7.into(), &0.into()), "{shown}");
    worker.terminate();
    let (rest, code) = worker.finish();
    assert_eq!(code, Some(0), "{rest}");
    assert!(rest.contains("7 matches played, 0 refused"), "{rest}");
}

#[test]
fn a_match_over_its_limits_fails_or_is_set_aside_and_others_are_played() {
    let Some(server) = NatsServer::start() else { return };
    let dir = tempfile::tempdir().unwrap();
    let slow = strategy(dir.path(), "slow", SLOW);
    let url = server.url();
    let run = |steps: &str| {
        let words = ["league", "run", "--game", "assemble", "--seeds", "1", "--no-swap"];
        let more = ["--steps", steps, "--strategy", &slow, "--strategy", "idle", "--nats", &url];
        let folder = dir.path().join(steps);
        let kept = ["--folder", text(&folder), "--output", "json"];
        let output = phalanx(&[&words[..], &more, &kept].concat());
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        let shown: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(shown["failures"][0]["count"], 1, "{shown}");
        assert!(stderr(&output).contains("no match can be counted: 1 failed"));
        (results(&folder), stderr(&output))
    };
    let hurried = worker(&url, &["--threads", "1", "--match-time", "1s"]);
    assert!(run("750").0.contains("it took longer than 1s"));
    hurried.terminate();
    assert_eq!(hurried.finish().1, Some(0));
    let _small = worker(&url, &["--threads", "1", "--match-memory", "16"]);
    let (kept, said) = run("751");
    assert!(kept.contains("set aside: it ended 2 workers"), "{kept}");
    assert!(said.contains("match 0 is set aside") && said.contains("signal"), "{said}");
}

#[test]
fn a_server_that_cannot_be_reached_or_half_of_the_credentials_is_named() {
    let words = ["league", "run", "--strategy", "idle", "--strategy", "idle2=idle", "--steps", "1"];
    let said = refused(&[&words[..], &["--nats", "nats://127.0.0.1:1"]].concat(), 1);
    assert!(said.contains("no nats-server answers"), "{said}");
    let said = refused(&["worker", "--nats", "nats://127.0.0.1:1"], 1);
    assert!(said.contains("nats://127.0.0.1:1: no nats-server answers"), "{said}");
    let said = refused(&["worker", "--nats", "nats://127.0.0.1:1", "--nats-user", "me"], 64);
    assert!(said.contains("--nats-user and --nats-password-file belong together"), "{said}");
}

/// A folder with a certificate for 127.0.0.1, and its authority.
fn certificates(dir: &Path) {
    let key = KeyPair::generate().unwrap();
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let issuer = CertifiedIssuer::self_signed(authority, key).unwrap();
    let key = KeyPair::generate().unwrap();
    let server = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
    let server = server.signed_by(&key, &issuer).unwrap();
    std::fs::write(dir.join("ca.pem"), issuer.pem()).unwrap();
    std::fs::write(dir.join("server.pem"), server.pem()).unwrap();
    std::fs::write(dir.join("server.key"), key.serialize_pem()).unwrap();
}

/// A server with the settings of `deploy/nats`, whose certificate authority is `ca.pem` in the
/// folder, and the password of all users in its file `password`.
pub(crate) fn sample_server(dir: &Path) -> Option<NatsServer> {
    certificates(dir);
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/nats/nats.conf");
    let sample = std::fs::read_to_string(sample).unwrap();
    let hash = "$2a$11$PLACEHOLDERPLACEHOLDERPLACEHOLDERPLACEHOLDERPLACEHOLDE";
    assert_eq!(sample.matches(hash).count(), 3);
    let settings = sample
        .replace("listen: \"0.0.0.0:4222\"\n", "")
        .replace("/etc/nats", text(dir))
        .replace("/var/lib/nats", "STORE")
        .replace(hash, "secret");
    std::fs::write(dir.join("password"), "secret\n").unwrap();
    NatsServer::with(&settings)
}

#[test]
fn the_sample_settings_of_a_server_let_each_user_do_its_work_and_no_more() {
    let dir = tempfile::tempdir().unwrap();
    let Some(server) = sample_server(dir.path()) else { return };
    let (password, ca) = (dir.path().join("password"), dir.path().join("ca.pem"));
    let url = server.url().replace("nats://", "tls://");
    let user = |name| {
        let words = ["--nats-user", name, "--nats-password-file", text(&password)];
        [words, ["--nats-ca", text(&ca), "--threads", "1"]].concat()
    };
    let walks = strategy(dir.path(), "walks", WALKS);
    let mut words = vec!["league", "run", "--game", "assemble", "--steps", "3", "--seeds", "1..3"];
    words.extend(["--strategy", &walks, "--strategy", "idle", "--nats", &url, "--output", "json"]);
    let worker = worker(&url, &user("worker"));
    let output = phalanx(&[&words[..], &user("coordinator")].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    worker.terminate();
    let (said, code) = worker.finish();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("6 matches played") && !said.contains("ermissions"), "{said}");
    let build = said.split("worker of version ").nth(1).unwrap().split(':').next().unwrap();
    let (version, sources) = build.split_once('+').unwrap();
    assert_eq!((version, sources.len()), (env!("CARGO_PKG_VERSION"), 16), "{said}");
    // A worker's user cannot coordinate: neither make a queue nor put matches on it.
    let said = refused(&[&words[..], &user("worker")].concat(), 1);
    assert!(said.contains("may not do that") || said.contains("permissions"), "{said}");
    // Without the authority of its certificate the server is not trusted.
    let said = refused(&["worker", "--nats", &url], 1);
    assert!(said.contains("no TLS connection") || said.contains("ertificate"), "{said}");
}
