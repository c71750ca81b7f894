//! Documents, written as the original referee writes them (spec sections 2, 3 and 11): attributes
//! in alphabetical order, a line for each element, except in the answer to a login.

use super::{Request, ServerBody, ServerMessage};
use crate::action::Action;
use crate::percept::{Briefing, Inspected, OwnState, Percept, TeamStatus};
use std::fmt::{Display, Write as _};

const DECLARATION: &str = r#"<?xml version="1.0" encoding="UTF-8"?>"#;

/// A login, with its NUL.
#[must_use]
pub fn encode_auth(username: &str, password: &str) -> Vec<u8> {
    let mut xml = Xml::new("");
    xml.start("message").text("type", "auth-request").open();
    xml.start("authentication").text("password", password).text("username", username).empty();
    xml.close("message");
    xml.finish()
}

/// An action with the id of its request, with its NUL.
#[must_use]
pub fn encode_action(id: &str, action: &Action) -> Vec<u8> {
    let mut xml = Xml::new("");
    xml.start("message").text("type", "action").open();
    xml.start("action").text("id", id);
    if !action.param().is_empty() {
        xml.text("param", action.param());
    }
    xml.text("type", action.name()).empty();
    xml.close("message");
    xml.finish()
}

/// A message of the referee, with its NUL. A message of an unknown kind is written without content.
#[must_use]
pub fn encode_server(message: &ServerMessage) -> Vec<u8> {
    let (kind, newline) = match &message.body {
        ServerBody::AuthResponse { .. } => ("auth-response", ""),
        ServerBody::SimStart(_) => ("sim-start", "\n"),
        ServerBody::RequestAction(_) => ("request-action", "\n"),
        ServerBody::SimEnd { .. } => ("sim-end", "\n"),
        ServerBody::Bye => ("bye", "\n"),
        ServerBody::Unknown { kind } => (kind.as_str(), "\n"),
    };
    let mut xml = Xml::new(newline);
    xml.start("message").number("timestamp", message.timestamp).text("type", kind);
    match &message.body {
        ServerBody::AuthResponse { result } => {
            xml.open();
            xml.start("authentication").text("result", result).empty();
        }
        ServerBody::SimStart(briefing) => {
            xml.open();
            xml.briefing(briefing);
        }
        ServerBody::RequestAction(request) => {
            xml.open();
            xml.request(request);
        }
        ServerBody::SimEnd { score, ranking } => {
            xml.open();
            xml.start("sim-result").number("ranking", *ranking).number("score", *score).empty();
        }
        ServerBody::Bye | ServerBody::Unknown { .. } => {
            xml.empty();
            return xml.finish();
        }
    }
    xml.close("message");
    xml.finish()
}

/// A document that grows.
struct Xml {
    out: String,
    /// The text after each element's beginning and end.
    newline: &'static str,
}

impl Xml {
    fn new(newline: &'static str) -> Self {
        Self { out: DECLARATION.to_owned(), newline }
    }

    fn start(&mut self, name: &str) -> &mut Self {
        self.out.push('<');
        self.out.push_str(name);
        self
    }

    fn text(&mut self, key: &str, value: &str) -> &mut Self {
        self.out.push(' ');
        self.out.push_str(key);
        self.out.push_str("=\"");
        if value.bytes().all(is_plain) {
            self.out.push_str(value);
        } else {
            value.chars().for_each(|character| self.character(character));
        }
        self.out.push('"');
        self
    }

    fn character(&mut self, character: char) {
        match character {
            '<' => self.out.push_str("&lt;"),
            '>' => self.out.push_str("&gt;"),
            '&' => self.out.push_str("&amp;"),
            '"' => self.out.push_str("&quot;"),
            '\'' => self.out.push_str("&apos;"),
            // As themselves they would be read as spaces.
            '\t' => self.out.push_str("&#9;"),
            '\n' => self.out.push_str("&#10;"),
            '\r' => self.out.push_str("&#13;"),
            // A document cannot hold these characters in any form.
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => self.out.push('\u{fffd}'),
            plain => self.out.push(plain),
        }
    }

    /// A number that is not known is not written.
    fn number(&mut self, key: &str, value: Option<impl Display>) -> &mut Self {
        if let Some(value) = value {
            self.out.push(' ');
            self.out.push_str(key);
            let written = write!(self.out, "=\"{value}\"");
            debug_assert!(written.is_ok(), "a string takes everything");
        }
        self
    }

    fn open(&mut self) {
        self.out.push('>');
        self.out.push_str(self.newline);
    }

    fn empty(&mut self) {
        self.out.push_str("/>");
        self.out.push_str(self.newline);
    }

    fn close(&mut self, name: &str) {
        self.out.push_str("</");
        self.out.push_str(name);
        self.open();
    }

    fn finish(self) -> Vec<u8> {
        let mut bytes = self.out.into_bytes();
        bytes.push(0);
        bytes
    }

    fn briefing(&mut self, briefing: &Briefing) {
        self.start("simulation")
            .number("edges", briefing.edges)
            .text("id", &briefing.id)
            .text("role", &briefing.role)
            .number("steps", briefing.steps)
            .number("vertices", briefing.vertices)
            .empty();
    }

    fn request(&mut self, request: &Request) {
        let percept = &request.percept;
        self.start("perception")
            .number("deadline", request.deadline)
            .text("id", &request.id)
            .open();
        self.start("simulation").number("step", Some(percept.step)).empty();
        self.own(&percept.me);
        self.standing(&percept.team);
        self.sights(percept);
        self.findings(percept);
        self.close("perception");
    }

    fn own(&mut self, me: &OwnState) {
        self.start("self")
            .number("energy", me.energy)
            .number("health", me.health)
            .text("lastAction", &me.last_action)
            .text("lastActionParam", &me.last_param)
            .text("lastActionResult", me.last_result.word())
            .number("maxEnergy", me.max_energy)
            .number("maxEnergyDisabled", me.max_energy_disabled)
            .number("maxHealth", me.max_health)
            .text("position", &me.position)
            .number("strength", me.strength)
            .number("visRange", me.vis_range)
            .number("zoneScore", me.zone_score)
            .empty();
    }

    fn standing(&mut self, team: &TeamStatus) {
        self.start("team")
            .number("lastStepScore", team.last_step_score)
            .number("money", team.money)
            .number("score", team.score)
            .number("zonesScore", team.zones_score);
        if team.achievements.is_empty() {
            return self.empty();
        }
        self.open();
        self.list("achievements", &team.achievements, |xml, name| {
            xml.start("achievement").text("name", name).empty();
        });
        self.close("team");
    }

    /// A list with its frame, which is left out with an empty list.
    fn list<T>(&mut self, name: &str, items: &[T], write: impl Fn(&mut Self, &T)) {
        if !items.is_empty() {
            self.always(name, items, write);
        }
    }

    /// A list with its frame, also when it is empty.
    fn always<T>(&mut self, name: &str, items: &[T], write: impl Fn(&mut Self, &T)) {
        self.start(name).open();
        for item in items {
            write(self, item);
        }
        self.close(name);
    }

    fn sights(&mut self, percept: &Percept) {
        self.always("visibleVertices", &percept.vertices, |xml, vertex| {
            xml.start("visibleVertex")
                .text("name", &vertex.name)
                .text("team", &vertex.team)
                .empty();
        });
        self.always("visibleEdges", &percept.edges, |xml, edge| {
            xml.start("visibleEdge").text("node1", &edge.node1).text("node2", &edge.node2).empty();
        });
        self.list("visibleEntities", &percept.entities, |xml, entity| {
            xml.start("visibleEntity")
                .text("name", &entity.name)
                .text("node", &entity.node)
                .text("status", if entity.disabled { "disabled" } else { "normal" })
                .text("team", &entity.team)
                .empty();
        });
    }

    fn findings(&mut self, percept: &Percept) {
        self.list("probedVertices", &percept.probed, |xml, vertex| {
            xml.start("probedVertex").text("name", &vertex.name).number("value", vertex.value);
            xml.empty();
        });
        self.list("surveyedEdges", &percept.surveyed, |xml, edge| {
            xml.start("surveyedEdge")
                .text("node1", &edge.node1)
                .text("node2", &edge.node2)
                .number("weight", edge.weight)
                .empty();
        });
        self.list("inspectedEntities", &percept.inspected, |xml, entity| xml.inspected(entity));
    }

    fn inspected(&mut self, entity: &Inspected) {
        self.start("inspectedEntity")
            .number("energy", entity.energy)
            .number("health", entity.health)
            .number("maxEnergy", entity.max_energy)
            .number("maxHealth", entity.max_health)
            .text("name", &entity.name)
            .text("node", &entity.node)
            .text("role", &entity.role)
            .number("strength", entity.strength)
            .text("team", &entity.team)
            .number("visRange", entity.vis_range)
            .empty();
    }
}

/// A byte that needs no escape in an attribute.
fn is_plain(byte: u8) -> bool {
    (b' '..0x7f).contains(&byte) && !matches!(byte, b'<' | b'>' | b'&' | b'"' | b'\'')
}
