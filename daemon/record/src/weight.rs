//! The memory of entries in a queue: an estimate that is never far too small.

use crate::taped;
use phalanx_engine::{BoardItem, Command, TapedInput, TeamAct, TeamStep, weight};
use phalanx_game::{Part, Place, Table, Value};
use phalanx_net::{Message, SeatAct, Taped};
use std::mem::size_of;

/// The size of any entry without its content.
const BASE: usize = 128;

/// The size of an entry, in bytes.
pub(crate) fn weigh(what: &Taped) -> usize {
    let inner = match what {
        Taped::Began(began) => {
            let checkpoint = began.checkpoint.as_ref().map_or(0, |bytes| bytes.len());
            let agents = began.state.roster().agents.len() + began.state.steering().count();
            checkpoint + agents * BASE
        }
        Taped::SeatOpened(seat) => seat.agents.len() * BASE,
        Taped::Seat { act: SeatAct::Received(bytes), .. }
        | Taped::Seat { act: SeatAct::Sent(Message::Plain(bytes)), .. } => bytes.len(),
        Taped::Seat { .. } | Taped::Ended => 0,
        Taped::Steps(steps) => steps.iter().map(step).sum(),
        // The entry is shared with others that keep it longer.
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
            let tables = drawing.picture.tables.iter().map(table);
            let parts = drawing.picture.parts.iter().map(part);
            parts.chain(tables).chain(marks).sum()
        }
    };
    BASE + inner
}

fn step(step: &TeamStep) -> usize {
    let inner = match &step.act {
        TeamAct::Polled | TeamAct::TimedOut => 0,
        TeamAct::Called(call) => call.reads.len() * 16,
        TeamAct::Handled(TapedInput::Command(request)) => command(&request.command),
        TeamAct::Handled(_) => 0,
    };
    size_of::<TeamStep>() + inner
}

fn command(command: &Command) -> usize {
    if let Command::BoardWrite(write) = command {
        weight(&write.value)
    } else if let Command::RunScript(run) = command {
        run.code.len()
    } else if let Command::RefuseStrategy(refused) = command {
        refused.faults.len() * 4 * BASE
    } else if let Command::Plain(plain) = command {
        taped::plain(plain).len()
    } else {
        0
    }
}

fn item(item: &BoardItem) -> usize {
    BASE + item.key.len() + item.entry.as_ref().map_or(0, |entry| weight(&entry.value))
}

fn part(part: &Part) -> usize {
    let layers = part.layers.iter().map(|layer| layer.cells.len() + 4 * layer.seen.len());
    let things = part.spots.len() + part.nodes.len() + part.edges.len() + part.bodies.len();
    let places: usize = part.bodies.iter().map(|body| body.path.len()).sum();
    layers.sum::<usize>() + (things + part.facts.len()) * BASE + places * size_of::<Place>()
}

fn table(table: &Table) -> usize {
    let texts = table.rows.iter().flat_map(|row| &row.cells).map(String::len);
    texts.sum::<usize>() + (table.rows.len() + table.columns.len()) * BASE
}
