//! What agents intend, for the picture: the reason of their last decision, and the way that their
//! script drew or the place that the reason names.

use super::crew::Crew;
use crate::DebugMark;
use phalanx_game::{Body, PATH_MAX, Part, Picture, PictureNode, Place, Shape, Value};

/// Where the data of a reason may name a node.
const NODE_KEYS: [&str; 4] = ["vertex", "node", "to", "target"];

/// Adds jobs and paths to bodies of the team's agents that have none.
pub(super) fn add(picture: &mut Picture, crew: &Crew, marks: &[DebugMark]) {
    for Part { shape, nodes, bodies, .. } in &mut picture.parts {
        for body in bodies {
            let Some(member) = body.agent.and_then(|agent| crew.get(agent)) else { continue };
            if body.job.is_empty() {
                body.job.clone_from(&member.shown.reason);
            }
            if body.path.is_empty() {
                body.path = path(body, (*shape, nodes), marks, &member.aim);
            }
        }
    }
}

/// The system of coordinates of a part.
type Ground<'a> = (Shape, &'a [PictureNode]);

/// The way that the agent's script drew, else the place that its reason names.
fn path(body: &Body, ground: Ground<'_>, marks: &[DebugMark], aim: &Value) -> Vec<Place> {
    let mut ways = marks.iter().filter(|mark| mark.agent == body.agent && mark.shape == "path");
    let way = ways.find_map(|mark| mark.args.first()?.as_list());
    let drawn = way.into_iter().flatten().map_while(|value| place(value, ground));
    let drawn: Vec<_> = drawn.take(PATH_MAX).collect();
    if !drawn.is_empty() {
        return drawn;
    }
    place(aim, ground).filter(|place| body.place != Some(*place)).into_iter().collect()
}

fn place(value: &Value, (shape, nodes): Ground<'_>) -> Option<Place> {
    let part = |key: &str, index: usize| {
        value.get(key).or_else(|| value.as_list()?.get(index)).filter(|_| is_pair(value))
    };
    match shape {
        Shape::None => None,
        Shape::Grid { .. } => {
            let [x, y] = [part("x", 0)?, part("y", 1)?].map(Value::as_int);
            Some(Place::Cell(i32::try_from(x?).ok()?, i32::try_from(y?).ok()?))
        }
        Shape::Plane { .. } => {
            let [x, y] = [part("x", 0)?, part("y", 1)?].map(Value::as_num);
            Some(Place::Point(x?, y?))
        }
        Shape::Graph => {
            let named = || NODE_KEYS.iter().find_map(|key| value.get(key)?.as_str());
            let name = value.as_str().or_else(named)?;
            let index = nodes.iter().position(|node| node.name == name)?;
            u32::try_from(index).ok().map(Place::Node)
        }
    }
}

/// `{ x = 1, y = 2 }` or `{ 1, 2 }`.
fn is_pair(value: &Value) -> bool {
    value.as_list().is_none_or(|list| list.len() == 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx_game::AgentId;

    const GRID: Shape = Shape::Grid { width: None, height: None, up: false };

    fn drawn(shape: &str, cells: Vec<Value>) -> DebugMark {
        DebugMark { agent: Some(AgentId(0)), shape: shape.into(), args: vec![Value::List(cells)] }
    }

    #[test]
    fn a_drawn_way_is_the_path_and_ends_where_it_cannot_be_read() {
        let cells = vec![Value::cell(1, 0), Value::List(vec![2.into(), 0.into()]), Value::Nil];
        let marks = [drawn("line", vec![Value::cell(9, 9)]), drawn("path", cells)];
        let body = Body { agent: Some(AgentId(0)), ..Body::default() };
        let path = path(&body, (GRID, &[]), &marks, &Value::cell(5, 5));
        assert_eq!(path, [Place::Cell(1, 0), Place::Cell(2, 0)]);
    }

    #[test]
    fn a_reason_that_names_a_place_is_where_the_agent_goes() {
        let at = |place| Body { agent: Some(AgentId(0)), place, ..Body::default() };
        let nodes =
            ["v0", "v1"].map(|name| PictureNode { name: name.into(), ..PictureNode::default() });
        let plane = Shape::Plane { width: 9.0, height: 9.0 };
        let job = Value::map([("kind", "probe".into()), ("vertex", "v1".into())]);
        for (shape, aim, expected) in [
            (GRID, Value::cell(5, -5), Some(Place::Cell(5, -5))),
            (GRID, Value::map([("x", 5.into())]), None),
            (GRID, Value::List(vec![1.into(), 2.into(), 3.into()]), None),
            (plane, Value::map([("x", 0.5.into()), ("y", 1.into())]), Some(Place::Point(0.5, 1.0))),
            (Shape::Graph, job, Some(Place::Node(1))),
            (Shape::Graph, "v0".into(), Some(Place::Node(0))),
            (Shape::Graph, "v9".into(), None),
            (Shape::None, Value::cell(1, 1), None),
        ] {
            let found = path(&at(None), (shape, &nodes), &[], &aim);
            assert_eq!(found, Vec::from_iter(expected), "{aim:?}");
        }
        let there = at(Some(Place::Cell(5, 5)));
        assert_eq!(path(&there, (GRID, &[]), &[], &Value::cell(5, 5)), [], "it is there");
    }
}
