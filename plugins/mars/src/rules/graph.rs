//! Who is next to whom, packed for speed.

/// The neighbours of every vertex of an undirected graph. Vertices are numbers from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adjacency {
    /// Where each vertex's neighbours begin in `ends`; one more at the end.
    starts: Vec<u32>,
    ends: Vec<u32>,
}

impl Adjacency {
    /// The links of a graph with that many vertices. Edges to vertices that do not exist and loops
    /// are skipped. The neighbours of a vertex come in the order of the edges.
    #[must_use]
    pub fn new(vertices: usize, edges: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let known = |vertex: u32| usize::try_from(vertex).is_ok_and(|index| index < vertices);
        let edges = edges.filter(|(a, b)| a != b && known(*a) && known(*b));
        let both = edges.flat_map(|(a, b)| [(a, b), (b, a)]);
        let mut starts = vec![0u32; vertices + 1];
        for (from, _) in both.clone() {
            if let Some(count) = starts.get_mut(from as usize + 1) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut ends = vec![0; sum as usize];
        let mut next = starts.clone();
        for (from, to) in both {
            let Some(place) = next.get_mut(from as usize) else { continue };
            if let Some(end) = ends.get_mut(*place as usize) {
                *end = to;
            }
            *place += 1;
        }
        Self { starts, ends }
    }

    /// How many vertices there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The neighbours of a vertex; none for a vertex that does not exist.
    #[must_use]
    pub fn of(&self, vertex: u32) -> &[u32] {
        let vertex = vertex as usize;
        let (Some(from), Some(to)) = (self.starts.get(vertex), self.starts.get(vertex + 1)) else {
            return &[];
        };
        self.ends.get(*from as usize..*to as usize).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_mutual_and_in_order_of_the_edges() {
        let edges = [(0, 1), (2, 0), (1, 1), (1, 9), (3, 1)];
        let links = Adjacency::new(5, edges.into_iter());
        assert_eq!(links.len(), 5);
        assert_eq!(links.of(0), [1, 2]);
        assert_eq!(links.of(1), [0, 3]);
        assert_eq!(links.of(3), [1]);
        assert!(links.of(4).is_empty());
        assert!(links.of(9).is_empty());
    }
}
