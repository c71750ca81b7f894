//! What the referee says, read leniently (spec sections 3, 5.3 and 11).

use super::scan::{Manner, Scanner, Tag, XmlNode, name, number, text};
use super::{Request, ServerBody, ServerMessage};
use crate::action::Feedback;
use crate::percept::{
    Briefing, Inspected, OwnState, Percept, ProbedVertex, SeenEdge, SeenEntity, SeenVertex,
    SurveyedEdge, TeamStatus,
};
use phalanx_game::ProtocolError;
use smol_str::SmolStr;

/// Reads a frame of the referee, without its NUL.
///
/// # Errors
/// When the frame is not well-formed XML within the limits, when a login's answer has no result,
/// or when a request has no perception, id or step.
pub fn decode_server(frame: &[u8]) -> Result<ServerMessage, ProtocolError> {
    let text = text(frame, Manner::Lenient)?;
    let mut scanner = Scanner::new(&text, Manner::Lenient);
    let Some(XmlNode::Open(root)) = scanner.next()? else {
        return Err(scanner.wrong("an element message"));
    };
    let (mut kind, mut timestamp) = (SmolStr::default(), None);
    root.each(|key, value| match key {
        "type" => kind = name(value),
        "timestamp" => timestamp = number(value),
        _ => {}
    })?;
    if root.name() != "message" {
        kind = name(root.name());
    } else if kind.is_empty() {
        return Err(root.wrong("a message with a type"));
    }
    let known = root.name() == "message";
    let body = match kind.as_str() {
        "auth-response" if known => auth_response(&mut scanner, &root)?,
        "sim-start" if known => sim_start(&mut scanner)?,
        "request-action" if known => request_action(&mut scanner, &root)?,
        "sim-end" if known => sim_end(&mut scanner)?,
        "bye" if known => rest(&mut scanner, ServerBody::Bye)?,
        _ => rest(&mut scanner, ServerBody::Unknown { kind })?,
    };
    Ok(ServerMessage { timestamp, body })
}

/// Calls `read` for every element to the document's end.
fn tags<'a>(
    scanner: &mut Scanner<'a>,
    mut read: impl FnMut(&Tag<'a>) -> Result<(), ProtocolError>,
) -> Result<(), ProtocolError> {
    while let Some(node) = scanner.next()? {
        match node {
            XmlNode::Open(tag) => read(&tag)?,
            XmlNode::Close => {}
        }
    }
    Ok(())
}

fn rest(scanner: &mut Scanner<'_>, body: ServerBody) -> Result<ServerBody, ProtocolError> {
    tags(scanner, |_| Ok(()))?;
    Ok(body)
}

fn auth_response(scanner: &mut Scanner<'_>, root: &Tag<'_>) -> Result<ServerBody, ProtocolError> {
    let mut result = SmolStr::default();
    tags(scanner, |tag| match tag.name() {
        "authentication" => tag.each(|key, value| {
            if key == "result" {
                result = name(value);
            }
        }),
        _ => Ok(()),
    })?;
    if result.is_empty() {
        return Err(root.wrong("an authentication with a result"));
    }
    Ok(ServerBody::AuthResponse { result })
}

fn sim_start(scanner: &mut Scanner<'_>) -> Result<ServerBody, ProtocolError> {
    let mut briefing = Briefing::default();
    tags(scanner, |tag| match tag.name() {
        "simulation" => tag.each(|key, value| match key {
            "id" => briefing.id = name(value),
            "role" => briefing.role = name(value),
            "steps" => briefing.steps = number(value),
            "vertices" => briefing.vertices = number(value),
            "edges" => briefing.edges = number(value),
            _ => {}
        }),
        _ => Ok(()),
    })?;
    Ok(ServerBody::SimStart(briefing))
}

fn sim_end(scanner: &mut Scanner<'_>) -> Result<ServerBody, ProtocolError> {
    let (mut score, mut ranking) = (None, None);
    tags(scanner, |tag| match tag.name() {
        "sim-result" => tag.each(|key, value| match key {
            "score" => score = number(value),
            "ranking" => ranking = number(value),
            _ => {}
        }),
        _ => Ok(()),
    })?;
    Ok(ServerBody::SimEnd { score, ranking })
}

fn request_action(scanner: &mut Scanner<'_>, root: &Tag<'_>) -> Result<ServerBody, ProtocolError> {
    let mut request = Request::default();
    let mut step = None;
    tags(scanner, |tag| {
        let percept = &mut request.percept;
        match tag.name() {
            "visibleEdge" => visible_edge(tag, percept),
            "visibleVertex" => visible_vertex(tag, percept),
            "visibleEntity" => visible_entity(tag, percept),
            "surveyedEdge" => surveyed_edge(tag, percept),
            "probedVertex" => probed_vertex(tag, percept),
            "inspectedEntity" => inspected_entity(tag, percept),
            "self" => own(tag, &mut percept.me),
            "team" => standing(tag, &mut percept.team),
            "achievement" => achievement(tag, &mut percept.team),
            "simulation" => tag.each(|key, value| {
                if key == "step" {
                    step = number(value);
                }
            }),
            "perception" => tag.each(|key, value| match key {
                "id" => request.id = name(value),
                "deadline" => request.deadline = number(value),
                _ => {}
            }),
            _ => Ok(()),
        }
    })?;
    if request.id.is_empty() {
        return Err(root.wrong("a perception with an id"));
    }
    request.percept.step = step.ok_or_else(|| root.wrong("a simulation with a step"))?;
    Ok(ServerBody::RequestAction(request))
}

fn visible_vertex(tag: &Tag<'_>, percept: &mut Percept) -> Result<(), ProtocolError> {
    let mut vertex = SeenVertex::default();
    tag.each(|key, value| match key {
        "name" => vertex.name = name(value),
        "team" => vertex.team = name(value),
        _ => {}
    })?;
    if !vertex.name.is_empty() {
        percept.vertices.push(vertex);
    }
    Ok(())
}

fn visible_edge(tag: &Tag<'_>, percept: &mut Percept) -> Result<(), ProtocolError> {
    let mut edge = SeenEdge::default();
    tag.each(|key, value| match key {
        "node1" => edge.node1 = name(value),
        "node2" => edge.node2 = name(value),
        _ => {}
    })?;
    if !edge.node1.is_empty() && !edge.node2.is_empty() {
        percept.edges.push(edge);
    }
    Ok(())
}

fn visible_entity(tag: &Tag<'_>, percept: &mut Percept) -> Result<(), ProtocolError> {
    let mut entity = SeenEntity::default();
    tag.each(|key, value| match key {
        "name" => entity.name = name(value),
        "team" => entity.team = name(value),
        "node" => entity.node = name(value),
        "status" => entity.disabled = value == "disabled",
        _ => {}
    })?;
    if !entity.name.is_empty() {
        percept.entities.push(entity);
    }
    Ok(())
}

fn probed_vertex(tag: &Tag<'_>, percept: &mut Percept) -> Result<(), ProtocolError> {
    let mut vertex = ProbedVertex::default();
    tag.each(|key, value| match key {
        "name" => vertex.name = name(value),
        "value" => vertex.value = number(value),
        _ => {}
    })?;
    if !vertex.name.is_empty() {
        percept.probed.push(vertex);
    }
    Ok(())
}

fn surveyed_edge(tag: &Tag<'_>, percept: &mut Percept) -> Result<(), ProtocolError> {
    let mut edge = SurveyedEdge::default();
    tag.each(|key, value| match key {
        "node1" => edge.node1 = name(value),
        "node2" => edge.node2 = name(value),
        "weight" => edge.weight = number(value),
        _ => {}
    })?;
    if !edge.node1.is_empty() && !edge.node2.is_empty() {
        percept.surveyed.push(edge);
    }
    Ok(())
}

fn inspected_entity(tag: &Tag<'_>, percept: &mut Percept) -> Result<(), ProtocolError> {
    let mut entity = Inspected::default();
    tag.each(|key, value| match key {
        "name" => entity.name = name(value),
        "team" => entity.team = name(value),
        "node" => entity.node = name(value),
        "role" => entity.role = name(value),
        "energy" => entity.energy = number(value),
        "maxEnergy" => entity.max_energy = number(value),
        "health" => entity.health = number(value),
        "maxHealth" => entity.max_health = number(value),
        "strength" => entity.strength = number(value),
        "visRange" => entity.vis_range = number(value),
        _ => {}
    })?;
    if !entity.name.is_empty() {
        percept.inspected.push(entity);
    }
    Ok(())
}

fn own(tag: &Tag<'_>, me: &mut OwnState) -> Result<(), ProtocolError> {
    tag.each(|key, value| match key {
        "energy" => me.energy = number(value),
        "maxEnergy" => me.max_energy = number(value),
        "maxEnergyDisabled" => me.max_energy_disabled = number(value),
        "health" => me.health = number(value),
        "maxHealth" => me.max_health = number(value),
        "strength" => me.strength = number(value),
        "visRange" => me.vis_range = number(value),
        "zoneScore" => me.zone_score = number(value),
        "position" => me.position = name(value),
        "lastAction" => me.last_action = name(value),
        "lastActionParam" => me.last_param = name(value),
        "lastActionResult" => me.last_result = Feedback::parse(value),
        _ => {}
    })
}

fn standing(tag: &Tag<'_>, team: &mut TeamStatus) -> Result<(), ProtocolError> {
    tag.each(|key, value| match key {
        "lastStepScore" => team.last_step_score = number(value),
        "money" => team.money = number(value),
        "score" => team.score = number(value),
        "zonesScore" => team.zones_score = number(value),
        _ => {}
    })
}

fn achievement(tag: &Tag<'_>, team: &mut TeamStatus) -> Result<(), ProtocolError> {
    tag.each(|key, value| {
        if key == "name" {
            team.achievements.push(name(value));
        }
    })
}
