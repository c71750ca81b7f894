//! `phalanx recording import`: makes a recording from a referee's replay.

use super::replays::IMPORTED;
use crate::args::recorded::ImportArgs;
use anyhow::{Context, Result, bail};
use phalanx_cli::remote::{counted, say};
use phalanx_engine::{
    AgentSnapshot, Drawing, JournalEntry, JournalEvent, Snapshot, Staged, TeamOptions, TeamStart,
    TeamState, TurnDone,
};
use phalanx_game::{DefaultCause, Roster, RosterEntry, SeatId, Turn};
use phalanx_games::replays::{Deed, Found, Head, ReplayForm, Step};
use phalanx_net::{Recorder, SeatAct, Taped, origin};
use phalanx_record::{QueueLimits, Recording, RecordingInfo, RecordingOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// Role of agents whose role is unknown.
const ROLE: &str = "replay";
/// Duration of a step in the recording, since replays do not contain times.
const STEP: Duration = Duration::from_secs(1);
/// Steps between two pictures of the world.
const KEYFRAME_STEPS: u64 = 5;
/// Entries that may wait for the disk; beyond it the import waits.
const WAITING_MAX: u64 = 64;
/// Bytes that may wait for the disk: documents are large, and none may be dropped.
const WAITING_BYTES_MAX: usize = 4 << 30;
/// How long the disk may take for the waiting entries.
const PATIENCE: Duration = Duration::from_secs(600);
/// Interval between checks of the queue.
const PAUSE: Duration = Duration::from_millis(1);

/// `phalanx recording import`.
///
/// # Errors
/// When there is no replay, its format is unknown, or the recording cannot be written.
pub fn import(args: &ImportArgs) -> Result<()> {
    let out = args.out.as_deref();
    if let Some(out) = out.filter(|out| out.exists()) {
        bail!("{} exists already; choose another name, or remove it", out.display());
    }
    let form = ReplayForm::of(&args.path)?;
    let folder = out.and_then(Path::parent).filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let mut tape = None;
    let read = form.read(&args.path, args.team.as_deref(), &mut |found| {
        match (found, &mut tape) {
            (Found::Head(head), None) => tape = Some(Tape::begin(form, folder, head)?),
            (Found::Document(bytes), Some(tape)) => tape.received(&bytes)?,
            (Found::Step(step), Some(tape)) => tape.step(*step)?,
            (Found::Head(_), Some(_)) | (Found::Document(_) | Found::Step(_), None) => {
                bail!("the replay does not begin with the list of teams");
            }
        }
        Ok(())
    });
    let Some(tape) = tape else { return read.and_then(|()| bail!("the replay is empty")) };
    let steps = tape.tick;
    let made = tape.finish();
    let Ok(()) = read else {
        // Half a match would be misleading.
        return read.and(made.and_then(|path| Ok(std::fs::remove_file(path)?)));
    };
    let made = made?;
    let path = match out {
        Some(out) => {
            std::fs::rename(&made, out).with_context(|| format!("{}", out.display()))?;
            out.to_owned()
        }
        None => made,
    };
    say(&format!("{}: {}", path.display(), counted(steps, "step")));
    Ok(())
}

/// The recording that is being made.
struct Tape {
    recording: Arc<Recording>,
    now: Instant,
    /// Entries so far.
    put: u64,
    roster: Roster,
    tick: u64,
    drawn: Option<u64>,
    /// Result of each agent's last action.
    results: Vec<String>,
}

impl Tape {
    fn begin(form: &ReplayForm, folder: &Path, head: Head) -> Result<Self> {
        let Head { team, agents } = head;
        let begun = origin();
        let info = RecordingInfo {
            team: team.clone(),
            game: form.game.to_owned(),
            server: IMPORTED.to_owned(),
            seed: 0,
            game_options: Default::default(),
            script_memory_bytes: 0,
            program_version: env!("CARGO_PKG_VERSION").to_owned(),
            begun,
        };
        let queue = QueueLimits { bytes_max: WAITING_BYTES_MAX, ..QueueLimits::default() };
        let options =
            RecordingOptions { queue, part_bytes_max: u64::MAX, ..RecordingOptions::new(folder) };
        let results = vec![String::new(); agents.len()];
        let agents = agents.into_iter().map(|name| RosterEntry::new(name, ROLE)).collect();
        let roster = Roster { team, agents };
        let mut tape = Self {
            recording: Recording::begin(options, info)?,
            now: begun.instant,
            put: 0,
            roster,
            tick: 0,
            drawn: None,
            results,
        };
        let start = TeamStart {
            seats: vec![SeatId(0); tape.roster.agents.len()],
            options: TeamOptions::default(),
            staged: Staged::default(),
            state: TeamState::new(Arc::new(tape.roster.clone())),
            checkpoint: None,
        };
        tape.put(Taped::Began(Box::new(start)))?;
        Ok(tape)
    }

    /// Records an entry; waits if the disk is behind.
    fn put(&mut self, what: Taped) -> Result<()> {
        self.recording.put(self.now, what);
        self.put += 1;
        let begun = Instant::now();
        loop {
            let status = self.recording.status();
            if let Some(trouble) = status.trouble {
                bail!("cannot write the recording: {trouble}");
            }
            if self.put <= status.messages + WAITING_MAX {
                return Ok(());
            }
            if begun.elapsed() > PATIENCE {
                bail!("cannot write the recording: the disk does not respond");
            }
            // No thread unparks this one: it only sleeps before the next check.
            thread::park_timeout(PAUSE);
        }
    }

    fn received(&mut self, bytes: &[u8]) -> Result<()> {
        self.put(Taped::Seat { seat: SeatId(0), act: SeatAct::Received(bytes.into()) })
    }

    fn journal(&mut self, turn: Turn, agent: Option<String>, event: JournalEvent) -> Result<()> {
        let entry = JournalEntry { turn, agent, generation: 0, event };
        self.put(Taped::Journal(Arc::new(entry)))
    }

    fn step(&mut self, step: Step) -> Result<()> {
        self.now = self.now.checked_add(STEP).context("the replay is too long")?;
        self.tick += 1;
        let turn = step.turn;
        let mut done = TurnDone { score: step.score, ..TurnDone::default() };
        for deed in &step.deeds {
            done.asked += 1;
            let name = self.roster.agents.get(deed.agent).map(|entry| entry.name.clone());
            let event = if deed.action.is_empty() {
                JournalEvent::Defaulted { cause: DefaultCause::NoDecision }
            } else {
                done.decided += 1;
                JournalEvent::Decided {
                    action: deed.action.clone(),
                    role: ROLE.to_owned(),
                    reason: None,
                    spent: Duration::ZERO,
                    grounds: Box::default(),
                }
            };
            self.journal(turn, name, event)?;
        }
        self.journal(turn, None, JournalEvent::TurnDone(done))?;
        let snapshot = self.snapshot(&step);
        self.put(Taped::Snapshot(Arc::new(snapshot)))?;
        for Deed { agent, result, .. } in step.deeds {
            if let Some(known) = self.results.get_mut(agent) {
                *known = result;
            }
        }
        if self.drawn.is_none_or(|drawn| self.tick >= drawn + KEYFRAME_STEPS) {
            self.drawn = Some(self.tick);
            let drawing = Drawing {
                turn,
                tick: self.tick,
                roles: vec![ROLE.to_owned(); self.roster.agents.len()],
                picture: step.picture,
                marks: Vec::new(),
            };
            self.put(Taped::Drawing(Arc::new(drawing)))?;
        }
        Ok(())
    }

    fn snapshot(&self, step: &Step) -> Snapshot {
        let agent = |(index, entry): (usize, &RosterEntry)| {
            let deed = step.deeds.iter().find(|deed| deed.agent == index);
            AgentSnapshot {
                name: entry.name.clone(),
                role: entry.role.clone(),
                summary: deed.map(|deed| deed.summary.clone()).unwrap_or_default(),
                last_asked: deed.map(|_| step.turn),
                last_action: deed.map(|deed| deed.action.clone()).unwrap_or_default(),
                last_result: self.results.get(index).cloned().unwrap_or_default(),
                ..AgentSnapshot::default()
            }
        };
        Snapshot {
            turn: step.turn,
            tick: self.tick,
            score: step.score,
            agents: self.roster.agents.iter().enumerate().map(agent).collect(),
            ..Snapshot::default()
        }
    }

    /// Ends the recording; returns its file.
    fn finish(mut self) -> Result<PathBuf> {
        self.put(Taped::Ended)?;
        let status = self.recording.finish(PATIENCE);
        if let Some(trouble) = status.trouble {
            bail!("cannot write the recording: {trouble}");
        }
        if !status.over || status.lost > 0 {
            bail!("cannot write the recording: the disk did not take all of it in time");
        }
        Ok(status.path)
    }
}
