//! How much memory waits in a queue: roughly, but never far too little.

use phalanx_engine::{BoardItem, TapedInput, TeamAct, TeamStep, Wish, weight};
use phalanx_game::{Part, Value};
use phalanx_net::{Message, SeatAct, Taped};
use std::mem::size_of;

/// What anything takes beside its contents.
const BASE: usize = 128;

/// The size of something that waits, in bytes.
pub(crate) fn weigh(what: &Taped) -> usize {
    let inner = match what {
        Taped::Began(began) => {
            let checkpoint = began.checkpoint.as_ref().map_or(0, |bytes| bytes.len());
            checkpoint + began.roster.agents.len() * BASE + began.steering.len() * BASE
        }
        Taped::SeatOpened(seat) => seat.agents.len() * BASE,
        Taped::Seat { act: SeatAct::Received(bytes), .. }
        | Taped::Seat { act: SeatAct::Sent(Message::Plain(bytes)), .. } => bytes.len(),
        Taped::Seat { .. } | Taped::Ended => 0,
        Taped::Steps(steps) => steps.iter().map(step).sum(),
        // They are shared with others, who keep them for longer than we do.
        Taped::Journal(_) => BASE,
        Taped::Snapshot(snapshot) => (snapshot.agents.len() + snapshot.marks.len()) * BASE,
        Taped::Percepts(percepts) => {
            let fields = percepts.agents.iter().flat_map(|(_, fields)| fields);
            fields.map(|(_, value)| size_of::<Value>() + weight(value)).sum()
        }
        Taped::Board { page, .. } => {
            let gone: usize = page.gone.iter().map(String::len).sum();
            page.items.iter().map(item).sum::<usize>() + gone
        }
        Taped::Drawing(drawing) => {
            let marks = drawing.marks.iter().flat_map(|mark| &mark.args).map(weight);
            drawing.picture.parts.iter().map(part).sum::<usize>() + marks.sum::<usize>()
        }
    };
    BASE + inner
}

fn step(step: &TeamStep) -> usize {
    let inner = match &step.act {
        TeamAct::Polled | TeamAct::TimedOut => 0,
        TeamAct::Called(call) => call.reads.len() * 16,
        TeamAct::Handled(TapedInput::Wish { wish: Wish::Write(write), .. }) => weight(&write.value),
        TeamAct::Handled(TapedInput::Wish { wish: Wish::Run { code, .. }, .. }) => code.len(),
        TeamAct::Handled(TapedInput::StrategyRefused { faults, .. }) => faults.len() * 4 * BASE,
        TeamAct::Handled(_) => 0,
    };
    size_of::<TeamStep>() + inner
}

fn item(item: &BoardItem) -> usize {
    BASE + item.key.len() + item.entry.as_ref().map_or(0, |entry| weight(&entry.value))
}

fn part(part: &Part) -> usize {
    let layers = part.layers.iter().map(|layer| layer.cells.len() + 4 * layer.seen.len());
    let things = part.spots.len() + part.nodes.len() + part.edges.len() + part.bodies.len();
    layers.sum::<usize>() + (things + part.facts.len()) * BASE
}
