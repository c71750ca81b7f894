//! Which team owns which vertices, and what its zones are worth (spec, section 9).
//!
//! A [`Painter`] keeps its buffers, so that a search can paint many placements without
//! allocating: count the enabled agents per vertex, [`Painter::paint`], then [`total`] for the
//! points alone or [`Zones::new`] for every zone.

use super::graph::Adjacency;
use super::words::MatchSide;

/// How many enabled agents of each team stand on a vertex.
pub type AgentCounts = [u16; 2];

/// Who owns a vertex.
pub type ZoneOwner = Option<MatchSide>;

/// A vertex without agents and without an owner.
const OPEN: u8 = 0;
/// One that the first team owns. With [`SECOND`] as bits: what surrounds a region is their union.
const FIRST: u8 = 1;
/// One that the second team owns.
const SECOND: u8 = 2;
/// One that both teams stand on, none with more agents: like owners of both kinds to its region.
const CONTESTED: u8 = FIRST | SECOND;
/// An open one that has been seen; what it becomes is not known yet.
const SEEN: u8 = 4;

/// Colours graphs.
#[derive(Clone, Debug, Default)]
pub struct Painter {
    /// What each vertex is so far.
    marks: Vec<u8>,
    /// How many neighbours of an empty vertex each team occupies, and which vertices have some.
    counts: Vec<AgentCounts>,
    touched: Vec<u32>,
    region: Vec<u32>,
    owners: Vec<ZoneOwner>,
}

impl Painter {
    /// A painter without a graph.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The owners of all vertices where `standing` agents stand; vertices beyond its end are empty.
    pub fn paint(&mut self, links: &Adjacency, standing: &[AgentCounts]) -> &[ZoneOwner] {
        self.marks.clear();
        self.marks.extend(standing.iter().take(links.len()).map(|here| occupied(*here)));
        self.marks.resize(links.len(), OPEN);
        self.enclose(links);
        self.fill(links);
        self.owners.clear();
        self.owners.extend(self.marks.iter().map(|mark| match *mark {
            FIRST => Some(MatchSide::A),
            SECOND => Some(MatchSide::B),
            _ => None,
        }));
        &self.owners
    }

    /// The owners that were painted last.
    #[must_use]
    pub fn owners(&self) -> &[ZoneOwner] {
        &self.owners
    }

    /// Phase 2: empty vertices between at least two vertices of a team.
    fn enclose(&mut self, links: &Adjacency) {
        self.counts.resize(links.len(), [0, 0]);
        for (vertex, mark) in (0u32..).zip(&self.marks) {
            let side = match *mark {
                FIRST => MatchSide::A,
                SECOND => MatchSide::B,
                _ => continue,
            };
            for next in links.of(vertex) {
                let open = self.marks.get(*next as usize) == Some(&OPEN);
                let Some(count) = self.counts.get_mut(*next as usize).filter(|_| open) else {
                    continue;
                };
                if *count == [0, 0] {
                    self.touched.push(*next);
                }
                let of = side.of_mut(count);
                *of = of.saturating_add(1);
            }
        }
        // Entered only when all are counted: what phase 2 gives does not count in phase 2.
        for vertex in self.touched.drain(..) {
            let Some(count) = self.counts.get_mut(vertex as usize) else { continue };
            let count = std::mem::take(count);
            let given = match occupied(count) {
                FIRST | SECOND if count.iter().any(|of| *of >= 2) => occupied(count),
                _ => OPEN,
            };
            if let Some(mark) = self.marks.get_mut(vertex as usize) {
                *mark = given;
            }
        }
    }

    /// Phase 3: regions of open vertices that only one team can reach.
    fn fill(&mut self, links: &Adjacency) {
        // One place more than a region can have: the walk writes before it knows whether to keep.
        self.region.resize(links.len().saturating_add(1), 0);
        for start in (0u32..).take(links.len()) {
            if self.marks.get(start as usize) != Some(&OPEN) {
                continue;
            }
            let (count, border) = self.walk(links, start);
            if border == FIRST || border == SECOND {
                for vertex in self.region.iter().take(count) {
                    if let Some(mark) = self.marks.get_mut(*vertex as usize) {
                        *mark = border;
                    }
                }
            }
        }
    }

    /// Walks the region of an open vertex: how many vertices it has, which are in `region` now, and
    /// what surrounds them. Without branches on what is found, since the processor cannot predict them.
    fn walk(&mut self, links: &Adjacency, start: u32) -> (usize, u8) {
        let Self { marks, region, .. } = self;
        let mut count = 0;
        let mut border = OPEN;
        let mut meet = |vertex: u32, count: &mut usize, region: &mut [u32]| {
            let (Some(mark), Some(place)) =
                (marks.get_mut(vertex as usize), region.get_mut(*count))
            else {
                return;
            };
            *place = vertex;
            let open = *mark == OPEN;
            border |= *mark & CONTESTED;
            *mark |= SEEN * u8::from(open);
            *count += usize::from(open);
        };
        meet(start, &mut count, region);
        let mut at = 0;
        while at < count {
            let Some(vertex) = region.get(at).copied() else { break };
            at += 1;
            for next in links.of(vertex) {
                meet(*next, &mut count, region);
            }
        }
        (count, border)
    }
}

/// The owner of a vertex with that many agents of each team (phase 1).
fn occupied([a, b]: AgentCounts) -> u8 {
    match a.cmp(&b) {
        std::cmp::Ordering::Greater => FIRST,
        std::cmp::Ordering::Less => SECOND,
        std::cmp::Ordering::Equal if a == 0 => OPEN,
        std::cmp::Ordering::Equal => CONTESTED,
    }
}

/// What all zones of a team are worth together: every owned vertex with an owned neighbour belongs
/// to a zone. `worth`: the value of each vertex for this team, 1 where it has not probed.
#[must_use]
pub fn total(links: &Adjacency, owners: &[ZoneOwner], side: MatchSide, worth: &[i32]) -> i64 {
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
    pub fn new(links: &Adjacency, owners: &[ZoneOwner], side: MatchSide, worth: &[i32]) -> Self {
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
