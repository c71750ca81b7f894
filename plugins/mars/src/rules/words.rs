//! The fixed vocabulary of the game, by its names on the wire (spec, sections 1, 6 and 8).

use serde::{Deserialize, Serialize};

/// One of the two teams, in the order of the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MatchSide {
    /// The first team; its agents act first where the order counts.
    A,
    /// The second team.
    B,
}

impl MatchSide {
    /// Both, in order.
    pub const BOTH: [Self; 2] = [Self::A, Self::B];

    /// 0 or 1.
    #[must_use]
    pub fn index(self) -> usize {
        match self {
            Self::A => 0,
            Self::B => 1,
        }
    }

    /// The opponent.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }

    /// Its own part of what there is for both teams.
    #[must_use]
    pub fn of<T>(self, both: &[T; 2]) -> &T {
        let [a, b] = both;
        match self {
            Self::A => a,
            Self::B => b,
        }
    }

    /// Its own part of what there is for both teams, to be changed.
    pub fn of_mut<T>(self, both: &mut [T; 2]) -> &mut T {
        let [a, b] = both;
        match self {
            Self::A => a,
            Self::B => b,
        }
    }
}

/// What an agent is good at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Probes vertices.
    Explorer,
    /// Repairs others.
    Repairer,
    /// Attacks.
    Saboteur,
    /// Sees far.
    Sentinel,
    /// Inspects enemies.
    Inspector,
}

/// What a role starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traits {
    /// Most energy, also while disabled.
    pub max_energy: i32,
    /// Most health.
    pub max_health: i32,
    /// Damage of an attack.
    pub strength: i32,
    /// How many edges far it sees.
    pub vis_range: i32,
}

impl Role {
    /// All roles.
    pub const ALL: [Self; 5] =
        [Self::Explorer, Self::Repairer, Self::Saboteur, Self::Sentinel, Self::Inspector];

    /// Its name on the wire.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Explorer => "Explorer",
            Self::Repairer => "Repairer",
            Self::Saboteur => "Saboteur",
            Self::Sentinel => "Sentinel",
            Self::Inspector => "Inspector",
        }
    }

    /// The role of that name, in any case of letters.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.word().eq_ignore_ascii_case(word))
    }

    /// The role of the account with that number in its team, from 0 (section 1): pairs in the
    /// order of [`Role::ALL`], over and over.
    #[must_use]
    pub fn of_account(number: usize) -> Self {
        match number / 2 % 5 {
            0 => Self::Explorer,
            1 => Self::Repairer,
            2 => Self::Saboteur,
            3 => Self::Sentinel,
            _ => Self::Inspector,
        }
    }

    /// What it starts with (section 6.2).
    #[must_use]
    pub fn traits(self) -> Traits {
        let (max_energy, max_health, strength, vis_range) = match self {
            Self::Explorer => (35, 4, 0, 2),
            Self::Repairer => (25, 6, 0, 1),
            Self::Saboteur => (20, 3, 3, 1),
            Self::Sentinel => (30, 1, 0, 3),
            Self::Inspector => (25, 6, 0, 1),
        };
        Traits { max_energy, max_health, strength, vis_range }
    }

    /// Whether it may do that (section 6.2).
    #[must_use]
    pub fn may(self, verb: MarsVerb, disabled: bool) -> bool {
        match verb {
            MarsVerb::Skip | MarsVerb::Goto | MarsVerb::Recharge => true,
            MarsVerb::Repair => self == Self::Repairer,
            _ if disabled => false,
            MarsVerb::Survey | MarsVerb::Buy => true,
            MarsVerb::Probe => self == Self::Explorer,
            MarsVerb::Inspect => self == Self::Inspector,
            MarsVerb::Attack => self == Self::Saboteur,
            MarsVerb::Parry => matches!(self, Self::Repairer | Self::Saboteur | Self::Sentinel),
        }
    }
}

/// What an agent may try to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MarsVerb {
    /// Nothing.
    Skip,
    /// Regain energy.
    Recharge,
    /// Walk along an edge.
    Goto,
    /// Learn the own vertex's value.
    Probe,
    /// Learn the weights of the own vertex's edges.
    Survey,
    /// Learn the inner state of enemies nearby.
    Inspect,
    /// Damage an agent on the own vertex.
    Attack,
    /// Ward off this step's attacks.
    Parry,
    /// Restore the health of another agent on the own vertex.
    Repair,
    /// Improve an attribute.
    Buy,
}

impl MarsVerb {
    /// All verbs.
    pub const ALL: [Self; 10] = [
        Self::Skip,
        Self::Recharge,
        Self::Goto,
        Self::Probe,
        Self::Survey,
        Self::Inspect,
        Self::Attack,
        Self::Parry,
        Self::Repair,
        Self::Buy,
    ];

    /// Its name on the wire.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Skip => "skip",
            Self::Recharge => "recharge",
            Self::Goto => "goto",
            Self::Probe => "probe",
            Self::Survey => "survey",
            Self::Inspect => "inspect",
            Self::Attack => "attack",
            Self::Parry => "parry",
            Self::Repair => "repair",
            Self::Buy => "buy",
        }
    }

    /// The verb of that name, in any case of ASCII letters (section 5.2).
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verb| verb.word().eq_ignore_ascii_case(word))
    }
}

/// What can be bought (section 6.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Upgrade {
    /// More energy.
    Battery,
    /// Sees further.
    Sensor,
    /// More health.
    Shield,
    /// More strength; for saboteurs.
    SabotageDevice,
}

impl Upgrade {
    /// All items.
    pub const ALL: [Self; 4] = [Self::Battery, Self::Sensor, Self::Shield, Self::SabotageDevice];

    /// Its name on the wire.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Battery => "battery",
            Self::Sensor => "sensor",
            Self::Shield => "shield",
            Self::SabotageDevice => "sabotageDevice",
        }
    }

    /// The item of that name, in any case of letters.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|item| item.word().eq_ignore_ascii_case(word))
    }
}

/// How an action ended (section 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Outcome {
    /// It worked.
    Successful,
    /// A parry without an attack.
    Useless,
    /// No action, or none that the game knows.
    Failed,
    /// Bad luck.
    FailedRandom,
    /// Too little energy or money.
    FailedResources,
    /// Disturbed by an attack.
    FailedAttacked,
    /// An attack that was warded off.
    FailedParried,
    /// The target is elsewhere.
    FailedAway,
    /// The role cannot do it.
    FailedRole,
    /// Disabled agents cannot do it.
    FailedStatus,
    /// The parameter makes no sense.
    FailedWrongParam,
    /// The attribute cannot grow further.
    FailedLimit,
}

impl Outcome {
    /// All outcomes.
    pub const ALL: [Self; 12] = [
        Self::Successful,
        Self::Useless,
        Self::Failed,
        Self::FailedRandom,
        Self::FailedResources,
        Self::FailedAttacked,
        Self::FailedParried,
        Self::FailedAway,
        Self::FailedRole,
        Self::FailedStatus,
        Self::FailedWrongParam,
        Self::FailedLimit,
    ];

    /// Its name on the wire.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Successful => "successful",
            Self::Useless => "useless",
            Self::Failed => "failed",
            Self::FailedRandom => "failed_random",
            Self::FailedResources => "failed_resources",
            Self::FailedAttacked => "failed_attacked",
            Self::FailedParried => "failed_parried",
            Self::FailedAway => "failed_away",
            Self::FailedRole => "failed_role",
            Self::FailedStatus => "failed_status",
            Self::FailedWrongParam => "failed_wrong_param",
            Self::FailedLimit => "failed_limit",
        }
    }

    /// The outcome of exactly that name.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.word() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_they_are_written() {
        for role in Role::ALL {
            assert_eq!(Role::parse(role.word()), Some(role));
        }
        for verb in MarsVerb::ALL {
            assert_eq!(MarsVerb::parse(&verb.word().to_uppercase()), Some(verb));
        }
        for item in Upgrade::ALL {
            assert_eq!(Upgrade::parse(item.word()), Some(item));
        }
        for outcome in Outcome::ALL {
            assert_eq!(Outcome::parse(outcome.word()), Some(outcome));
        }
    }

    #[test]
    fn every_role_fills_four_accounts() {
        for role in Role::ALL {
            let accounts: Vec<_> = (0..20).filter(|n| Role::of_account(*n) == role).collect();
            let first = accounts[0];
            assert_eq!(accounts, [first, first + 1, first + 10, first + 11]);
        }
    }
}
