//! They behave as the trees of the standard library do.

use super::*;
use std::collections::{BTreeMap, BTreeSet};

/// Numbers that repeat and come in no order.
fn numbers() -> impl Iterator<Item = u32> {
    (0_u32..400).map(|at| at.wrapping_mul(2_654_435_761) >> 25)
}

fn both() -> (SortedMap<u32, usize>, BTreeMap<u32, usize>) {
    let pairs = || numbers().enumerate().map(|(at, key)| (key, at));
    (pairs().collect(), pairs().collect())
}

fn same(ours: &SortedMap<u32, usize>, theirs: &BTreeMap<u32, usize>) {
    assert!(ours.iter().eq(theirs.iter()), "{ours:?}");
    assert!(ours.keys().rev().eq(theirs.keys().rev()));
    assert_eq!(ours.len(), theirs.len());
    assert_eq!(ours.first_key_value(), theirs.first_key_value());
    assert_eq!(ours.last_key_value(), theirs.last_key_value());
    assert_eq!(format!("{ours:#?}"), format!("{theirs:#?}"));
    assert_eq!(postcard::to_allocvec(ours), postcard::to_allocvec(theirs));
}

#[test]
fn a_map_holds_what_a_tree_holds_after_every_change() {
    let (mut ours, mut theirs) = both();
    same(&ours, &theirs);
    for key in numbers().step_by(3) {
        assert_eq!(ours.remove(&key), theirs.remove(&key), "{key}");
        assert_eq!(ours.get(&(key + 1)), theirs.get(&(key + 1)));
        same(&ours, &theirs);
    }
    for key in numbers().step_by(7) {
        *ours.entry(key).or_insert(5) += 1;
        *theirs.entry(key).or_insert(5) += 1;
        assert_eq!(ours.insert(key / 2, 9), theirs.insert(key / 2, 9));
        same(&ours, &theirs);
    }
    ours.retain(|key, value| key % 2 == 0 && *value > 3);
    theirs.retain(|key, value| key % 2 == 0 && *value > 3);
    assert_eq!(ours.split_off(&60).into_iter().count(), theirs.split_off(&60).len());
    same(&ours, &theirs);
    assert_eq!((ours.pop_first(), ours.pop_last()), (theirs.pop_first(), theirs.pop_last()));
    same(&ours, &theirs);
}

#[test]
fn a_range_has_the_entries_of_a_trees_range() {
    let (ours, theirs) = both();
    for (from, to) in [(0, 0), (3, 40), (40, 41), (100, 999), (500, 900)] {
        assert!(ours.range(from..to).eq(theirs.range(from..to)), "{from}..{to}");
        assert!(ours.range(from..=to).eq(theirs.range(from..=to)), "{from}..={to}");
        assert!(ours.range(from..).rev().eq(theirs.range(from..).rev()), "{from}..");
        assert!(ours.range(..to).eq(theirs.range(..to)), "..{to}");
    }
    // A tree panics here.
    assert_eq!(ours.range((Bound::Included(9), Bound::Excluded(3))).count(), 0);
}

#[test]
fn a_set_holds_what_a_tree_holds() {
    let of = |skip: usize| numbers().skip(skip).step_by(3);
    let (ours, theirs): (SortedSet<_>, BTreeSet<_>) = (of(0).collect(), of(0).collect());
    let (other, their_other): (SortedSet<_>, BTreeSet<_>) = (of(1).collect(), of(1).collect());
    assert!(ours.iter().eq(theirs.iter()));
    assert!(ours.difference(&other).eq(theirs.difference(&their_other)));
    assert!(ours.intersection(&other).eq(theirs.intersection(&their_other)));
    assert!(ours.range(20..).eq(theirs.range(20..)));
    assert_eq!(ours.is_subset(&other), theirs.is_subset(&their_other));
    assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
    let bytes = postcard::to_allocvec(&ours).unwrap();
    assert_eq!(Ok(&bytes), postcard::to_allocvec(&theirs).as_ref());
    assert_eq!(postcard::from_bytes::<SortedSet<u32>>(&bytes).unwrap(), ours);
}

#[test]
fn a_map_is_read_from_entries_in_any_order() {
    let bytes = postcard::to_allocvec(&[(3_u32, 1_u32), (1, 2), (3, 4)][..]).unwrap();
    let read: SortedMap<u32, u32> = postcard::from_bytes(&bytes).unwrap();
    assert_eq!(read, SortedMap::from([(1, 2), (3, 4)]));
    assert_eq!(read[&3], 4);
}

#[test]
fn items_are_sorted_as_the_standard_library_does() {
    for count in [0, 1, 2, 3, 10, 33, 300] {
        let items: Vec<_> = numbers().take(count).zip(0..).collect();
        let (mut ours, mut theirs) = (items.clone(), items.clone());
        ours.order_by_key(|(number, _)| number % 16);
        theirs.sort_by_key(|(number, _)| number % 16);
        assert_eq!(ours, theirs, "{count}: equal keys stay in their order");
        ours.order();
        theirs.sort();
        assert_eq!(ours, theirs, "{count}");
        ours.order_by(|a, b| b.cmp(a));
        theirs.reverse();
        assert_eq!(ours, theirs, "{count}");
    }
}
