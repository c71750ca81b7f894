//! One session: a client and its simulations.

use super::config::ArenaConfig;
use super::picture;
use super::record::SimulationResult;
use crate::rules::{
    ActionOutcome, Cell, Senses, Simulation, TileKind, TileMap, TurnAction, WorldRng, generate,
};
use crate::wire::{self, AnnouncedTile, ClientRequest, Dialect, DisplayMark, KnownTile, Symbol};
use phalanx_game::sorted::SortedMap;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Most requests of one turn before a client counts as running wild (spec section 11.2).
const REQUESTS_MAX: u32 = 100_000;

/// Most bytes of one turn, likewise.
const TURN_BYTES_MAX: usize = 4 << 20;

/// Text messages that are kept for the picture.
const TEXTS_MAX: usize = 5;

/// Worlds in a row that luck may refuse before a session is given up.
const WORLDS_MAX: u64 = 1000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stand {
    Playing,
    Complete,
    Broken(String),
}

/// One session.
#[derive(Debug)]
pub(super) struct ArenaSession {
    /// Which of the run, from 0.
    pub(super) number: usize,
    /// Results of its simulations so far.
    pub(super) records: Vec<SimulationResult>,
    /// When the client must have said something.
    due: Option<Instant>,
    /// Until then what the client says is not answered.
    rests_until: Option<Instant>,
    /// What the client said meanwhile.
    held: Vec<u8>,
    /// How the client wants numbers; `None` before its first byte.
    dialect: Option<Dialect>,
    simulation: Option<Simulation>,
    /// The simulation that ended last.
    pub(super) last: Option<Simulation>,
    /// The number of the next world that is tried.
    next_world: u64,
    world: u64,
    input: Vec<u8>,
    output: Vec<u8>,
    requests: u32,
    turn_bytes: usize,
    marks: SortedMap<Cell, Symbol>,
    texts: VecDeque<String>,
    stand: Stand,
}

impl ArenaSession {
    pub(super) fn new(number: usize, config: &ArenaConfig, now: Instant) -> Self {
        Self {
            number,
            records: Vec::new(),
            due: Some(now + config.handshake_timeout),
            rests_until: None,
            held: Vec::new(),
            dialect: None,
            simulation: None,
            last: None,
            next_world: 0,
            world: 0,
            input: Vec::new(),
            output: Vec::new(),
            requests: 0,
            turn_bytes: 0,
            marks: SortedMap::new(),
            texts: VecDeque::new(),
            stand: Stand::Playing,
        }
    }

    pub(super) fn simulation(&self) -> Option<&Simulation> {
        self.simulation.as_ref()
    }

    pub(super) fn stand(&self) -> Stand {
        self.stand.clone()
    }

    pub(super) fn take_output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.output)
    }

    /// Simulations begun, and actions done in the running one.
    pub(super) fn place(&self) -> (u32, u32) {
        let running = self.simulation.as_ref();
        let rounds = self.records.len() + usize::from(running.is_some());
        let actions = running.map_or(0, |simulation| simulation.actions);
        let narrow = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        (narrow(rounds as u64), narrow(actions))
    }

    /// Whether what comes now has to wait.
    pub(super) fn rests(&self, now: Instant) -> bool {
        self.rests_until.is_some_and(|until| now < until)
    }

    /// Keeps bytes that have to wait. More than a turn may have are not kept: the session ends.
    pub(super) fn hold(&mut self, bytes: &[u8]) {
        if self.held.len() + bytes.len() > TURN_BYTES_MAX {
            self.stand = Stand::Broken(too_long());
            return;
        }
        self.held.extend_from_slice(bytes);
    }

    /// Whether bytes have waited long enough.
    pub(super) fn is_rested(&self, now: Instant) -> bool {
        !self.held.is_empty() && !self.rests(now)
    }

    /// Reads the bytes that waited.
    pub(super) fn resume(&mut self, config: &ArenaConfig, pace: Duration, now: Instant) {
        let held = std::mem::take(&mut self.held);
        self.read(&held, config, pace, now);
    }

    /// Whether the client should have said something by now.
    pub(super) fn is_late(&self, now: Instant) -> bool {
        self.held.is_empty() && self.due.is_some_and(|due| due <= now)
    }

    pub(super) fn poll_timeout(&self) -> Option<Instant> {
        if self.held.is_empty() { self.due } else { self.rests_until }
    }

    /// Bytes of the client. Those that come before its turn wait for it. After an action the
    /// session rests for `pace`.
    pub(super) fn read(
        &mut self,
        bytes: &[u8],
        config: &ArenaConfig,
        pace: Duration,
        now: Instant,
    ) {
        let before = self.place();
        self.take_in(bytes, config, now);
        if !pace.is_zero() && self.place() != before {
            self.rests_until = Some(now + pace);
        }
    }

    fn take_in(&mut self, bytes: &[u8], config: &ArenaConfig, now: Instant) {
        if self.stand != Stand::Playing {
            return;
        }
        let mut bytes = bytes;
        if self.dialect.is_none() {
            let Some((info, rest)) = bytes.split_first() else { return };
            if config.strict_client && !rest.is_empty() {
                self.stand = Stand::Broken(out_of_turn("the info byte", rest));
                return;
            }
            self.dialect = Some(config.dialect.informed(*info));
            bytes = rest;
            self.begin(config, now);
        }
        self.turn_bytes += bytes.len();
        self.input.extend_from_slice(bytes);
        if let Err(reason) = self.requests(config, now) {
            self.stand = Stand::Broken(reason);
        }
    }

    /// Does what the client said, as far as it has said it.
    fn requests(&mut self, config: &ArenaConfig, now: Instant) -> Result<(), String> {
        let mut from = 0;
        while let (Some(dialect), Stand::Playing) = (self.dialect, &self.stand) {
            let rest = self.input.get(from..).unwrap_or_default();
            if rest.is_empty() {
                break;
            }
            match wire::decode_request(rest, dialect) {
                Ok(None) => break,
                Ok(Some((request, length))) => {
                    let more = rest.get(length..).unwrap_or_default();
                    if config.strict_client
                        && matches!(request, ClientRequest::Act(_))
                        && !more.is_empty()
                    {
                        return Err(out_of_turn("an action", more));
                    }
                    from += length;
                    self.request(request, config, now);
                }
                Err(error) if config.strict_client => return Err(error.to_string()),
                Err(_) => from += 1,
            }
            self.requests += 1;
            if self.requests > REQUESTS_MAX {
                return Err(format!("more than {REQUESTS_MAX} requests in one turn"));
            }
        }
        self.input.drain(..from);
        if self.turn_bytes > TURN_BYTES_MAX {
            return Err(too_long());
        }
        Ok(())
    }

    fn request(&mut self, request: ClientRequest, config: &ArenaConfig, now: Instant) {
        match request {
            ClientRequest::ClearMarks => self.marks.clear(),
            ClientRequest::Mark(DisplayMark { at, symbol: Symbol::None }) => {
                self.marks.remove(&at);
            }
            ClientRequest::Mark(mark) => self.mark(mark),
            ClientRequest::Text(text) => {
                if self.texts.len() >= TEXTS_MAX {
                    self.texts.pop_front();
                }
                let text: String = text.into_iter().take(200).map(char::from).collect();
                self.texts.push_back(text.escape_default().to_string());
            }
            ClientRequest::Act(act) => self.act(act, config, now),
        }
    }

    /// Symbols outside of the map are ignored.
    fn mark(&mut self, mark: DisplayMark) {
        let Some(simulation) = &self.simulation else { return };
        let (low, high) = simulation.map.border();
        let inside = (low.x..=high.x).contains(&mark.at.x) && (low.y..=high.y).contains(&mark.at.y);
        if inside {
            self.marks.insert(mark.at, mark.symbol);
        }
    }

    fn act(&mut self, act: TurnAction, config: &ArenaConfig, now: Instant) {
        (self.requests, self.turn_bytes) = (0, 0);
        self.due = config.turn_timeout.map(|limit| now + limit);
        let (Some(simulation), Some(dialect)) = (&mut self.simulation, self.dialect) else {
            return;
        };
        let mut outcome = simulation.act(act);
        if outcome.end.is_none() && simulation.actions >= config.max_actions {
            let ActionOutcome { senses, end } = simulation.stop();
            let (bump, neutralized) = (outcome.senses.bump, outcome.senses.neutralized);
            outcome = ActionOutcome { senses: Senses { bump, neutralized, ..senses }, end };
        }
        self.output.push(wire::encode_senses(outcome.senses, dialect));
        if let Some(end) = outcome.end {
            self.output.extend(wire::encode_score(simulation.score, dialect));
            self.record(end.word());
            self.begin(config, now);
        }
    }

    fn record(&mut self, end: &'static str) {
        if let Some(simulation) = self.simulation.take() {
            self.records.push(SimulationResult::of(&simulation, self.world, end));
            self.last = Some(simulation);
        }
    }

    /// A simulation that the client's leaving ended: no reward for a home.
    pub(super) fn abort(&mut self) {
        self.record("aborted");
    }

    pub(super) fn time_out(&mut self) {
        self.due = None;
        let reason = if self.dialect.is_none() { "no info byte" } else { "no action" };
        self.stand = Stand::Broken(format!("{reason} in time"));
    }

    /// Begins the next simulation, or says that there is none.
    fn begin(&mut self, config: &ArenaConfig, now: Instant) {
        self.marks.clear();
        self.texts.clear();
        let begun = u32::try_from(self.records.len()).unwrap_or(u32::MAX);
        let Some(dialect) = self.dialect.filter(|_| begun < config.simulations) else {
            self.stand = Stand::Complete;
            return;
        };
        self.due = config.turn_timeout.map(|limit| now + limit);
        for _ in 0..WORLDS_MAX {
            self.world = self.next_world;
            self.next_world += 1;
            let mut chance = WorldRng::new(config.seed, self.world);
            // A world that luck makes impossible is passed over; the next number has another.
            let Ok(made) = generate(&config.class, config.bounds_mean, &mut chance) else {
                continue;
            };
            let Ok(rules) = wire::encode_rules(&made.rules, dialect) else { continue };
            let (simulation, first) = Simulation::new(made.rules, config.terms, made.map);
            let tiles = known_tiles(&simulation, config.class.border_known);
            self.output.extend(rules);
            self.output.extend(wire::encode_opening(first, &tiles, config.plain_danger, dialect));
            self.simulation = Some(simulation);
            return;
        }
        self.stand = Stand::Broken("no world can be made of this class".to_owned());
    }

    pub(super) fn draw(&self, colour: bool) -> String {
        let Some(simulation) = &self.simulation else { return String::new() };
        let (round, _) = self.place();
        let mut out = format!("simulation {round}  ");
        picture::draw(&mut out, simulation, &self.marks, colour);
        for text in &self.texts {
            out.push_str("| ");
            out.push_str(text);
            out.push('\n');
        }
        out
    }
}

fn too_long() -> String {
    format!("more than {TURN_BYTES_MAX} bytes in one turn")
}

/// A client may send only in its turn. A client that sends before the answer did not wait for its
/// percept (spec section 11.2).
fn out_of_turn(last: &str, more: &[u8]) -> String {
    let count = more.len();
    format!("out of turn: {count} bytes directly after {last}; expected silence until the answer")
}

/// What the opening lists: all known tiles but the start.
fn known_tiles(simulation: &Simulation, border_known: bool) -> Vec<KnownTile> {
    let map = &simulation.map;
    let known = map.iter().filter(|(at, tile)| tile.known && *at != Cell::ZERO);
    let mut tiles: Vec<KnownTile> = known
        .map(|(at, tile)| {
            let (home, item, enemy) = (tile.home, tile.item, tile.enemy);
            let (hostility, fear) = simulation.menace(at);
            let known = match tile.kind {
                TileKind::Wall => AnnouncedTile::Wall,
                TileKind::Danger => AnnouncedTile::Danger { enemy },
                TileKind::Clear if enemy => AnnouncedTile::Guarded { home, item },
                TileKind::Clear => AnnouncedTile::Clear { home, item, hostility, fear },
            };
            KnownTile { at, known }
        })
        .collect();
    if border_known {
        tiles.extend(border(map).map(|at| KnownTile { at, known: AnnouncedTile::Wall }));
    }
    tiles
}

/// The places of the border ring.
fn border(map: &TileMap) -> impl Iterator<Item = Cell> {
    let (low, high) = map.border();
    let across = (low.x..=high.x).flat_map(move |x| [Cell::new(x, low.y), Cell::new(x, high.y)]);
    let along = (low.y + 1..high.y).flat_map(move |y| [Cell::new(low.x, y), Cell::new(high.x, y)]);
    across.chain(along)
}
