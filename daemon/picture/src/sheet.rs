//! The page: a title, the maps, what their signs mean, and who is there.

use crate::font::{Weight, fitted, width, wrapped};
use crate::frame::MapFrame;
use crate::palette::{Palette, Theme};
use crate::reach::{PARTS_MAX, Panel, Reach, float};
use crate::scene::{Anchor, PageArea, PagePoint, ShapePaint, TextLine, VectorScene};
use crate::{Unfit, agents, arrange, cells, check, graph, marks, things};
use phalanx_game::sorted::SortedMap;
use phalanx_proto::v1::world_part::Shape;
use phalanx_proto::v1::{ScriptMark, World, WorldBody, WorldPart};

/// The narrowest picture, in pixels.
pub const WIDTH_MIN: u32 = 320;
/// The widest picture, in pixels.
pub const WIDTH_MAX: u32 = 8_192;
/// Pages are not wider, in units; wider pictures have more pixels a unit.
const PAGE: f64 = 1_200.0;
/// From this page width on, the table is beside the maps.
const BESIDE: f64 = 720.0;
/// Its share of the width there, and how wide it is at least and at most.
const SIDE: f64 = 0.27;
const SIDE_WIDE: (f64, f64) = (220.0, 300.0);
/// Room at the edges.
const MARGIN: f64 = 18.0;
/// Height of the title.
const HEAD: f64 = 46.0;
/// Height of a line of notes below the maps.
const NOTE: f64 = 18.0;
/// Maps may be so high at least.
const MAPS_HIGH: f64 = 420.0;
/// The table may be so high without making the page higher.
const SIDE_HIGH: f64 = 560.0;
/// The same for one below the maps.
const BELOW_HIGH: f64 = 260.0;
/// Distance between the hatch lines of unseen ground.
const HATCH: f64 = 8.0;
/// Least distance between two numbers at the edge of a map.
const TICK: f64 = 26.0;

/// How a picture looks.
#[derive(Clone, Copy, Debug)]
pub struct PictureStyle {
    /// How wide it is, in pixels: [`WIDTH_MIN`] to [`WIDTH_MAX`], else the nearest of both.
    pub width: u32,
    /// Its colours.
    pub theme: Theme,
}

/// Data of the team that is shown besides the world.
#[derive(Clone, Debug, Default)]
pub struct TeamCaption {
    /// The team's score, where it is known.
    pub score: Option<i64>,
    /// What the team's agents do, by their names in the roster.
    pub deeds: SortedMap<String, AgentActivity>,
    /// Agent names in the order of the roster; empty when unknown. Worlds may use other names.
    pub roster: Vec<String>,
}

/// What an agent does.
#[derive(Clone, Debug, Default)]
pub struct AgentActivity {
    /// Its action as people read it; empty: none is known.
    pub action: String,
    /// Why; empty: its script did not say.
    pub reason: String,
}

impl TeamCaption {
    /// What one of our agents does.
    pub(crate) fn deed(&self, body: &WorldBody) -> Option<&AgentActivity> {
        let agent = usize::try_from(body.agent?).ok()?;
        self.deeds.get(&body.name).or_else(|| self.deeds.get(self.roster.get(agent)?))
    }
}

impl PictureStyle {
    /// The width of the picture in pixels.
    #[must_use]
    pub fn pixels(&self) -> u32 {
        self.width.clamp(WIDTH_MIN, WIDTH_MAX)
    }
}

/// A world as a page of shapes; the pages of all worlds that a reach has seen are as large as each
/// other.
///
/// # Errors
/// When the world is larger than a picture may be, or not whole.
pub fn scene(
    world: &World,
    caption: &TeamCaption,
    reach: &Reach,
    look: PictureStyle,
) -> Result<VectorScene, Unfit> {
    check::fits(world)?;
    let group = reach.panels(world);
    let page = SheetLayout::new(reach, &group, f64::from(look.pixels()).min(PAGE));
    let team = world.team.strip_prefix("teams/").unwrap_or(&world.team);
    let colors = look.theme.palette();
    let turn = world.turn.unwrap_or_default();
    let title = format!("{team}, {}, turn {}:{}", world.game, turn.round, turn.step);
    let mut scene = VectorScene::new(page.width, page.height, colors.page, &title);
    head(&mut scene, team, (world, caption), colors);
    let arranged = arrange::arranged(reach, &group, page.unit, page.maps.width);
    for (panel, (at, unit)) in group.iter().zip(&arranged.maps) {
        let part = world.parts.iter().find(|part| part.name == panel.part);
        let (Some(part), Some(span)) = (part, reach.span_of(panel)) else { continue };
        let corner = (page.maps.x + at.0, page.maps.y + at.1);
        let frame = MapFrame::new(reach, (part, panel), span, corner, *unit);
        draw_map(&mut scene, (world, part, panel), &frame, group.len() > 1, colors);
    }
    notes(&mut scene, world, &page, group.is_empty(), colors);
    reach.legend.draw(&mut scene, page.legend, page.columns, colors);
    agents::draw(&mut scene, (world, caption), page.agents, page.lines, colors);
    Ok(scene)
}

/// Where everything is on the page.
struct SheetLayout {
    width: f64,
    height: f64,
    maps: PageArea,
    unit: f64,
    legend: PageArea,
    columns: usize,
    agents: PageArea,
    /// Lines of each agent.
    lines: u8,
}

impl SheetLayout {
    fn new(reach: &Reach, group: &[Panel], width: f64) -> Self {
        let beside = width >= BESIDE;
        let inner = width - 2.0 * MARGIN;
        let side = (width * SIDE).clamp(SIDE_WIDE.0, SIDE_WIDE.1).round();
        let room = if beside { inner - side - MARGIN } else { inner };
        let all = (room, room.max(MAPS_HIGH));
        let unit = arrange::unit(reach, group, all);
        let high = reach.highest(all);
        let top = MARGIN + HEAD;
        let maps = PageArea::new(MARGIN, top, room, high.max(60.0) + NOTE);
        let (x, y, wide) = if beside {
            (MARGIN + room + MARGIN, top + arrange::ABOVE, side)
        } else {
            (MARGIN, top + maps.height, inner)
        };
        let columns = if !beside && wide > 340.0 { 2 } else { 1 };
        let legend = PageArea::new(x, y, wide, reach.legend.height(columns));
        let taken = legend.height + 14.0;
        let listed = if beside { maps.height.max(SIDE_HIGH) - taken } else { BELOW_HIGH };
        let (lines, high) = agents::fit(reach.listed, listed);
        let agents = PageArea::new(x, y + taken, wide, high);
        let below = (maps.y + maps.height).max(agents.y + agents.height);
        // Whole units: a page ends on a pixel.
        let height = (below + MARGIN).ceil();
        Self { width, height, maps, unit, legend, columns, agents, lines }
    }
}

fn head(
    scene: &mut VectorScene,
    team: &str,
    (world, caption): (&World, &TeamCaption),
    colors: &Palette,
) {
    let width_all = scene.width - 2.0 * MARGIN;
    let turn = world.turn.unwrap_or_default();
    let score = caption.score.map(|score| format!(" · score {score}")).unwrap_or_default();
    let right = format!("turn {}:{}{score}", turn.round, turn.step);
    let taken = width(&right, 15.0, Weight::Medium);
    let end = (scene.width - MARGIN, MARGIN + 18.0);
    scene.text(TextLine::new(end, 15.0, colors.ink, right).strong().anchored(Anchor::End));
    let room = (width_all - taken - 16.0).max(40.0);
    let name = fitted(team, 20.0, Weight::Medium, room);
    let long = width(&name, 20.0, Weight::Medium);
    scene.text(TextLine::new((MARGIN, MARGIN + 18.0), 20.0, colors.ink, name).strong());
    if room - long > 48.0 {
        let game = fitted(&world.game, 15.0, Weight::Regular, room - long - 10.0);
        let at = (MARGIN + long + 10.0, MARGIN + 18.0);
        scene.text(TextLine::new(at, 15.0, colors.faint, game));
    }
    let facts = match world.parts.as_slice() {
        [part] => facts(part, turn.step, caption.score.is_some()),
        [] | [_, ..] => String::new(),
    };
    let facts = fitted(&facts, 12.0, Weight::Regular, width_all);
    scene.text(TextLine::new((MARGIN, MARGIN + 36.0), 12.0, colors.faint, facts));
}

/// Facts about a whole part that are not shown elsewhere.
fn facts(part: &WorldPart, step: u32, has_score: bool) -> String {
    let captioned = |name: &str, value: &str| {
        name == "step" && value == step.to_string() || name == "score" && has_score
    };
    let facts = part.facts.iter().filter(|fact| !captioned(&fact.name, &fact.value));
    let facts = facts.map(|fact| format!("{} {}", fact.name, fact.value));
    let again = match &part.shape {
        Some(Shape::Grid(grid)) => grid.width.zip(grid.height),
        Some(Shape::Plane(_) | Shape::Graph(_)) | None => None,
    };
    let again = again.map(|(width, height)| format!("begins again after {width} × {height} cells"));
    facts.chain(again).collect::<Vec<_>>().join(" · ")
}

fn draw_map(
    scene: &mut VectorScene,
    (world, part, panel): (&World, &WorldPart, &Panel),
    frame: &MapFrame<'_>,
    titled: bool,
    colors: &Palette,
) {
    if titled {
        map_title(scene, part, panel, frame, colors);
    }
    match frame.cells() {
        Some(area) => {
            scene.rect(frame.area, ShapePaint::fill(colors.unknown));
            if has_unknown(part, area.width * area.height) {
                hatch(scene, frame.area, colors);
            }
            cells::draw(scene, (world, part, panel), (frame, area), colors);
            scene.rect(frame.area, ShapePaint::stroke(colors.faint, 1.0));
            ticks(scene, frame, colors);
        }
        None if matches!(part.shape, Some(Shape::Graph(_))) => {
            graph::draw(scene, part, frame, colors);
        }
        None => {
            let paint = ShapePaint::fill(colors.ground).with_stroke(colors.faint, 1.0);
            scene.rect(frame.area, paint);
        }
    }
    if !panel.further {
        things::spots(scene, part, frame, colors);
        marks::draw(scene, marks_of(world, part), frame, colors);
    }
    things::bodies(scene, part, frame, colors);
}

fn map_title(
    scene: &mut VectorScene,
    part: &WorldPart,
    panel: &Panel,
    frame: &MapFrame<'_>,
    colors: &Palette,
) {
    let title = match (&panel.numbers, panel.further) {
        (Some(numbers), true) => numbers.clone(),
        (Some(numbers), false) => format!("{}, {numbers}", part.name),
        (None, _) => part.name.clone(),
    };
    let PageArea { x, y, width: wide, .. } = frame.area;
    let title = fitted(&title, 11.0, Weight::Medium, wide.max(60.0));
    scene.text(TextLine::new((x, y - 6.0), 11.0, colors.ink, title).strong());
}

/// Marks of the agents that are on this map, and on the first one those of the whole team.
fn marks_of<'a>(world: &'a World, part: &'a WorldPart) -> impl Iterator<Item = &'a ScriptMark> {
    let here = |name: &str| part.bodies.iter().any(|body| body.name == name);
    let somewhere =
        |name: &str| world.parts.iter().flat_map(|part| &part.bodies).any(|body| body.name == name);
    let first = world.parts.first().is_some_and(|first| first.name == part.name);
    world.marks.iter().filter(move |mark| {
        here(&mark.agent) || first && (mark.agent.is_empty() || !somewhere(&mark.agent))
    })
}

/// Whether some of these cells have not been seen.
fn has_unknown(part: &WorldPart, cells: i64) -> bool {
    let ground = part.layers.first();
    ground.is_none_or(|layer| {
        layer.cells.contains(&0)
            || i64::try_from(layer.cells.len()).is_ok_and(|known| known < cells)
    })
}

/// Slanted lines, as far as they are inside.
fn hatch(scene: &mut VectorScene, area: PageArea, colors: &Palette) {
    let PageArea { x, y, width, height } = area;
    let mut runs = Vec::new();
    let mut along = HATCH;
    while along < width + height {
        let from: PagePoint = (x + (along - height).max(0.0), y + along.min(height));
        let to: PagePoint = (x + along.min(width), y + (along - width).max(0.0));
        runs.push(vec![from, to]);
        along += HATCH;
    }
    scene.lines(runs, ShapePaint::stroke(colors.hatch, 1.2));
}

/// Numbers of columns below, of rows at the left.
fn ticks(scene: &mut VectorScene, frame: &MapFrame<'_>, colors: &Palette) {
    let Some(cells) = frame.cells() else { return };
    let step = [1, 2, 5, 10, 20, 50, 100, 200];
    let step = step.into_iter().find(|step| float(*step) * frame.unit >= TICK).unwrap_or(500);
    let multiples = |from: i64, count: i64| (from..from + count).filter(move |at| at % step == 0);
    let PageArea { x, y, height, .. } = frame.area;
    for column in multiples(cells.x, cells.width) {
        let Some((middle, _)) = frame.cell(column, cells.y) else { continue };
        let text =
            TextLine::new((middle, y + height + 11.0), 9.0, colors.faint, column.to_string());
        scene.text(text.anchored(Anchor::Middle));
    }
    for row in multiples(cells.y, cells.height) {
        let Some((_, middle)) = frame.cell(cells.x, row) else { continue };
        let text = TextLine::new((x - 4.0, middle + 3.2), 9.0, colors.faint, row.to_string());
        scene.text(text.anchored(Anchor::End));
    }
}

/// What the maps do not show.
fn notes(
    scene: &mut VectorScene,
    world: &World,
    page: &SheetLayout,
    is_empty: bool,
    colors: &Palette,
) {
    if is_empty {
        let middle = (page.maps.x + page.maps.width / 2.0, page.maps.y + 36.0);
        let note = "nothing is known of the world yet";
        scene.text(TextLine::new(middle, 14.0, colors.faint, note).centred());
    }
    let more = world.parts.len().saturating_sub(PARTS_MAX);
    let more = (more > 0).then(|| format!("{more} more maps are not shown."));
    let cut = world.cut.then(|| "Some of the world is left out: it is too large.".to_owned());
    let text = more.into_iter().chain(cut).collect::<Vec<_>>().join(" ");
    let lines = wrapped(&text, 11.0, Weight::Regular, page.maps.width, 1);
    for line in lines {
        let at = (page.maps.x, page.maps.y + page.maps.height - 4.0);
        scene.text(TextLine::new(at, 11.0, colors.faint, line));
    }
}
