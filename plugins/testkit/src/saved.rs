//! Beliefs that are saved and restored.

use phalanx_game::World;

/// The belief as a daemon that was killed finds it again: `fresh` is an empty world of the same
/// roster.
///
/// # Panics
/// When it does not come back, or not as it was.
#[must_use]
pub fn saved_and_restored<W: World>(world: &W, mut fresh: W) -> W {
    let saved = world.save();
    assert_eq!(saved, world.clone().save(), "a copy is saved as the original");
    if let Err(error) = fresh.restore(&saved) {
        panic!("it does not come back: {error}");
    }
    assert_eq!(fresh.save(), saved, "what came back is not what was saved");
    fresh
}

/// Damaged bytes are refused, or taken for what they say; they never panic.
///
/// # Panics
/// When a truncated belief is taken over.
pub fn damaged_beliefs_are_refused<W: World>(world: &W, fresh: &W) {
    let saved = world.save();
    for cut in (0..saved.len()).step_by(7) {
        let mut other = fresh.clone();
        let half = saved.get(..cut).unwrap_or_default();
        assert!(other.restore(half).is_err(), "cut at {cut} of {}", saved.len());
        assert_eq!(other.save(), fresh.save(), "half of it was taken over, cut at {cut}");
    }
    for at in (0..saved.len()).step_by(13) {
        let mut bytes = saved.clone();
        bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 0x55);
        drop(fresh.clone().restore(&bytes));
    }
}
