//! What a team believes, compared with the referee's world of the same step.

use phalanx_game::{Body, Part, Picture, Place, Shape, Side};
use std::collections::{BTreeMap, VecDeque};

/// Steps whose truth is kept: beliefs arrive later than the truth.
const TRUTHS_MAX: usize = 32;
/// The layers that are compared: terrain, and what lies on it.
const GROUND: [&str; 2] = ["ground", "things"];
/// The facts that name a step.
const STEPS: [&str; 2] = ["step", "tick"];

/// The referee's world in the last steps of a round.
#[derive(Debug, Default)]
pub(crate) struct Truths {
    round: u32,
    pictures: VecDeque<(String, Picture)>,
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
        if self.round != place.0 {
            self.pictures.clear();
        }
        self.round = place.0;
        if let Some(step) = step(&picture) {
            self.pictures.push_back((step.to_owned(), picture));
        }
        while self.pictures.len() > TRUTHS_MAX {
            self.pictures.pop_front();
        }
    }

    /// The world in the step of a belief.
    pub(crate) fn beside(&self, belief: &Picture) -> Option<&Picture> {
        let wanted = step(belief)?;
        self.pictures.iter().find(|(step, _)| step == wanted).map(|(_, picture)| picture)
    }
}

fn step(picture: &Picture) -> Option<&str> {
    let facts = picture.parts.iter().flat_map(|part| &part.facts);
    facts
        .into_iter()
        .find(|(name, _)| STEPS.contains(&name.as_ref()))
        .map(|(_, step)| step.as_str())
}

/// What a belief says that is not true: where our agents are, and the ground that they see now. The
/// agents of a part share an offset, which they do not know. `name` is the name of a body,
/// `is_sure` whether its agent has to know where it is.
pub(crate) fn contradiction(
    belief: &Picture,
    truth: &Picture,
    name: &dyn Fn(&Body) -> String,
    is_sure: &dyn Fn(&str) -> bool,
) -> Option<String> {
    let world = truth.parts.first()?;
    let bodies = world.bodies.iter().map(|body| (body.name.as_str(), body));
    let bodies: BTreeMap<_, _> = bodies.collect();
    belief.parts.iter().find_map(|part| {
        let own = part.bodies.iter().filter(|body| body.side == Side::Ours);
        let named = own.map(|body| (name(body), body)).filter(|(name, _)| is_sure(name));
        let pairs = named.filter_map(|(name, body)| {
            let there = bodies.get(name.as_str())?.place?;
            Some((name, body.place?, there))
        });
        let pairs: Vec<_> = pairs.collect();
        match world.shape {
            Shape::Grid { .. } => on_grid(part, world, &pairs),
            Shape::Graph => on_graph(part, world, &pairs),
            Shape::None | Shape::Plane { .. } => None,
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
    let now = believed.seen.iter().filter(|seen| **seen != phalanx_game::SEEN_NEVER).max();
    // Legends of both have the same values.
    let cells = believed.area.each().zip(&believed.cells).enumerate();
    // Where all is in sight, nothing says when it was seen.
    let is_now = |place: usize| believed.seen.is_empty() || believed.seen.get(place) == now;
    let mut seen_now = cells.filter(|(place, _)| is_now(*place)).map(|(_, cell)| cell);
    seen_now.find_map(|((x, y), value)| {
        let (at_x, at_y) = around(x + shift.0, y + shift.1);
        let row = usize::try_from(at_y - real.area.y).ok()?;
        let column = usize::try_from(at_x - real.area.x).ok()?;
        let place = row * usize::try_from(real.area.width).ok()? + column;
        let is = real.cells.get(place)?;
        (is != value)
            .then(|| format!("the ground at ({at_x}, {at_y}) was seen now as {value} and is {is}"))
    })
}
