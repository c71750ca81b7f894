//! Live parameters: numbers and words that scripts declare and operators set while a team plays.

use phalanx_game::sorted::SortedMap;
use phalanx_game::{AgentId, Roster, Value};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Most parameters that a team's scripts may declare.
pub const PARAMS_MAX: usize = 200;
/// Most values that operators may set, over all parameters and scopes.
pub const PARAM_VALUES_MAX: usize = 1_000;
/// Longest name of a parameter, in bytes.
pub const PARAM_NAME_BYTES_MAX: usize = 64;
/// Longest text of a parameter's value or documentation, in bytes.
pub const PARAM_TEXT_BYTES_MAX: usize = 1_024;

/// A declared parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct ParamSpec {
    /// Its name.
    pub name: String,
    /// What it accepts.
    pub kind: ParamKind,
    /// Its value until an operator sets one.
    pub default: Value,
    /// Meaning and unit.
    pub doc: String,
}

/// What a parameter accepts.
#[derive(Clone, Debug, PartialEq)]
pub enum ParamKind {
    /// A truth value.
    Bool,
    /// A finite number in the range, both ends included.
    Num {
        /// Smallest.
        min: f64,
        /// Largest.
        max: f64,
        /// Without fraction.
        whole: bool,
        /// The distance of neighbouring values, counted from `min`, or from 0 without one. Values
        /// in between go to the nearest.
        step: Option<f64>,
        /// Whether a search steps by ratios and not by differences; `min` is positive then.
        log: bool,
    },
    /// Text; where the list is not empty, one of these words.
    Text(Vec<String>),
}

/// For which agents a value is set. The narrowest scope wins: agent, then role, then team.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Scope {
    /// The whole team.
    Team,
    /// All agents while they have this role.
    Role(String),
    /// One agent.
    Agent(AgentId),
}

impl Scope {
    /// For people: `team`, `role worker`, `agent a1`.
    #[must_use]
    pub fn describe(&self, roster: &Roster) -> String {
        match self {
            Self::Team => "team".into(),
            Self::Role(role) => format!("role {role}"),
            Self::Agent(agent) => format!("agent {}", roster.name(*agent)),
        }
    }
}

/// Why a parameter is not declared or set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParamError {
    /// No script declared it.
    #[error("no script declares the parameter {name:?}; there are: {known}")]
    Unknown {
        /// The name.
        name: String,
        /// Those that are declared.
        known: String,
    },
    /// The value does not fit.
    #[error("parameter {name}: expected {expected}, got {got}")]
    Value {
        /// The name.
        name: String,
        /// What it accepts.
        expected: String,
        /// What was given.
        got: String,
    },
    /// There is no such agent or role.
    #[error("there is no {0}")]
    Scope(String),
    /// There are too many parameters or values, or a text is too long.
    #[error("{0}")]
    TooMuch(String),
}

/// All parameters of a team: what scripts declare, what operators set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Params {
    declared: SortedMap<String, ParamSpec>,
    set: SortedMap<String, SortedMap<Scope, Value>>,
    /// Values that do not fit the present declarations. The next generation may allow them, above
    /// all one that returns.
    aside: SortedMap<String, SortedMap<Scope, Value>>,
}

impl ParamKind {
    /// Any number in the range.
    #[must_use]
    pub fn number(min: f64, max: f64, whole: bool) -> Self {
        Self::Num { min, max, whole, step: None, log: false }
    }
}

impl fmt::Display for ParamKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => f.write_str("true or false"),
            Self::Num { min, max, whole, step, .. } => {
                let what = if *whole { "a whole number" } else { "a number" };
                match (min.is_finite(), max.is_finite()) {
                    (true, true) => write!(f, "{what} from {min} to {max}"),
                    (true, false) => write!(f, "{what} from {min}"),
                    (false, true) => write!(f, "{what} up to {max}"),
                    (false, false) => f.write_str(what),
                }?;
                step.map_or(Ok(()), |step| write!(f, " in steps of {step}"))
            }
            Self::Text(words) if words.is_empty() => f.write_str("text"),
            Self::Text(words) => write!(f, "one of {}", words.join(", ")),
        }
    }
}

impl ParamSpec {
    /// The value in the form in which this parameter stores it.
    ///
    /// # Errors
    /// When it does not fit.
    pub fn check(&self, value: &Value) -> Result<Value, ParamError> {
        let fits = match &self.kind {
            ParamKind::Bool => value.as_bool().map(Value::Bool),
            ParamKind::Num { min, max, whole, step, .. } => value
                .as_num()
                .filter(|num| num.is_finite() && num >= min && num <= max)
                .map(|num| step.map_or(num, |step| on_grid(num, *min, *max, step)))
                .filter(|num| !whole || num.fract() == 0.0)
                .map(Value::Num),
            ParamKind::Text(words) => value
                .as_str()
                .filter(|text| text.len() <= PARAM_TEXT_BYTES_MAX)
                .filter(|text| words.is_empty() || words.iter().any(|word| word == text))
                .map(|text| Value::text(text.to_owned())),
        };
        fits.ok_or_else(|| ParamError::Value {
            name: self.name.clone(),
            expected: self.kind.to_string(),
            got: shown(value),
        })
    }
}

/// The nearest value of the grid that begins at `min`, or at 0 without one. Written with few digits:
/// 0.1 + 0.2 is 0.3 here.
fn on_grid(num: f64, min: f64, max: f64, step: f64) -> f64 {
    let start = if min.is_finite() { min } else { 0.0 };
    let steps = ((num - start) / step).round();
    let most = ((max - start) / step + 1e-9).floor();
    let exact = start + steps.min(most) * step;
    let short: f64 = format!("{exact:.12}").parse().unwrap_or(exact);
    if short.is_finite() { short } else { num }
}

/// A value as text for a message.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::Nil => "nothing".into(),
        Value::Bool(flag) => flag.to_string(),
        Value::Int(int) => int.to_string(),
        Value::Num(num) => num.to_string(),
        Value::Str(text) => phalanx_game::excerpt(text.as_bytes()),
        Value::List(_) => "a list".into(),
        Value::Map(_) => "a table".into(),
    }
}

impl Params {
    /// Declares a parameter of a script. A second declaration replaces the first one; set values
    /// that do not fit any more are put aside.
    ///
    /// # Errors
    /// When there are too many, the name is too long, or the default does not fit.
    pub fn declare(&mut self, spec: ParamSpec) -> Result<(), ParamError> {
        if self.declared.get(&spec.name) == Some(&spec) {
            return Ok(());
        }
        if spec.name.len() > PARAM_NAME_BYTES_MAX || spec.doc.len() > PARAM_TEXT_BYTES_MAX {
            let text = format!("parameter {:.64}: its name or doc is too long", spec.name);
            return Err(ParamError::TooMuch(text));
        }
        if self.declared.len() >= PARAMS_MAX && !self.declared.contains_key(&spec.name) {
            return Err(ParamError::TooMuch(format!("a team has at most {PARAMS_MAX} parameters")));
        }
        spec.check(&spec.default)?;
        if let Some(set) = self.set.get_mut(&spec.name) {
            let unfit = set.extract_if(|_, value| spec.check(value).is_err());
            self.aside.entry(spec.name.clone()).or_default().extend(unfit);
        }
        self.declared.insert(spec.name.clone(), spec);
        Ok(())
    }

    /// The value for an agent of a role, or with `None` for the team's plan. Returns `None` if it
    /// is not declared.
    #[must_use]
    pub fn value(&self, name: &str, agent: Option<(AgentId, &str)>) -> Option<&Value> {
        let spec = self.declared.get(name)?;
        let Some(set) = self.set.get(name) else { return Some(&spec.default) };
        let narrow = agent.and_then(|(agent, role)| {
            let of_agent = set.get(&Scope::Agent(agent));
            of_agent.or_else(|| set.get(&Scope::Role(role.to_owned())))
        });
        Some(narrow.or_else(|| set.get(&Scope::Team)).unwrap_or(&spec.default))
    }

    /// Sets a value, or removes it with `None`. Returns the previous value in that scope.
    ///
    /// # Errors
    /// When no script declares it, or the value does not fit.
    pub fn set(
        &mut self,
        name: &str,
        scope: Scope,
        value: Option<&Value>,
    ) -> Result<Option<Value>, ParamError> {
        let Some(spec) = self.declared.get(name) else {
            let known: Vec<_> = self.declared.keys().map(String::as_str).collect();
            let known = if known.is_empty() { "none".into() } else { known.join(", ") };
            return Err(ParamError::Unknown { name: name.chars().take(80).collect(), known });
        };
        let value = value.map(|value| spec.check(value)).transpose()?;
        if let Some(aside) = self.aside.get_mut(name) {
            aside.remove(&scope);
        }
        let Some(value) = value else {
            return Ok(self.set.get_mut(name).and_then(|set| set.remove(&scope)));
        };
        let known = self.set.get(name).is_some_and(|set| set.contains_key(&scope));
        let kept = self.set.values().chain(self.aside.values());
        if !known && kept.map(SortedMap::len).sum::<usize>() >= PARAM_VALUES_MAX {
            let text = format!("at most {PARAM_VALUES_MAX} values are set; take some back first");
            return Err(ParamError::TooMuch(text));
        }
        Ok(self.set.entry(name.to_owned()).or_default().insert(scope, value))
    }

    /// All values that operators set, in order of names and scopes, whether they fit the present
    /// declarations or not.
    #[must_use]
    pub fn values(&self) -> Vec<(String, Scope, Value)> {
        let mut all = self.clone();
        all.forget_declarations();
        let named = |(name, values): (String, SortedMap<Scope, Value>)| {
            values.into_iter().map(move |(scope, value)| (name.clone(), scope, value))
        };
        all.set.into_iter().flat_map(named).collect()
    }

    /// Parameters with these values of operators; scripts declare them later.
    #[must_use]
    pub fn of_values(values: impl IntoIterator<Item = (String, Scope, Value)>) -> Self {
        let mut params = Self::default();
        for (name, scope, value) in values.into_iter().take(PARAM_VALUES_MAX) {
            params.set.entry(name).or_default().insert(scope, value);
        }
        params
    }

    /// A declaration.
    #[must_use]
    pub fn spec(&self, name: &str) -> Option<&ParamSpec> {
        self.declared.get(name)
    }

    /// All declarations in order of their names, with the set values, widest scope first.
    pub fn each(&self) -> impl Iterator<Item = (&ParamSpec, Vec<(&Scope, &Value)>)> {
        self.declared.values().map(|spec| {
            let set = self.set.get(&spec.name);
            (spec, set.into_iter().flatten().collect())
        })
    }

    /// The values that operators set, without the declarations.
    pub(crate) fn set_by_operators(&self) -> SortedMap<String, SortedMap<Scope, Value>> {
        let mut all = self.clone();
        all.forget_declarations();
        all.set.retain(|_, values| !values.is_empty());
        all.set
    }

    /// Replaces all values of operators; scripts have declared them or will do so.
    pub(crate) fn set_again(&mut self, set: SortedMap<String, SortedMap<Scope, Value>>) {
        let declared = std::mem::take(&mut self.declared);
        *self = Self { set, ..Self::default() };
        for spec in declared.into_values() {
            // The declaration is valid already; values that do not fit it are put aside.
            drop(self.declare(spec));
        }
    }

    /// Removes the declarations, since a new generation declares its own. Values that operators set
    /// apply again where they fit.
    pub fn forget_declarations(&mut self) {
        self.declared.clear();
        for (name, values) in std::mem::take(&mut self.aside) {
            let set = self.set.entry(name).or_default();
            for (scope, value) in values {
                set.entry(scope).or_insert(value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn greed() -> ParamSpec {
        ParamSpec {
            name: "greed".into(),
            kind: ParamKind::number(0.0, 1.0, false),
            default: Value::Num(0.4),
            doc: String::new(),
        }
    }

    #[test]
    fn the_narrowest_scope_counts() {
        let mut params = Params::default();
        params.declare(greed()).unwrap();
        let worker = Some((AgentId(1), "worker"));
        assert_eq!(params.value("greed", worker), Some(&Value::Num(0.4)));
        for (scope, value) in [
            (Scope::Team, 0.1),
            (Scope::Role("worker".into()), 0.2),
            (Scope::Agent(AgentId(1)), 0.3),
        ] {
            params.set("greed", scope, Some(&Value::Num(value))).unwrap();
            assert_eq!(params.value("greed", worker), Some(&Value::Num(value)));
        }
        assert_eq!(params.value("greed", None), Some(&Value::Num(0.1)));
        let before = params.set("greed", Scope::Agent(AgentId(1)), None).unwrap();
        assert_eq!(before, Some(Value::Num(0.3)));
        assert_eq!(params.value("greed", worker), Some(&Value::Num(0.2)));
    }

    #[test]
    fn a_value_that_does_not_fit_is_refused_with_the_range() {
        let mut params = Params::default();
        params.declare(greed()).unwrap();
        let wrong = params.set("greed", Scope::Team, Some(&Value::Num(7.0))).unwrap_err();
        assert_eq!(wrong.to_string(), "parameter greed: expected a number from 0 to 1, got 7");
        let unknown = params.set("gread", Scope::Team, None).unwrap_err();
        assert!(unknown.to_string().ends_with("there are: greed"), "{unknown}");
    }

    #[test]
    fn a_step_rounds_to_the_nearest_value_of_the_grid() {
        let grid = |min, max, step| ParamSpec {
            kind: ParamKind::Num { min, max, whole: false, step: Some(step), log: false },
            ..greed()
        };
        for (spec, given, want) in [
            (grid(0.0, 1.0, 0.1), 0.3000001, 0.3),
            (grid(0.0, 1.0, 0.1), 0.1 + 0.2, 0.3),
            (grid(1.0, 10.0, 4.0), 10.0, 9.0),
            (grid(f64::NEG_INFINITY, f64::INFINITY, 5.0), 13.0, 15.0),
        ] {
            assert_eq!(spec.check(&Value::Num(given)), Ok(Value::Num(want)), "{}", spec.kind);
        }
        assert_eq!(grid(0.0, 1.0, 0.1).kind.to_string(), "a number from 0 to 1 in steps of 0.1");
    }

    #[test]
    fn what_a_new_declaration_refuses_counts_again_for_one_that_allows_it() {
        let narrow = || {
            let kind = ParamKind::number(0.0, 0.5, false);
            ParamSpec { kind, ..greed() }
        };
        let team = |params: &Params| params.value("greed", None).and_then(Value::as_num);
        let mut params = Params::default();
        params.declare(greed()).unwrap();
        params.set("greed", Scope::Team, Some(&Value::Num(0.9))).unwrap();
        params.forget_declarations();
        params.declare(narrow()).unwrap();
        assert_eq!(team(&params), Some(0.4));
        let mut set = params.clone();
        for (params, want) in [(&mut params, 0.9), (&mut set, 0.3)] {
            if want < 0.5 {
                params.set("greed", Scope::Team, Some(&Value::Num(want))).unwrap();
            }
            params.forget_declarations();
            params.declare(greed()).unwrap();
            assert_eq!(team(params), Some(want), "what was set last counts");
        }
        let values = set.values();
        assert_eq!(values, [("greed".into(), Scope::Team, Value::Num(0.3))]);
        let mut again = Params::of_values(values);
        again.declare(greed()).unwrap();
        assert_eq!(team(&again), Some(0.3));
    }
}
