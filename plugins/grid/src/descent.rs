//! Coordinate descent: the best joint choice of several actors, one actor at a time.

use std::collections::BTreeMap;

/// What a descent found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Descent {
    /// For each actor the index of its option.
    pub choice: Vec<usize>,
    /// What the choice is worth.
    pub value: f64,
    /// Cost of all evaluations.
    pub spent: u64,
    /// Number of evaluations.
    pub evaluations: u64,
    /// Complete passes over all actors.
    pub rounds: u32,
    /// For each actor and option: the best value with that option, `None` if never evaluated.
    pub values: Vec<Vec<Option<f64>>>,
}

/// Improves the joint choice of actors that have `options` options each, beginning with the first
/// option of every actor, or with one of the `others` that is better. `evaluate` returns the value
/// of a choice, which must not depend on earlier calls, and what the evaluation cost. The descent
/// ends when no single actor can improve the value, or when the cost reaches `budget`; the first
/// choice is always evaluated.
#[must_use]
pub fn descend(
    options: &[usize],
    others: &[Vec<usize>],
    budget: u64,
    mut evaluate: impl FnMut(&[usize]) -> (f64, u64),
) -> Descent {
    let mut search = Searching {
        known: BTreeMap::new(),
        found: Descent {
            choice: vec![0; options.len()],
            values: options.iter().map(|count| vec![None; *count]).collect(),
            ..Descent::default()
        },
    };
    let first = search.found.choice.clone();
    search.found.value = search.value(&first, &mut evaluate);
    for start in others {
        if search.found.spent < budget {
            search.accept(start.clone(), &mut evaluate);
        }
    }
    let mut improved = true;
    while improved && search.found.spent < budget {
        improved = false;
        for (actor, count) in options.iter().enumerate() {
            for option in 0..*count {
                if search.found.spent >= budget {
                    return search.found;
                }
                improved |= search.attempt(actor, option, &mut evaluate);
            }
        }
        search.found.rounds += 1;
    }
    search.found
}

struct Searching {
    /// Choices that were evaluated before.
    known: BTreeMap<Vec<usize>, f64>,
    found: Descent,
}

impl Searching {
    /// Gives one actor another option; whether that is better.
    fn attempt(
        &mut self,
        actor: usize,
        option: usize,
        evaluate: &mut impl FnMut(&[usize]) -> (f64, u64),
    ) -> bool {
        let mut choice = self.found.choice.clone();
        match choice.get_mut(actor) {
            Some(chosen) if *chosen != option => *chosen = option,
            Some(_) | None => return false,
        }
        self.accept(choice, evaluate)
    }

    /// Takes a choice if it is better than the one so far; whether it is.
    fn accept(
        &mut self,
        choice: Vec<usize>,
        evaluate: &mut impl FnMut(&[usize]) -> (f64, u64),
    ) -> bool {
        let value = self.value(&choice, evaluate);
        let better = value > self.found.value;
        if better {
            (self.found.choice, self.found.value) = (choice, value);
        }
        better
    }

    fn value(
        &mut self,
        choice: &[usize],
        evaluate: &mut impl FnMut(&[usize]) -> (f64, u64),
    ) -> f64 {
        if let Some(value) = self.known.get(choice) {
            return *value;
        }
        let (value, cost) = evaluate(choice);
        self.known.insert(choice.to_vec(), value);
        self.found.spent = self.found.spent.saturating_add(cost);
        self.found.evaluations += 1;
        for (values, option) in self.found.values.iter_mut().zip(choice) {
            if let Some(best) = values.get_mut(*option) {
                *best = Some(best.map_or(value, |best| best.max(value)));
            }
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two actors that should stand in different places; the second gains more from place 2.
    fn apart(choice: &[usize]) -> (f64, u64) {
        let gains = [[0.0, 2.0, 3.0], [0.0, 1.0, 8.0]];
        let sum: f64 = choice.iter().zip(gains).map(|(option, gains)| gains[*option]).sum();
        let clash = choice[0] == choice[1] && choice[0] > 0;
        (if clash { sum - 4.0 } else { sum }, 10)
    }

    #[test]
    fn no_actor_alone_can_improve_the_result() {
        let found = descend(&[3, 3], &[], 1_000, apart);
        assert_eq!((found.choice, found.value), (vec![1, 2], 10.0));
        assert_eq!(found.values[0], [Some(8.0), Some(10.0), Some(7.0)]);
    }

    #[test]
    fn another_start_leads_out_of_where_no_actor_alone_can_improve_the_result() {
        let both = |choice: &[usize]| (if choice == [1, 1] { 9.0 } else { -1.0 }, 10);
        let values =
            [vec![], vec![vec![1, 1]]].map(|others| descend(&[2, 2], &others, 99, both).value);
        assert_eq!(values, [-1.0, 9.0]);
    }

    #[test]
    fn the_first_choice_is_evaluated_without_any_budget() {
        let found = descend(&[3, 3], &[], 0, apart);
        assert_eq!((found.choice, found.value, found.spent), (vec![0, 0], 0.0, 10));
    }

    #[test]
    fn the_budget_bounds_the_cost_to_one_evaluation_more() {
        for budget in 0..100 {
            assert!(descend(&[3, 3], &[], budget, apart).spent <= budget.max(1) + 9);
        }
    }

    #[test]
    fn a_choice_is_evaluated_once() {
        let mut seen = std::collections::BTreeSet::new();
        let found = descend(&[3, 3, 1], &[], 1_000, |choice| {
            assert!(seen.insert(choice.to_vec()), "{choice:?} twice");
            apart(choice)
        });
        assert_eq!(found.evaluations, u64::try_from(seen.len()).unwrap());
    }

    #[test]
    fn no_actor_has_an_empty_choice() {
        assert_eq!(descend(&[], &[], 5, |_| (1.0, 1)).choice, Vec::<usize>::new());
    }
}
