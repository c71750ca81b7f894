//! Which team owns which vertices, and what its zones are worth (spec, section 9).
//!
//! A [`Painter`] keeps its buffers, so that a search can paint many placements without
//! allocating: count the enabled agents per vertex, [`Painter::paint`], then [`total`] for the
//! points alone or [`Zones::new`] for every zone.

use super::graph::Links;
use super::words::Side;

/// How many enabled agents of each team stand on a vertex.
pub type Standing = [u16; 2];

/// Who owns a vertex.
pub type Owner = Option<Side>;

/// Colours graphs.
#[derive(Clone, Debug, Default)]
pub struct Painter {
    owners: Vec<Owner>,
    /// What phase 2 gave, entered only when all of it is known.
    given: Vec<(u32, Side)>,
    seen: Vec<bool>,
    component: Vec<u32>,
}

impl Painter {
    /// A painter without a graph.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The owners of all vertices where `standing` agents stand; vertices beyond its end are empty.
    pub fn paint(&mut self, links: &Links, standing: &[Standing]) -> &[Owner] {
        self.owners.clear();
        self.owners.extend(standing.iter().take(links.len()).map(|here| strongest(*here)));
        self.owners.resize(links.len(), None);
        self.enclose(links, standing);
        self.fill(links, standing);
        &self.owners
    }

    /// The owners that were painted last.
    #[must_use]
    pub fn owners(&self) -> &[Owner] {
        &self.owners
    }

    /// Phase 2: empty vertices between at least two vertices of a team.
    fn enclose(&mut self, links: &Links, standing: &[Standing]) {
        self.given.clear();
        for vertex in (0u32..).take(links.len()) {
            if !empty(standing, vertex) {
                continue;
            }
            let mut counts = [0u16; 2];
            for next in links.of(vertex) {
                if let Some(Some(side)) = self.owners.get(*next as usize) {
                    *side.of_mut(&mut counts) += 1;
                }
            }
            if let Some(side) = strongest(counts).filter(|side| *side.of(&counts) >= 2) {
                self.given.push((vertex, side));
            }
        }
        for (vertex, side) in &self.given {
            if let Some(owner) = self.owners.get_mut(*vertex as usize) {
                *owner = Some(*side);
            }
        }
    }

    /// Phase 3: regions of empty vertices that only one team can reach.
    fn fill(&mut self, links: &Links, standing: &[Standing]) {
        self.seen.clear();
        self.seen.resize(links.len(), false);
        for start in (0u32..).take(links.len()) {
            if !self.is_open(standing, start) || self.mark(start) {
                continue;
            }
            self.component.clear();
            self.component.push(start);
            let mut border = Border::Unseen;
            let mut at = 0;
            while let Some(vertex) = self.component.get(at).copied() {
                at += 1;
                for next in links.of(vertex) {
                    if self.is_open(standing, *next) {
                        if !self.mark(*next) {
                            self.component.push(*next);
                        }
                    } else {
                        border = border.with(self.owners.get(*next as usize).copied().flatten());
                    }
                }
            }
            if let Border::Of(side) = border {
                for vertex in &self.component {
                    if let Some(owner) = self.owners.get_mut(*vertex as usize) {
                        *owner = Some(side);
                    }
                }
            }
        }
    }

    /// Whether a vertex is empty and without a colour.
    fn is_open(&self, standing: &[Standing], vertex: u32) -> bool {
        self.owners.get(vertex as usize) == Some(&None) && empty(standing, vertex)
    }

    /// Marks a vertex as seen; whether it was before.
    fn mark(&mut self, vertex: u32) -> bool {
        self.seen.get_mut(vertex as usize).is_none_or(|seen| std::mem::replace(seen, true))
    }
}

/// What lies around a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Border {
    Unseen,
    Of(Side),
    Mixed,
}

impl Border {
    fn with(self, owner: Owner) -> Self {
        match (self, owner) {
            (Self::Unseen, Some(side)) => Self::Of(side),
            (Self::Of(known), Some(side)) if known == side => self,
            (Self::Unseen | Self::Of(_) | Self::Mixed, _) => Self::Mixed,
        }
    }
}

fn empty(standing: &[Standing], vertex: u32) -> bool {
    standing.get(vertex as usize).is_none_or(|here| *here == [0, 0])
}

/// The team with strictly the most.
fn strongest([a, b]: [u16; 2]) -> Owner {
    match a.cmp(&b) {
        std::cmp::Ordering::Greater => Some(Side::A),
        std::cmp::Ordering::Less => Some(Side::B),
        std::cmp::Ordering::Equal => None,
    }
}

/// What all zones of a team are worth together: every owned vertex with an owned neighbour belongs
/// to a zone. `worth`: the value of each vertex for this team, 1 where it has not probed.
#[must_use]
pub fn total(links: &Links, owners: &[Owner], side: Side, worth: &[i32]) -> i64 {
    let own = |vertex: &u32| owners.get(*vertex as usize) == Some(&Some(side));
    let zoned = |vertex: &u32| own(vertex) && links.of(*vertex).iter().any(own);
    let values = (0u32..).zip(worth).filter(|(vertex, _)| zoned(vertex));
    values.map(|(_, value)| i64::from(*value)).sum()
}

/// The zones of one team.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Zones {
    /// The zone of each vertex, if it is in one.
    pub of: Vec<Option<u32>>,
    /// What each zone is worth.
    pub values: Vec<i64>,
}

impl Zones {
    /// The zones of a team: connected, at least two vertices. `worth` as for [`total`].
    #[must_use]
    pub fn new(links: &Links, owners: &[Owner], side: Side, worth: &[i32]) -> Self {
        let mut zones = Self { of: vec![None; links.len()], values: Vec::new() };
        let own = |vertex: u32| owners.get(vertex as usize) == Some(&Some(side));
        let mut stack = Vec::new();
        for start in (0u32..).take(links.len()) {
            let alone = !links.of(start).iter().any(|next| own(*next));
            if !own(start) || alone || zones.at(start).is_some() {
                continue;
            }
            let number = u32::try_from(zones.values.len()).unwrap_or(u32::MAX);
            let mut value = 0;
            stack.push(start);
            while let Some(vertex) = stack.pop() {
                match zones.of.get_mut(vertex as usize) {
                    Some(zone @ None) => *zone = Some(number),
                    Some(Some(_)) | None => continue,
                }
                value += i64::from(worth.get(vertex as usize).copied().unwrap_or(1));
                stack.extend(links.of(vertex).iter().filter(|next| own(**next)));
            }
            zones.values.push(value);
        }
        zones
    }

    /// The zone of a vertex.
    #[must_use]
    pub fn at(&self, vertex: u32) -> Option<u32> {
        self.of.get(vertex as usize).copied().flatten()
    }

    /// What the zone of a vertex is worth; 0 outside zones.
    #[must_use]
    pub fn value_at(&self, vertex: u32) -> i64 {
        let value = self.at(vertex).and_then(|zone| self.values.get(zone as usize));
        value.copied().unwrap_or(0)
    }

    /// What all zones are worth together.
    #[must_use]
    pub fn total(&self) -> i64 {
        self.values.iter().sum()
    }

    /// The value of the best zone; 0 without zones.
    #[must_use]
    pub fn best(&self) -> i64 {
        self.values.iter().copied().max().unwrap_or(0)
    }
}
