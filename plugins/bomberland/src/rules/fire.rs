//! The order in which the ring of fire takes the map (spec section 7.5).

use super::CellIndex;

#[derive(Clone, Copy)]
struct Walker {
    x: i32,
    y: i32,
    step: (i32, i32),
}

/// The cells taken so far.
struct Burnt {
    width: i32,
    height: i32,
    used: Vec<bool>,
    order: Vec<CellIndex>,
}

impl Burnt {
    fn used(&self, x: i32, y: i32) -> bool {
        let inside = (0..self.width).contains(&x) && (0..self.height).contains(&y);
        let index = usize::try_from(x + y * self.width).ok().filter(|_| inside);
        index.and_then(|index| self.used.get(index)).copied().unwrap_or(true)
    }

    fn take(&mut self, x: i32, y: i32) {
        if self.used(x, y) {
            return;
        }
        let Ok(cell) = CellIndex::try_from(x + y * self.width) else { return };
        if let Some(used) = self.used.get_mut(usize::from(cell)) {
            *used = true;
            self.order.push(cell);
        }
    }
}

/// All cells of a map in the order in which they burn: two walkers spiral inwards in turn.
#[must_use]
pub fn fire_order(width: u16, height: u16) -> Vec<CellIndex> {
    let count = usize::from(width) * usize::from(height);
    let (width, height) = (i32::from(width), i32::from(height));
    let mut burnt = Burnt { width, height, used: vec![false; count], order: Vec::new() };
    let mut walkers = [
        Walker { x: 0, y: height - 1, step: (1, 0) },
        Walker { x: width - 1, y: 0, step: (-1, 0) },
    ];
    for walker in walkers {
        burnt.take(walker.x, walker.y);
    }
    // On narrow maps a walker strays outside; there the engine would walk for ever.
    for _ in 0..count.saturating_mul(2) {
        if burnt.order.len() == count {
            break;
        }
        for walker in &mut walkers {
            if burnt.used(walker.x + walker.step.0, walker.y + walker.step.1) {
                // Clockwise with y upwards: right, down, left, up.
                walker.step = (walker.step.1, -walker.step.0);
            }
            walker.x += walker.step.0;
            walker.y += walker.step.1;
            burnt.take(walker.x, walker.y);
        }
    }
    for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
        burnt.take(x, y);
    }
    burnt.order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_walkers_spiral_inwards() {
        assert_eq!(fire_order(3, 3), [6, 2, 7, 1, 8, 0, 5, 3, 4]);
        assert_eq!(fire_order(4, 4), [12, 3, 13, 2, 14, 1, 15, 0, 11, 4, 7, 8, 6, 9, 5, 10]);
        let order = fire_order(15, 15);
        assert_eq!(order.len(), 225);
        assert_eq!(order.last(), Some(&(7 + 7 * 15)));
        assert_eq!(order.get(222..224), Some([8 + 7 * 15, 6 + 7 * 15].as_slice()));
    }

    #[test]
    fn every_map_burns_down() {
        for (width, height) in [(1, 1), (1, 7), (2, 9), (5, 3), (16, 12), (128, 128), (3, 40)] {
            let mut order = fire_order(width, height);
            order.sort_unstable();
            assert!(order.iter().copied().eq(0..width * height), "{width} x {height}");
        }
    }
}
