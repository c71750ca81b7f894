//! The process that plays a worker's matches, one at a time: what goes wrong in it ends this process
//! only, and limits of time and memory hold whatever a script does.

use super::player::{PlayerAnswer, PlayerRequest, SentBundle};
use crate::args::LimitArgs;
use futures_util::{SinkExt, StreamExt};
use phalanx_game::sorted::SortedSet;
use phalanx_league::{Fixture, PlayError, PlayMatch};
use phalanx_queue::{BundleBytes, ItemEnd, MatchItem, PlayItem};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::runtime::Runtime;
use tokio_util::codec::{FramedRead, FramedWrite, LinesCodec};

/// Strategies that a process keeps ready; then a new one begins.
const STRATEGIES_MAX: usize = 64;
/// Longest answer, in bytes.
const ANSWER_MAX: usize = 64 << 10;
/// How long a process that has closed its output may take to end.
const END_MAX: Duration = Duration::from_secs(5);

/// Plays items in a process of its own.
#[derive(Debug)]
pub(crate) struct ProcessPlayer {
    program: PathBuf,
    limits: LimitArgs,
    running: Option<Running>,
}

/// A process that waits for a match.
#[derive(Debug)]
struct Running {
    child: Child,
    input: FramedWrite<ChildStdin, LinesCodec>,
    output: FramedRead<ChildStdout, LinesCodec>,
    /// The strategies that it has.
    known: SortedSet<String>,
}

impl ProcessPlayer {
    pub(crate) fn new(program: PathBuf, limits: LimitArgs) -> Self {
        Self { program, limits, running: None }
    }

    fn start(&self) -> Result<Running, String> {
        let mut command = Command::new(&self.program);
        command.args(["player", "--memory", &self.limits.match_memory.to_string()]);
        // Nothing of this machine is for scripts of others: no environment, no working folder.
        command.env_clear().current_dir("/").kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        // Ctrl-C in a terminal is for this process, which gives matches up in good order.
        command.process_group(0);
        let mut child = command.spawn().map_err(|why| format!("cannot start a process: {why}"))?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (Some(input), Some(output)) = (input, output) else {
            return Err("a process without input and output".to_owned());
        };
        Ok(Running {
            child,
            input: FramedWrite::new(input, LinesCodec::new()),
            output: FramedRead::new(output, LinesCodec::new_with_max_length(ANSWER_MAX)),
            known: SortedSet::new(),
        })
    }
}

impl PlayItem for ProcessPlayer {
    async fn play(&mut self, item: &MatchItem, bundles: &[BundleBytes]) -> ItemEnd {
        // It is put back after the match: a process whose match was given up ends here.
        let running = self.running.take().filter(|one| one.known.len() < STRATEGIES_MAX);
        let mut running = match running.map_or_else(|| self.start(), Ok) {
            Ok(running) => running,
            Err(why) => return ItemEnd::Died(why),
        };
        match tokio::time::timeout(self.limits.match_time, running.ask(item, bundles)).await {
            Err(_) => {
                let time = humantime::format_duration(self.limits.match_time);
                ItemEnd::Failed(format!("it took longer than {time}"))
            }
            Ok(None) => ItemEnd::Died(running.how_it_ended().await),
            Ok(Some(answer)) => {
                self.running = Some(running);
                match answer {
                    PlayerAnswer::Scores(scores) => ItemEnd::Scores(scores),
                    PlayerAnswer::Failed(reason) => ItemEnd::Failed(reason),
                    PlayerAnswer::BadBundle(reason) => ItemEnd::BadBundle(reason),
                }
            }
        }
    }
}

impl Running {
    /// Its answer; `None` when it ended, or says what makes no sense.
    async fn ask(&mut self, item: &MatchItem, bundles: &[BundleBytes]) -> Option<PlayerAnswer> {
        let mut sent = Vec::new();
        for BundleBytes { hash, bytes } in bundles {
            if self.known.insert(hash.clone()) {
                let text = String::from_utf8_lossy(bytes).into_owned();
                sent.push(SentBundle { hash: hash.clone(), text });
            }
        }
        let request = PlayerRequest { item: item.clone(), bundles: sent };
        let line = serde_json::to_string(&request).ok()?;
        self.input.send(line).await.ok()?;
        let line = self.output.next().await?.ok()?;
        let answer = serde_json::from_str(&line).ok()?;
        if matches!(answer, PlayerAnswer::BadBundle(_)) {
            for bundle in bundles {
                self.known.remove(&bundle.hash);
            }
        }
        Some(answer)
    }

    async fn how_it_ended(&mut self) -> String {
        match tokio::time::timeout(END_MAX, self.child.wait()).await {
            Ok(Ok(status)) => described(status),
            Ok(Err(why)) => format!("its process is lost: {why}"),
            Err(_) => "its process closed its output".to_owned(),
        }
    }
}

/// How often a match that is played looks whether it is to stop.
const LOOK: Duration = Duration::from_millis(100);

/// Plays matches on this machine, each in a process with the limits of a worker.
pub(crate) struct ProcessMatches {
    game: String,
    setup: BTreeMap<String, String>,
    limits: LimitArgs,
    program: PathBuf,
    bundles: Mutex<Vec<BundleBytes>>,
    /// Processes that wait for a match.
    idle: Mutex<Vec<ProcessPlayer>>,
    runtime: Runtime,
}

impl ProcessMatches {
    /// Matches of a game; their players are added later.
    ///
    /// # Errors
    /// When this program is not found, or no thread can start.
    pub(crate) fn new(
        game: String,
        setup: BTreeMap<String, String>,
        limits: LimitArgs,
    ) -> anyhow::Result<Self> {
        let program = std::env::current_exe()?;
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(1).enable_all().build()?;
        let (bundles, idle) = (Mutex::default(), Mutex::default());
        Ok(Self { game, setup, limits, program, bundles, idle, runtime })
    }

    /// Adds a player, whose place is behind the others.
    pub(crate) fn add(&self, bundle: BundleBytes) {
        held(&self.bundles).push(bundle);
    }
}

impl PlayMatch for ProcessMatches {
    fn play(&self, fixture: &Fixture, stop: &AtomicBool) -> Result<Vec<i64>, PlayError> {
        let missing = || PlayError::Failed("a player that is not there".to_owned());
        let (item, bundles) = {
            let all = held(&self.bundles);
            let item = MatchItem::new(&self.game, &self.setup, &all, fixture);
            let item = item.ok_or_else(missing)?;
            let of = |hash: &String| all.iter().find(|one| one.hash == *hash).cloned();
            let bundles: Vec<_> = item.bundles.iter().filter_map(of).collect();
            (item, bundles)
        };
        let waiting = held(&self.idle).pop();
        let mut player =
            waiting.unwrap_or_else(|| ProcessPlayer::new(self.program.clone(), self.limits));
        let end = self.runtime.block_on(async {
            let mut look = tokio::time::interval(LOOK);
            let played = player.play(&item, &bundles);
            tokio::pin!(played);
            loop {
                tokio::select! {
                    end = &mut played => return Some(end),
                    _ = look.tick() => {
                        if stop.load(Ordering::Relaxed) {
                            return None;
                        }
                    }
                }
            }
        });
        held(&self.idle).push(player);
        match end {
            None => Err(PlayError::Stopped),
            Some(ItemEnd::Scores(scores)) => Ok(scores),
            Some(ItemEnd::Failed(why) | ItemEnd::Died(why) | ItemEnd::BadBundle(why)) => {
                Err(PlayError::Failed(why))
            }
        }
    }
}

fn held<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn described(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!("its process ended with signal {signal}"),
        (None, Some(code)) => format!("its process ended with exit code {code}"),
        (None, None) => "its process ended".to_owned(),
    }
}
