//! What a fuzzed control API has besides teams: an arena, a league, a ladder, a tune run, a recording
//! and the process. They refuse what would open a socket, play a match or write a file.

use futures_util::future::{BoxFuture, ready};
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt, StreamExt};
use phalanx_control::{
    About, ArenaAsk, ArenaDirectory, ArenaEvent, ArenaRefusal, ArenaState, ArenaStatus, ArenaView,
    Begun, Host, LabDirectory, LadderMatchAsk, LeagueAsk, LeagueDirectory, LeagueEvent,
    LeagueRefusal, LeagueState, LeagueStatus, LeagueView, LogFilter, LogFilterError, Messages,
    PartFile, RecordingDirectory, RecordingRefusal, Reloaded, SettingRefusal, Started,
};
use phalanx_game::{ConnectionId, Part, Picture, Score, Turn, Verdict};
use phalanx_league::{LeagueContestant, LeagueDefinition, LeagueTable, Pairing, Seeds};
use phalanx_net::{ArenaTruth, HostEvent};
use phalanx_proto::v1;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The name of everything but the recording.
pub(super) const NAME: &str = "x";
/// The id of the recording.
pub(super) const RECORDING: &str = "A-assemble-20261122T013000Z";

/// The arena, which is over, and requests for others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arenas;

impl ArenaDirectory for Arenas {
    fn arenas(&self) -> Vec<Arc<dyn ArenaView>> {
        vec![Arc::new(Self)]
    }

    fn start(&self, _ask: ArenaAsk, check: bool) -> BoxFuture<'static, Started> {
        let refused = ArenaRefusal::TooMany(1);
        let started: Started = if check { Ok(Arc::new(Self)) } else { Err(refused) };
        ready(started).boxed()
    }
}

impl ArenaView for Arenas {
    fn status(&self) -> ArenaStatus {
        ArenaStatus {
            name: NAME.to_owned(),
            game: "assemble".to_owned(),
            variant: Some(("sim1".to_owned(), 7)),
            address: None,
            state: ArenaState::Over,
            verdict: verdict(),
            clients: 1,
            sides: Vec::new(),
            summary: String::new(),
            by: String::new(),
            started: SystemTime::UNIX_EPOCH,
            ended: None,
            files: None,
            other_seeds: false,
        }
    }

    fn truth(&self) -> BoxFuture<'static, Option<Arc<ArenaTruth>>> {
        let picture = Picture::of(Part::default());
        ready(Some(Arc::new(ArenaTruth { version: 3, at: Turn::new(1, 5), picture }))).boxed()
    }

    fn events(&self) -> BoxStream<'static, ArenaEvent> {
        let (client, peer) = (ConnectionId(0), "127.0.0.1:9".to_owned());
        let connected = ArenaEvent::Host(HostEvent::Connected { client, peer });
        let progress = ArenaEvent::Host(HostEvent::Progress(verdict()));
        let ended = ArenaEvent::Ended(Box::new(self.status()));
        stream::iter([connected, progress, ended]).boxed()
    }

    fn begin(&self) {}

    fn stop(&self) -> BoxFuture<'static, ()> {
        ready(()).boxed()
    }
}

fn verdict() -> Verdict {
    let teams = vec![Score { rounds: vec![-3], ..Score::of("A") }];
    Verdict { over: true, round: 1, step: 5, steps: 5, teams }
}

/// The league, which is over, and requests for others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leagues;

impl LeagueDirectory for Leagues {
    fn leagues(&self) -> Vec<Arc<dyn LeagueView>> {
        vec![Arc::new(Self)]
    }

    fn create(&self, _ask: LeagueAsk, check: bool) -> BoxFuture<'static, Begun> {
        let refused = LeagueRefusal::TooMany("one is played".to_owned());
        let begun: Begun = if check { Ok(Arc::new(Self)) } else { Err(refused) };
        ready(begun).boxed()
    }

    fn resume(&self, name: &str, _by: String) -> BoxFuture<'static, Begun> {
        ready(Err(refusal(name))).boxed()
    }

    fn delete(&self, name: &str) -> BoxFuture<'static, Result<(), LeagueRefusal>> {
        ready(Err(refusal(name))).boxed()
    }
}

fn refusal(name: &str) -> LeagueRefusal {
    if name == NAME { LeagueRefusal::Over } else { LeagueRefusal::NotFound }
}

impl LeagueView for Leagues {
    fn name(&self) -> &str {
        NAME
    }

    fn status(&self) -> LeagueStatus {
        let player = |name: &str| LeagueContestant {
            name: name.to_owned(),
            identity: name.to_owned(),
            source: String::new(),
        };
        let plan = LeagueDefinition {
            game: "assemble".to_owned(),
            game_files: None,
            setup: [("variant".to_owned(), "sim1".to_owned())].into(),
            players: vec![player("a"), player("b")],
            pairing: Pairing::RoundRobin,
            seeds: Seeds { first: 1, count: 2 },
            swap: true,
            sprt: None,
        };
        let standing = LeagueTable {
            played: 4,
            failed: 0,
            failures: Vec::new(),
            total: 4,
            rows: Vec::new(),
            sprt: None,
            decided: None,
        };
        LeagueStatus {
            name: NAME.to_owned(),
            plan: Arc::new(plan),
            state: LeagueState::Over,
            standing: Arc::new(standing),
            trouble: String::new(),
            by: String::new(),
            started: None,
            folder: None,
            workers: Vec::new(),
        }
    }

    fn events(&self) -> BoxStream<'static, LeagueEvent> {
        stream::iter([LeagueEvent::Lost(1), LeagueEvent::Ended(Box::new(self.status()))]).boxed()
    }

    fn cancel(&self) -> BoxFuture<'static, ()> {
        ready(()).boxed()
    }
}

/// One ladder and one tune run, without matches and candidates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lab;

impl LabDirectory for Lab {
    fn server(&self) -> Option<v1::LabServer> {
        None
    }

    fn ladders(&self) -> Vec<v1::Ladder> {
        vec![v1::Ladder { name: format!("ladders/{NAME}"), ..v1::Ladder::default() }]
    }

    fn ladder(&self, id: &str) -> Option<v1::GetLadderResponse> {
        (id == NAME).then(v1::GetLadderResponse::default)
    }

    fn ladder_matches(&self, id: &str, _ask: &LadderMatchAsk) -> Option<Vec<v1::LadderMatch>> {
        (id == NAME).then(Vec::new)
    }

    fn tune_runs(&self) -> Vec<v1::TuneRun> {
        vec![v1::TuneRun { name: format!("tuneRuns/{NAME}"), ..v1::TuneRun::default() }]
    }

    fn tune_run(&self, id: &str) -> Option<v1::GetTuneRunResponse> {
        (id == NAME).then(v1::GetTuneRunResponse::default)
    }
}

/// The recording, with its one file.
#[derive(Clone, Debug)]
pub(super) struct Recordings(pub(super) PathBuf);

impl Recordings {
    fn known(id: &str) -> Result<(), RecordingRefusal> {
        if id == RECORDING { Ok(()) } else { Err(RecordingRefusal::NotFound) }
    }
}

impl RecordingDirectory for Recordings {
    fn recordings(&self) -> Result<Vec<v1::Recording>, RecordingRefusal> {
        Ok(vec![self.recording(RECORDING)?])
    }

    fn recording(&self, id: &str) -> Result<v1::Recording, RecordingRefusal> {
        Self::known(id)?;
        Ok(v1::Recording {
            name: format!("recordings/{id}"),
            team: "A".to_owned(),
            game: "assemble".to_owned(),
            ..v1::Recording::default()
        })
    }

    fn replay(&self, id: &str, _from: Duration) -> Result<Messages, RecordingRefusal> {
        Self::known(id)?;
        Ok(Box::new(std::iter::repeat_n(v1::ReplayRecordingResponse::default(), 2)))
    }

    fn part(&self, id: &str, number: u32) -> Result<PartFile, RecordingRefusal> {
        Self::known(id)?;
        if number > 1 {
            return Err(RecordingRefusal::NotFound);
        }
        let unreadable = |error: std::io::Error| RecordingRefusal::Unreadable(error.to_string());
        let file = File::open(&self.0).map_err(unreadable)?;
        Ok(PartFile { path: self.0.clone(), file })
    }

    fn delete(&self, id: &str) -> Result<(), RecordingRefusal> {
        Self::known(id)?;
        Err(RecordingRefusal::Written)
    }

    fn write_flight_recorder(&self, _team: &str, _cause: &str) -> Result<String, RecordingRefusal> {
        Err(RecordingRefusal::NoFlightRecorder)
    }
}

/// The process.
#[derive(Clone, Copy, Debug)]
pub(super) struct Process;

impl Host for Process {
    fn about(&self) -> About {
        About {
            version: "1.2.3".to_owned(),
            build: String::new(),
            instance: String::new(),
            started: SystemTime::UNIX_EPOCH,
            settings: vec![("teams".to_owned(), "1".to_owned())],
            resident_bytes: 1,
        }
    }

    fn log_filter(&self) -> LogFilter {
        LogFilter { filter: "info".to_owned(), configured: "info".to_owned(), until: None }
    }

    fn set_log_filter(
        &self,
        filter: &str,
        life: Option<Duration>,
    ) -> Result<LogFilter, LogFilterError> {
        if filter.is_empty() {
            return Err(LogFilterError { column: 1, reason: "it is empty".to_owned() });
        }
        let until = life.and_then(|life| SystemTime::UNIX_EPOCH.checked_add(life));
        Ok(LogFilter { filter: filter.to_owned(), until, ..self.log_filter() })
    }

    fn reload(&self, _by: String, validate_only: bool) -> Option<BoxFuture<'static, Reloaded>> {
        let refused = SettingRefusal { key: "teams".to_owned(), reason: "fuzzed".to_owned() };
        let refused = if validate_only { Vec::new() } else { vec![refused] };
        Some(ready(Reloaded { refused, ..Reloaded::default() }).boxed())
    }
}
