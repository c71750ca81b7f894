//! Which teams meet in which match (spec, section 6).

use super::config::{ArenaConfig, Tournament};
use phalanx_massim::JavaRandom;

/// The matches still to come.
#[derive(Clone, Debug)]
pub(super) enum Schedule {
    /// Team indices of each match, in reverse order.
    Listed(Vec<Vec<usize>>),
    /// Random choices of `choose` of `teams` teams, without end.
    Random { teams: usize, choose: usize, random: JavaRandom },
}

impl Schedule {
    pub(super) fn new(config: &ArenaConfig, seed: i64) -> Self {
        let teams = config.teams.len();
        let choose = config.server.teams_per_match;
        let index = |name: &String| config.teams.iter().position(|team| team.name == *name);
        let mut listed: Vec<Vec<usize>> = match &config.server.tournament {
            Tournament::Random => {
                return Self::Random { teams, choose, random: JavaRandom::new(seed) };
            }
            Tournament::RoundRobin => choices(0, teams, choose),
            Tournament::Manual(lists) => {
                lists.iter().map(|list| list.iter().filter_map(index).collect()).collect()
            }
        };
        listed.reverse();
        Self::Listed(listed)
    }
}

impl Iterator for Schedule {
    type Item = Vec<usize>;

    fn next(&mut self) -> Option<Vec<usize>> {
        match self {
            Self::Listed(matches) => matches.pop(),
            Self::Random { teams, choose, random } => {
                let mut all: Vec<usize> = (0..*teams).collect();
                random.shuffle(&mut all);
                all.truncate(*choose);
                Some(all)
            }
        }
    }
}

/// Every choice of `choose` of `from..to`, in order.
fn choices(from: usize, to: usize, choose: usize) -> Vec<Vec<usize>> {
    if choose == 0 {
        return vec![Vec::new()];
    }
    let with = |first: usize| {
        choices(first + 1, to, choose - 1).into_iter().map(move |rest| [vec![first], rest].concat())
    };
    (from..to).flat_map(with).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_robin_is_every_choice_once() {
        assert_eq!(choices(0, 3, 2), [[0, 1], [0, 2], [1, 2]]);
        assert_eq!(choices(0, 4, 3).len(), 4);
        assert_eq!(choices(0, 2, 1), [[0], [1]]);
    }
}
