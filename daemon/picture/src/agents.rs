//! The table of who is there and what they do.

use crate::font::{Weight, fitted, width, wrapped};
use crate::palette::{Palette, Rgba};
use crate::scene::{PageArea, ShapePaint, TextLine, VectorScene};
use crate::sheet::TeamCaption;
use crate::{signs, things};
use phalanx_proto::v1::{World, WorldBody, WorldSide};

/// Most agents that are listed.
pub(crate) const LISTED_MAX: usize = 60;
/// Height of the head.
pub(crate) const HEAD: f64 = 24.0;
/// Half of a sign.
const SIGN: f64 = 8.0;
/// Room for it.
const INDENT: f64 = 26.0;
/// Height of a line.
const LINE: f64 = 14.0;
/// Height between two agents.
const GAP: f64 = 6.0;
/// Size of names and of the rest.
const NAME: f64 = 12.0;
const REST: f64 = 11.0;
/// Lines of an agent at most.
const LINES_MAX: u8 = 3;

/// The height of an agent's entry with this number of lines.
fn high(lines: u8) -> f64 {
    f64::from(lines) * LINE + GAP
}

/// As many lines an agent as there is room for, and how high the table is then.
pub(crate) fn fit(count: usize, room: f64) -> (u8, f64) {
    let count = f64::from(u32::try_from(count.min(LISTED_MAX)).unwrap_or(u32::MAX));
    let all = |lines: u8| if count > 0.0 { HEAD + count * high(lines) + GAP } else { 0.0 };
    let lines = (1..=LINES_MAX).rev().find(|lines| all(*lines) <= room).unwrap_or(1);
    (lines, all(lines))
}

/// Draws the table into an area; who does not fit is counted.
pub(crate) fn draw(
    scene: &mut VectorScene,
    (world, caption): (&World, &TeamCaption),
    area: PageArea,
    lines: u8,
    colors: &Palette,
) {
    let parts = world.parts.iter().map(|part| part.bodies.iter().zip(things::marks(&part.bodies)));
    let mut all: Vec<(&WorldBody, String)> =
        parts.flatten().filter(|(body, _)| !body.name.is_empty()).collect();
    // Ours first, as they stand in the roster.
    all.sort_by_key(|(body, _)| (body.side() != WorldSide::Ours, body.agent.unwrap_or(u32::MAX)));
    if all.is_empty() {
        return;
    }
    let head = TextLine::new((area.x, area.y + 14.0), NAME, colors.faint, "Agents");
    scene.text(head.strong());
    scene.line(
        (area.x, area.y + 19.0),
        (area.x + area.width, area.y + 19.0),
        ShapePaint::stroke(colors.rule, 0.75),
    );
    let mut y = area.y + HEAD;
    for (index, (body, sign)) in all.iter().enumerate() {
        let left = all.len() - index;
        let last = y + 2.0 * high(lines) > area.y + area.height + 0.5;
        if index >= LISTED_MAX || last && left > 1 {
            let more = format!("and {left} more");
            scene.text(TextLine::new((area.x + INDENT, y + 11.0), REST, colors.faint, more));
            return;
        }
        row(scene, (body, sign, caption), (area.x, y, area.width), lines, colors);
        y += high(lines);
    }
}

fn row(
    scene: &mut VectorScene,
    (body, sign, caption): (&WorldBody, &str, &TeamCaption),
    (x, y, wide): (f64, f64, f64),
    lines: u8,
    colors: &Palette,
) {
    let side = body.side();
    let at = (x + 10.0, y + 8.0);
    signs::body(scene, at, SIGN, side, body.alive, colors);
    if body.alive {
        let ink = colors.side(side).contrast();
        scene.text(
            TextLine::new(at, if sign.len() > 1 { 9.0 } else { 10.5 }, ink, sign)
                .strong()
                .centred(),
        );
    }
    let (x, wide) = (x + INDENT, wide - INDENT);
    let name = fitted(&body.name, NAME, Weight::Medium, wide);
    let long = width(&name, NAME, Weight::Medium);
    scene.text(TextLine::new((x, y + 12.0), NAME, colors.ink, name).strong());
    let deed = caption.deed(body);
    let does = deed.map(|deed| match deed.reason.as_str() {
        "" => deed.action.clone(),
        reason => format!("{} · {reason}", deed.action),
    });
    let does = does.filter(|does| !does.is_empty());
    let same = body.role.eq_ignore_ascii_case(&body.kind);
    let trade = [body.role.as_str(), if same { "" } else { body.kind.as_str() }];
    let trade: Vec<&str> = trade.into_iter().filter(|word| !word.is_empty()).collect();
    let detail = if body.place.is_none() && !body.detail.is_empty() {
        format!("{}, place unknown", body.detail)
    } else {
        body.detail.clone()
    };
    let beside = match (&does, lines) {
        (Some(does), 1) => does.clone(),
        (None, 1) => [&trade[..], &[detail.as_str()]].concat().join(" · "),
        (_, _) => trade.join(" · "),
    };
    let room = wide - long - 8.0;
    if room > 24.0 {
        let beside = fitted(&beside, REST, Weight::Regular, room);
        scene.text(TextLine::new((x + long + 8.0, y + 12.0), REST, colors.faint, beside));
    }
    let state = |most: usize| {
        let lines = wrapped(&detail, REST, Weight::Regular, wide, most);
        lines.into_iter().map(|line| (line, colors.faint))
    };
    let more: Vec<(String, Rgba)> = match (does, lines) {
        (_, 1) => Vec::new(),
        (Some(does), 2) => vec![(does, colors.ink)],
        (Some(does), _) => state(1).chain([(does, colors.ink)]).collect(),
        (None, lines) => state(usize::from(lines - 1)).collect(),
    };
    for (line, (text, color)) in (1_u8..).zip(more) {
        let text = fitted(&text, REST, Weight::Regular, wide);
        scene.text(TextLine::new((x, y + 12.0 + f64::from(line) * LINE), REST, color, text));
    }
}
