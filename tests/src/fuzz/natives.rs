//! What scripts can call, with arguments from bytes: no call may take much longer than its budget.

use phalanx_engine::{
    Ask, Board, Brain, Generation, Outcome, Shared, Staged, StrategyOrigin, TeamLink,
};
use phalanx_game::{AgentId, Game, Oracle, QueryError, Turn, Value};
use phalanx_lua::{Bundle, Limits, LuaBrain};
use std::cell::RefCell;
use std::fmt::Write as _;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// Longest input that becomes a call.
const BYTES_MAX: usize = 512;
/// The budget of a call.
const BUDGET: Duration = Duration::from_millis(10);
/// Processor time after which a call counts as one that cannot be stopped.
const LONGEST: Duration = Duration::from_millis(250);
/// Only a call that is slow each time counts.
const TRIES: u32 = 3;
/// Memory of the scripts.
const MEMORY_BYTES: usize = 64 << 20;

const FILES: [(&str, &str); 2] = [
    ("worker.luau", "return { decide = function(me) return act.skip() end }"),
    ("natives.luau", include_str!("natives.luau")),
];

/// A world that answers every question with nothing.
struct Nowhere;

impl Oracle for Nowhere {
    fn field(&self, _agent: AgentId, _name: &str) -> Option<Value> {
        None
    }

    fn query(&self, _agent: AgentId, _name: &str, _args: &[Value]) -> Result<Value, QueryError> {
        Ok(Value::Nil)
    }
}

/// A brain, and the turns that it has seen.
struct Stage {
    brain: LuaBrain,
    shared: Rc<RefCell<Shared>>,
    tick: u64,
}

#[expect(clippy::expect_used, reason = "our own files")]
fn stage() -> Stage {
    let roster = super::roster();
    let roles = roster.agents.iter().map(|agent| agent.role.clone()).collect();
    let shared = Rc::new(RefCell::new(Shared::new(Board::default(), roles)));
    let assemble = phalanx_assemble::Assemble;
    let link = TeamLink {
        roster: Arc::new(roster),
        api: &assemble.declaration().api,
        oracle: Rc::new(Nowhere),
        shared: Rc::clone(&shared),
        seed: 7,
    };
    let limits = Limits { memory_bytes: MEMORY_BYTES, ..Limits::default() };
    let brain = LuaBrain::new(link, &staged(), limits).expect("our own files load");
    Stage { brain, shared, tick: 0 }
}

#[expect(clippy::expect_used, reason = "our own files")]
fn staged() -> Staged {
    let bundle = Arc::new(Bundle::from_files(FILES).expect("our own files"));
    let generation = Generation {
        number: 1,
        hash: bundle.hash().to_owned(),
        accepted: SystemTime::UNIX_EPOCH,
        origin: StrategyOrigin::Start,
    };
    phalanx_lua::stage(bundle, Arc::new(generation)).expect("our own files compile")
}

impl Stage {
    /// Runs a piece of script in a turn of its own.
    fn run(&mut self, code: &str) -> Outcome<phalanx_engine::Ran> {
        self.tick += 1;
        self.shared.borrow_mut().advance(self.tick);
        let step = u32::try_from(self.tick % 1_000_000).unwrap_or_default();
        let ask = Ask {
            turn: Turn::new(0, step),
            tick: self.tick,
            agent: AgentId(0),
            present: &[AgentId(0), AgentId(1)],
            budget: BUDGET,
            time_left: BUDGET,
        };
        self.brain.run(&ask, code)
    }
}

/// Processor time of this thread; the real time where the system does not say.
fn spent(begun: Instant) -> Duration {
    let known = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = known.as_deref().and_then(|text| text.split_whitespace().next()?.parse().ok());
    nanos.map_or_else(|| begun.elapsed(), Duration::from_nanos)
}

thread_local! {
    static STAGE: RefCell<Option<Stage>> = const { RefCell::new(None) };
}

/// Makes the call that the bytes say; 1 if it returned.
///
/// # Panics
/// When a call cannot be stopped.
pub(super) fn natives(bytes: &[u8]) -> usize {
    let bytes = bytes.get(..BYTES_MAX).unwrap_or(bytes);
    let mut code = String::from("require('natives')('");
    for byte in bytes {
        // Writing to a text cannot fail.
        write!(code, "\\x{byte:02x}").unwrap_or_default();
    }
    code.push_str("')");
    STAGE.with_borrow_mut(|kept| {
        let stage = kept.get_or_insert_with(stage);
        let (mut best, mut returned) = (Duration::MAX, false);
        for _ in 0..TRIES {
            let begun = Instant::now();
            let before = spent(begun);
            returned = stage.run(&code).result.is_ok();
            best = best.min(spent(begun).saturating_sub(before));
            if best <= LONGEST {
                break;
            }
        }
        assert!(best <= LONGEST, "a call took {best:?}, with a budget of {BUDGET:?}: {bytes:?}");
        usize::from(returned)
    })
}
