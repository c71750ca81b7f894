//! Where maps are on the page: side by side in rows, as large as all of them fit.

use crate::reach::{Panel, Reach};
use crate::scene::PagePoint;
use phalanx_game::sorted::SortedSet;

/// How long a cell may be, in units of the page; the longest that fits is taken.
const UNITS: [f64; 33] = [
    96.0, 84.0, 72.0, 60.0, 54.0, 48.0, 44.0, 40.0, 36.0, 32.0, 28.0, 26.0, 24.0, 22.0, 20.0, 18.0,
    16.0, 15.0, 14.0, 13.0, 12.0, 11.0, 10.0, 9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0, 0.5,
];
/// Room around each map: for numbers at its left and below it, for a line above it.
pub(crate) const LEFT: f64 = 26.0;
pub(crate) const ABOVE: f64 = 20.0;
const BELOW: f64 = 16.0;
const RIGHT: f64 = 8.0;
/// How much smaller maps are that only show further numbers.
const FURTHER: f64 = 0.45;

/// Maps on a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Arranged {
    /// The corner of each map, without the room around it, and how long a cell of it is.
    pub(crate) maps: Vec<(PagePoint, f64)>,
    width: f64,
    pub(crate) height: f64,
}

/// The longest unit with which a group of maps fits into so much room.
pub(crate) fn unit(reach: &Reach, group: &[Panel], room: (f64, f64)) -> f64 {
    let fits = |unit: &f64| {
        let all = arranged(reach, group, *unit, room.0);
        all.width <= room.0 && all.height <= room.1
    };
    let [.., least] = UNITS;
    UNITS.into_iter().find(fits).unwrap_or(least)
}

/// How high the highest group of maps is.
pub(crate) fn highest(reach: &Reach, groups: &SortedSet<Vec<Panel>>, room: (f64, f64)) -> f64 {
    let high = |group: &Vec<Panel>| arranged(reach, group, unit(reach, group, room), room.0).height;
    groups.iter().map(high).fold(0.0, f64::max)
}

pub(crate) fn arranged(reach: &Reach, group: &[Panel], unit: f64, room: f64) -> Arranged {
    let mut all = Arranged::default();
    let (mut x, mut y, mut row) = (0.0_f64, 0.0_f64, 0.0_f64);
    // Where the column of further maps begins, how wide it is, and where it goes on.
    let mut column: Option<(f64, f64, f64)> = None;
    for panel in group {
        let unit = if panel.further { further(unit) } else { unit };
        let (wide, high) = reach.units(panel);
        let (wide, high) = (LEFT + wide * unit + RIGHT, ABOVE + high * unit + BELOW);
        let below = column
            .filter(|(_, width, next)| panel.further && wide <= *width && next + high <= y + row);
        if let Some((left, width, next)) = below {
            all.maps.push(((left + LEFT, next + ABOVE), unit));
            column = Some((left, width, next + high));
            continue;
        }
        if x > 0.0 && x + wide > room {
            (x, y, row) = (0.0, y + row, 0.0);
        }
        all.maps.push(((x + LEFT, y + ABOVE), unit));
        column = panel.further.then_some((x, wide, y + high));
        row = row.max(high);
        x += wide;
        all.width = all.width.max(x);
        all.height = all.height.max(y + high);
    }
    all
}

/// How long a cell of a map is that only shows further numbers; whole units as long as there are.
fn further(unit: f64) -> f64 {
    let short = unit * FURTHER;
    if short < 2.0 { short } else { short.floor() }
}
