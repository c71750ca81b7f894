//! What teams get money for, once each (spec, section 6.5).

use std::fmt;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AchievementKind {
    /// Different vertices probed.
    Probed,
    /// Different edges surveyed.
    Surveyed,
    /// Different enemies inspected.
    Inspected,
    /// Attacks that hit an enabled enemy.
    Attacked,
    /// Agents that warded off attacks, once a step each.
    Parried,
    /// The value of a single zone.
    Area,
}

impl AchievementKind {
    /// All classes, in the order in which a step's achievements are earned.
    pub const ALL: [Self; 6] =
        [Self::Probed, Self::Surveyed, Self::Inspected, Self::Attacked, Self::Parried, Self::Area];

    /// How its names begin on the wire, spelled as the original does.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Probed => "proved",
            Self::Surveyed => "surveyed",
            Self::Inspected => "inspected",
            Self::Attacked => "attacked",
            Self::Parried => "parried",
            Self::Area => "area",
        }
    }

    /// The least quantity; each further one is twice the one before.
    #[must_use]
    pub fn first(self) -> i64 {
        match self {
            Self::Surveyed | Self::Area => 10,
            Self::Probed | Self::Inspected | Self::Attacked | Self::Parried => 5,
        }
    }
}

/// How many quantities a class has.
const LEVELS: u32 = 8;

/// One of the 48 achievements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Achievement {
    /// What is counted.
    pub class: AchievementKind,
    /// How many it takes.
    pub quantity: i64,
}

impl fmt::Display for Achievement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.class.word(), self.quantity)
    }
}

/// How far a team is in every class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct AchievementTally {
    pub(super) attacked: i64,
    pub(super) parried: i64,
    reached: [u32; AchievementKind::ALL.len()],
}

impl AchievementTally {
    /// The achievements that come with `quantity`, which says for every class how many there are.
    pub(super) fn earn(&mut self, quantity: impl Fn(AchievementKind) -> i64) -> Vec<Achievement> {
        let mut earned = Vec::new();
        for (class, reached) in AchievementKind::ALL.into_iter().zip(&mut self.reached) {
            let has = quantity(class);
            while *reached < LEVELS && has >= class.first() << *reached {
                earned.push(Achievement { class, quantity: class.first() << *reached });
                *reached += 1;
            }
        }
        earned
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_come_at_once_and_none_twice() {
        let mut tally = AchievementTally::default();
        let only = |class, count| move |asked| if asked == class { count } else { 0 };
        let words = |earned: Vec<Achievement>| {
            earned.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(words(tally.earn(only(AchievementKind::Area, 9))), "");
        assert_eq!(words(tally.earn(only(AchievementKind::Area, 45))), "area10 area20 area40");
        assert_eq!(words(tally.earn(only(AchievementKind::Area, 45))), "");
        assert_eq!(words(tally.earn(only(AchievementKind::Probed, 5))), "proved5");
        assert_eq!(tally.earn(|_| i64::MAX).len(), 48 - 4);
        assert_eq!(tally.earn(|_| i64::MAX), []);
    }
}
