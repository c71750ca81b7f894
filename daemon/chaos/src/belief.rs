//! What a team believes, compared with the referee's world of the same step.

use phalanx_game::sorted::SortedMap;
use phalanx_game::{
    Body, CELL_UNKNOWN, Layer, Part, Picture, Place, SEEN_NEVER, Shape, Side, Tone,
};
use std::collections::VecDeque;

/// Steps whose truth is kept: beliefs arrive later than the truth.
const TRUTHS_MAX: usize = 32;
/// The layers that are compared: terrain, and what lies on it.
const GROUND: [&str; 2] = ["ground", "things"];
/// The facts that name a step.
const STEPS: [&str; 3] = ["step", "tick", "epoch"];

/// The referee's world in the last steps of a round.
#[derive(Debug, Default)]
pub(crate) struct Truths {
    round: u32,
    pictures: VecDeque<(u64, Picture)>,
    /// The last place that was drawn.
    drawn: Option<(u32, u32)>,
}

impl Truths {
    /// Whether the world of this place is still to be drawn.
    pub(crate) fn wants(&self, place: (u32, u32)) -> bool {
        self.drawn != Some(place)
    }

    pub(crate) fn keep(&mut self, place: (u32, u32), picture: Picture) {
        self.drawn = Some(place);
        let Some(step) = step(&picture) else { return };
        let goes_back = self.pictures.back().is_some_and(|(last, _)| *last >= step);
        if self.round != place.0 || goes_back {
            self.pictures.clear();
        }
        self.round = place.0;
        self.pictures.push_back((step, picture));
        while self.pictures.len() > TRUTHS_MAX {
            self.pictures.pop_front();
        }
    }

    /// The world in the step of a belief.
    pub(crate) fn beside(&self, belief: &Picture) -> Option<&Picture> {
        let wanted = step(belief)?;
        self.pictures.iter().find(|(step, _)| *step == wanted).map(|(_, picture)| picture)
    }

    /// Where a lost connection ends a world, what follows is another one.
    pub(crate) fn forget(&mut self) {
        self.pictures.clear();
    }
}

fn step(picture: &Picture) -> Option<u64> {
    let facts = picture.parts.iter().flat_map(|part| &part.facts);
    facts
        .into_iter()
        .find(|(name, _)| STEPS.contains(&name.as_ref()))
        .and_then(|(_, step)| step.parse().ok())
}

/// What a belief says that is not true: where our agents are, and the ground that they see now. The
/// agents of a part share an offset, which they do not know. `known` tells of a body of ours its name
/// in the truth, and whether its agent has to know where it is.
pub(crate) fn contradiction(
    belief: &Picture,
    truth: &Picture,
    known: &dyn Fn(&Body) -> (String, bool),
) -> Option<String> {
    belief.parts.iter().find_map(|part| {
        let own = part.bodies.iter().filter(|body| body.side == Side::Ours);
        let named: Vec<_> = own.map(|body| (known(body), body)).collect();
        // A referee may play several worlds at once.
        let has = |world: &&Part, name: &str| world.bodies.iter().any(|body| body.name == name);
        let is_its = |world: &&Part| named.iter().any(|((name, _), _)| has(world, name));
        let world = truth.parts.iter().find(is_its)?;
        let bodies = world.bodies.iter().map(|body| (body.name.as_str(), body));
        let bodies: SortedMap<_, _> = bodies.collect();
        let sure = named.into_iter().filter(|((_, is_sure), _)| *is_sure);
        let pairs = sure.filter_map(|((name, _), body)| {
            let there = bodies.get(name.as_str())?.place?;
            Some((name, body.place?, there))
        });
        let pairs: Vec<_> = pairs.collect();
        match world.shape {
            Shape::Grid { .. } => on_grid(part, world, &pairs),
            Shape::Graph => on_graph(part, world, &pairs),
            Shape::Plane { .. } => on_plane(&pairs),
            Shape::None => None,
        }
    })
}

/// An agent's name, where it believes to be, and where it is.
type Whereabouts = (String, Place, Place);

fn on_graph(part: &Part, world: &Part, pairs: &[Whereabouts]) -> Option<String> {
    let node = |part: &Part, place: &Place| match place {
        Place::Node(index) => {
            let node = part.nodes.get(usize::try_from(*index).ok()?)?;
            Some(node.name.clone())
        }
        Place::Cell(..) | Place::Point(..) => None,
    };
    pairs.iter().find_map(|(name, here, there)| {
        let (here, there) = (node(part, here)?, node(world, there)?);
        (here != there).then(|| format!("{name} believes to be on {here} and is on {there}"))
    })
}

fn on_plane(pairs: &[Whereabouts]) -> Option<String> {
    let (name, here, there) = pairs.iter().find(|(_, here, there)| here != there)?;
    Some(format!("{name} believes to be at {here:?} and is at {there:?}"))
}

fn on_grid(part: &Part, world: &Part, pairs: &[Whereabouts]) -> Option<String> {
    let Shape::Grid { width, height, .. } = world.shape else { return None };
    let fold = |at: i32, side: Option<u32>| {
        let side = side.and_then(|side| i32::try_from(side).ok()).filter(|side| *side > 0);
        side.map_or(at, |side| at.rem_euclid(side))
    };
    let around = |x: i32, y: i32| (fold(x, width), fold(y, height));
    let offset = |here: &Place, there: &Place| match (here, there) {
        (Place::Cell(x, y), Place::Cell(to_x, to_y)) => Some(around(to_x - x, to_y - y)),
        _ => None,
    };
    let offsets = pairs.iter().filter_map(|(name, here, there)| Some((name, offset(here, there)?)));
    let offsets: Vec<_> = offsets.collect();
    let (first, shift) = *offsets.first()?;
    if let Some((other, another)) = offsets.iter().find(|(_, offset)| *offset != shift) {
        return Some(format!(
            "on one map, {first} is {shift:?} from where it believes to be, and {other} {another:?}"
        ));
    }
    let layer = |part: &Part| {
        part.layers.iter().find(|layer| GROUND.contains(&layer.name.as_ref())).cloned()
    };
    let (believed, real) = (layer(part)?, layer(world)?);
    let now = believed.seen.iter().filter(|seen| **seen != SEEN_NEVER).max();
    // Legends of both have the same values.
    let cells = believed.area.each().zip(&believed.cells).enumerate();
    // Where all is in sight, nothing says when it was seen.
    let is_now = |place: usize| believed.seen.is_empty() || believed.seen.get(place) == now;
    let known = cells.filter(|(place, (_, value))| **value != CELL_UNKNOWN && is_now(*place));
    known.map(|(_, cell)| cell).find_map(|((x, y), value)| {
        let (at_x, at_y) = around(x + shift.0, y + shift.1);
        let row = usize::try_from(at_y - real.area.y).ok()?;
        let column = usize::try_from(at_x - real.area.x).ok()?;
        let width = usize::try_from(real.area.width).ok().filter(|width| column < *width)?;
        let is = real.cells.get(row * width + column)?;
        // Teams tell grounds apart that are the same for the referee, such as visited ones.
        let is_ground = is_free(&believed, *value) && is_free(&real, *is);
        (is != value && !is_ground)
            .then(|| format!("the ground at ({at_x}, {at_y}) was seen now as {value} and is {is}"))
    })
}

/// Whether a value of the layer means free ground.
fn is_free(layer: &Layer, value: u8) -> bool {
    layer.legend.iter().any(|legend| legend.value == value && legend.tone == Tone::Ground)
}
