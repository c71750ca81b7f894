//! Checks the machine: disk, files, memory, processors, clock.

use super::report::{Notes, Report};
use phalanx_control::CONNECTIONS_MAX;
use phalanx_settings::{RecordingMode, RecordingSettings, Settings};
use rustix::process::{Resource, getrlimit};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const MIB: u64 = 1 << 20;
/// With less free space, histories and logs would fill the disk.
const SPACE_MIN: u64 = 64 * MIB;
/// Less free space than this causes a warning.
const SPACE_WISHED: u64 = 1024 * MIB;
/// Bytes that are written to measure the disk: about the size of a strategy's generation.
const PROBE_BYTES: usize = 64 << 10;
/// If writing them takes longer, the disk is reported as slow.
const PROBE_SLOW: Duration = Duration::from_millis(200);
/// Files that the daemon opens for itself: sockets, logs, the runtime.
const FILES_BESIDES: u64 = 64;
/// Files per team in addition to its connections: a recording, a checkpoint, those of its thread,
/// and watched folders.
const FILES_PER_TEAM: u64 = 16;
/// Memory of a daemon in addition to its scripts, in bytes: the need of a team of fifteen.
const MEMORY_BESIDES: u64 = 64 * MIB;
/// Exists when the system's time service has synchronised the clock.
const SYNCHRONIZED: &str = "/run/systemd/timesync/synchronized";

/// Checks everything that the settings need from the machine.
pub(super) fn examine(settings: &Settings, seats: usize) -> Report {
    let mut report = Report::default();
    let mut notes = report.about("machine");
    match &settings.state_dir {
        Some(folder) => disk(&mut notes, folder),
        None => notes.doubt(
            "disk",
            "no state_dir: histories, tokens and the audit log end with the daemon",
            "set state_dir",
        ),
    }
    recordings(&mut notes, &settings.recordings);
    // The daemon raises its soft limit to the hard one.
    files(&mut notes, &files_needed(settings, seats), getrlimit(Resource::Nofile).maximum);
    memory(&mut notes, settings);
    processors(&mut notes);
    let synchronized = Path::new(SYNCHRONIZED).exists();
    let found = if synchronized { "synchronized" } else { "not known to be synchronized" };
    notes.well("clock", format!("{found}; deadlines do not depend on it, times in logs do"));
    report
}

fn disk(notes: &mut Notes<'_>, folder: &Path) {
    let shown = folder.display();
    let access = "give the daemon's user access to it, or set another state_dir";
    if let Err(why) = try_to_write(folder) {
        return notes.fail("disk", format!("{shown} cannot be written: {why}"), access);
    }
    let there = nearest(folder);
    let space = match rustix::fs::statvfs(&there) {
        Ok(about) => about.f_bavail.saturating_mul(about.f_frsize),
        Err(error) => {
            return notes.fail("disk", format!("{shown}: {error}"), "set another state_dir");
        }
    };
    let probed = if there == folder { probe(folder).map(Some) } else { Ok(None) };
    let found = match &probed {
        Ok(Some(time)) => {
            format!("{shown}: {} free, {PROBE_BYTES} bytes synced in {}", size(space), ms(*time))
        }
        Ok(None) => format!("{shown} will be created: {} free", size(space)),
        Err(error) => {
            return notes.fail("disk", format!("{shown} cannot be written: {error}"), access);
        }
    };
    if space < SPACE_MIN {
        notes.fail("disk", found, "free space: what does not fit is lost at the next restart");
    } else if space < SPACE_WISHED {
        notes.doubt("disk", found, "free some space");
    } else if matches!(probed, Ok(Some(time)) if time > PROBE_SLOW) {
        let todo = "find out what else writes there; turns do not wait for it, tokens and new \
                    generations do";
        notes.doubt("disk", found, todo);
    } else {
        notes.well("disk", found);
    }
}

fn recordings(notes: &mut Notes<'_>, settings: &RecordingSettings) {
    let Some(folder) = settings.folder.as_ref().filter(|_| settings.mode != RecordingMode::Off)
    else {
        return;
    };
    let shown = folder.display();
    match try_to_write(folder) {
        Ok(()) => notes.well("recordings", format!("{shown} can be written")),
        Err(why) => {
            let todo = "give the daemon's user access to it, or set another recordings.folder";
            notes.fail("recordings", format!("{shown} cannot be written: {why}"), todo);
        }
    }
}

/// Whether files can be created in the folder, or in the one in which it will be created; the error
/// names that one. Leaves nothing behind.
pub(super) fn try_to_write(folder: &Path) -> Result<(), String> {
    let there = nearest(folder);
    let shown = there.display();
    if !there.is_dir() {
        return Err(format!("{shown} is not a folder"));
    }
    // An attempt also finds what permissions do not show, for example a disk that is read-only.
    tempfile::tempfile_in(&there).map(drop).map_err(|error| format!("{shown}: {error}"))
}

/// The folder, or the nearest existing place above it.
fn nearest(folder: &Path) -> PathBuf {
    let existing = folder.ancestors().find(|above| above.exists());
    let base = if folder.is_absolute() { "/" } else { "." };
    existing.unwrap_or(Path::new(base)).to_owned()
}

/// Time to write and sync a small file.
fn probe(folder: &Path) -> io::Result<Duration> {
    let path = folder.join(format!(".doctor-{}", std::process::id()));
    let begun = Instant::now();
    let written = File::create_new(&path).and_then(|mut file| {
        file.write_all(&[0; PROBE_BYTES])?;
        file.sync_all()
    });
    let time = begun.elapsed();
    let removed = fs::remove_file(&path);
    written.and(removed).map(|()| time)
}

/// Files that the daemon may have open at once, and their purpose.
fn files_needed(settings: &Settings, seats: usize) -> Vec<(u64, &'static str)> {
    let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let listeners = usize::from(settings.control.tcp.is_some())
        + usize::from(settings.control.socket.is_some());
    let foxglove = &settings.foxglove;
    let watching = if foxglove.listen.is_some() { foxglove.clients_max } else { 0 };
    let all = [
        (count(seats), "connections to referees"),
        (count(listeners.saturating_mul(CONNECTIONS_MAX)), "callers of the control API"),
        (count(watching), "Foxglove clients"),
        (count(settings.teams.len()).saturating_mul(FILES_PER_TEAM), "files of teams"),
        (FILES_BESIDES, "others"),
    ];
    all.into_iter().filter(|(count, _)| *count > 0).collect()
}

fn files(notes: &mut Notes<'_>, needed: &[(u64, &str)], limit: Option<u64>) {
    let Some(limit) = limit else {
        return notes.well("files", "any number of open files is allowed here");
    };
    let sum = needed.iter().fold(0_u64, |sum, (count, _)| sum.saturating_add(*count));
    let parts: Vec<_> = needed.iter().map(|(count, what)| format!("{count} {what}")).collect();
    let found = format!(
        "up to {limit} open files allowed here, at most {sum} needed: {}",
        parts.join(", ")
    );
    let todo = "raise the hard limit: LimitNOFILE= in the unit, or `ulimit -Hn` if phalanxd is \
                started by hand; the daemon raises its soft limit itself";
    let seats = needed.first().map_or(0, |(seats, _)| *seats);
    if limit < seats.saturating_add(FILES_BESIDES) {
        notes.fail("files", found, todo);
    } else if limit < sum {
        notes.doubt("files", found, todo);
    } else {
        notes.well("files", found);
    }
}

fn memory(notes: &mut Notes<'_>, settings: &Settings) {
    let teams = u64::try_from(settings.teams.len()).unwrap_or(u64::MAX);
    let scripts = u64::try_from(settings.limits.script_memory).unwrap_or(u64::MAX);
    let needed = teams.saturating_mul(scripts.saturating_add(MEMORY_BESIDES));
    let Some(available) = available() else {
        return notes.well("memory", format!("up to {} needed", size(needed)));
    };
    let found = format!("{} available, up to {} needed", size(available), size(needed));
    if available < needed {
        notes.doubt("memory", found, "lower limits.script_memory, or end other programs");
    } else {
        notes.well("memory", found);
    }
}

/// Memory that is available without swapping, in bytes.
pub(crate) fn available() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

fn processors(notes: &mut Notes<'_>) {
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    let [minute, ..] = rustix::system::sysinfo().loads;
    #[expect(clippy::cast_precision_loss, reason = "a load is a small number")]
    let (load, room) = (minute as f64 / 65_536.0, count as f64);
    let found = format!("{count}, load {load:.2}");
    if load > room {
        notes.doubt("processors", found, "end other programs before the match");
    } else {
        notes.well("processors", found);
    }
}

/// Bytes with a unit: `1.5 GiB`.
fn size(bytes: u64) -> String {
    let mib = bytes / MIB;
    if mib >= 10 * 1024 { format!("{} GiB", mib / 1024) } else { format!("{mib} MiB") }
}

pub(super) fn ms(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::report::Verdict;

    #[test]
    fn a_folder_that_is_missing_is_judged_by_the_one_above() {
        let dir = tempfile::tempdir().expect("a folder");
        assert_eq!(nearest(&dir.path().join("a/b/c")), dir.path());
        let mut report = Report::default();
        disk(&mut report.about("machine"), &dir.path().join("a/b"));
        let found = &report.findings.first().expect("one").found;
        assert!(found.contains("will be created"), "{found}");
    }

    #[test]
    fn a_folder_that_cannot_be_written_will_fail() {
        let mut report = Report::default();
        disk(&mut report.about("machine"), Path::new("/proc"));
        assert_eq!(report.verdict(), Verdict::Failing);
    }

    #[test]
    fn a_folder_that_cannot_be_created_will_fail() {
        let dir = tempfile::tempdir().expect("a folder");
        // No user can create a folder below a file, or in /proc.
        let file = dir.path().join("file");
        fs::write(&file, "").expect("writes");
        let expected = format!("{} is not a folder", file.display());
        for (folder, why) in
            [(file.join("state"), expected.as_str()), ("/proc/phalanx/state".into(), "/proc: ")]
        {
            let settings = RecordingSettings {
                mode: RecordingMode::File,
                folder: Some(folder.clone()),
                ..RecordingSettings::default()
            };
            let mut report = Report::default();
            disk(&mut report.about("machine"), &folder);
            recordings(&mut report.about("machine"), &settings);
            for one in &report.findings {
                assert_eq!(one.verdict, Verdict::Failing, "{one:?}");
                assert!(one.found.contains("cannot be written") && one.found.contains(why));
                assert!(one.todo.contains("access"), "{one:?}");
            }
            assert_eq!(report.findings.len(), 2);
            let mode = RecordingMode::Off;
            recordings(&mut report.about("machine"), &RecordingSettings { mode, ..settings });
            assert_eq!(report.findings.len(), 2, "nothing is recorded");
        }
    }

    #[test]
    fn a_relative_folder_is_judged_by_the_current_one() {
        assert_eq!(nearest(Path::new("no-such-folder/state")), Path::new("."));
        assert_eq!(nearest(Path::new("/no-such-folder/state")), Path::new("/"));
    }

    #[test]
    fn open_files_are_predicted_from_the_settings() {
        let mut settings = Settings::default();
        let sum = |settings: &Settings| {
            let needed = files_needed(settings, 15);
            needed.iter().map(|(count, _)| count).sum::<u64>()
        };
        let alone = sum(&settings);
        assert_eq!(alone, 15 + FILES_BESIDES);
        settings.control.tcp = Some(([127, 0, 0, 1], 7420).into());
        let callers = u64::try_from(CONNECTIONS_MAX).expect("small");
        assert_eq!(sum(&settings), alone + callers);
        settings.foxglove.listen = Some(([127, 0, 0, 1], 8765).into());
        settings.foxglove.clients_max = 100;
        assert_eq!(sum(&settings), alone + callers + 100);
        for (limit, verdict) in [
            (Some(64), Verdict::Failing),
            (Some(512), Verdict::Doubtful),
            (Some(4_096), Verdict::Well),
            (None, Verdict::Well),
        ] {
            let mut report = Report::default();
            files(&mut report.about("machine"), &files_needed(&settings, 15), limit);
            assert_eq!(report.verdict(), verdict, "{limit:?}");
        }
    }

    #[test]
    fn a_probe_leaves_nothing_behind() {
        let dir = tempfile::tempdir().expect("a folder");
        probe(dir.path()).expect("writes");
        assert_eq!(fs::read_dir(dir.path()).expect("lists").count(), 0);
    }
}
