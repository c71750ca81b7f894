//! Where the places of a part are on the page.

use crate::reach::{Cells, GRAPH_MARGIN, Panel, Reach, Span, float};
use crate::scene::{PageArea, PagePoint};
use phalanx_proto::v1::world_part::Shape;
use phalanx_proto::v1::world_place::Place;
use phalanx_proto::v1::{WorldPart, WorldPlace};

/// The map of a part on the page.
#[derive(Debug)]
pub(crate) struct MapFrame<'a> {
    reach: &'a Reach,
    part: &'a WorldPart,
    span: Span,
    /// Rows grow upwards.
    pub(crate) up: bool,
    pub(crate) area: PageArea,
    /// How long a cell, an edge or a body is.
    pub(crate) unit: f64,
}

impl<'a> MapFrame<'a> {
    /// From an upper left corner on.
    pub(crate) fn new(
        reach: &'a Reach,
        (part, panel): (&'a WorldPart, &Panel),
        span: Span,
        (x, y): PagePoint,
        unit: f64,
    ) -> Self {
        let (wide, high) = reach.units(panel);
        let area = PageArea::new(x, y, wide * unit, high * unit);
        let up = matches!(&part.shape, Some(Shape::Grid(grid)) if grid.y_up);
        Self { reach, part, span, up, area, unit }
    }

    pub(crate) fn cells(&self) -> Option<Cells> {
        match self.span {
            Span::Cells(cells) => Some(cells),
            Span::Plane { .. } | Span::Graph => None,
        }
    }

    /// The upper edge of a row.
    fn row_top(&self, cells: Cells, y: i64) -> f64 {
        let row = if self.up { cells.y + cells.height - 1 - y } else { y - cells.y };
        self.area.y + float(row) * self.unit
    }

    /// The cells of a row from one column up to another one.
    pub(crate) fn row(&self, from: i64, to: i64, y: i64) -> PageArea {
        let Some(cells) = self.cells() else { return PageArea::default() };
        let x = self.area.x + float(from - cells.x) * self.unit;
        PageArea::new(x, self.row_top(cells, y), float(to - from) * self.unit, self.unit)
    }

    /// The middle of a cell; `None`: it is outside.
    pub(crate) fn cell(&self, x: i64, y: i64) -> Option<PagePoint> {
        let cells = self.cells()?;
        let inside = (cells.x..cells.x + cells.width).contains(&x)
            && (cells.y..cells.y + cells.height).contains(&y);
        let left = self.area.x + float(x.saturating_sub(cells.x)) * self.unit;
        inside.then(|| (left + self.unit / 2.0, self.row_top(cells, y) + self.unit / 2.0))
    }

    /// Where a node is.
    pub(crate) fn node(&self, name: &str) -> Option<PagePoint> {
        let (x, y) = self.reach.node(name)?;
        let along = |from: f64, at: f64| from + (at + GRAPH_MARGIN) * self.unit;
        matches!(self.span, Span::Graph).then(|| (along(self.area.x, x), along(self.area.y, y)))
    }

    /// Where a point of a plane is; `None`: it is outside.
    pub(crate) fn point(&self, x: f64, y: f64) -> Option<PagePoint> {
        let Span::Plane { width, height } = self.span else { return None };
        let (x, y) = (x / width, y / height);
        let inside = (0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&y);
        inside.then_some((self.area.x + x * self.area.width, self.area.y + y * self.area.height))
    }

    /// Where a place is; `None`: nowhere on this map.
    pub(crate) fn place(&self, place: Option<&WorldPlace>) -> Option<PagePoint> {
        match place?.place.as_ref()? {
            Place::Cell(cell) => self.cell(cell.x.into(), cell.y.into()),
            Place::Point(at) => self.point(at.x, at.y),
            Place::Node(node) => {
                self.node(&self.part.nodes.get(usize::try_from(*node).ok()?)?.name)
            }
        }
    }
}
