//! All that scripts and people can learn from a world.

use phalanx_game::{AgentId, Api, FieldDoc, Kind, ParamDoc, Value, World};
use std::borrow::Cow;

/// How often each query with parameters is asked, with other arguments each time.
const VARIANTS: usize = 3;

/// What the arguments of queries are made of, each list in turn.
#[derive(Clone, Copy, Debug)]
pub struct ArgumentSamples<'a> {
    /// Names of agents of the team.
    pub agents: &'a [&'a str],
    /// Other texts: names of things.
    pub texts: &'a [&'a str],
    pub cells: &'a [(i32, i32)],
    /// Whole numbers; brought into the range of the parameter.
    pub ints: &'a [i64],
}

/// Every declared field and query for each of these agents, with its answer, the picture for people
/// and the score, line by line. Errors are answers.
pub fn answers<W: World>(
    world: &W,
    api: &Api,
    agents: &[AgentId],
    samples: ArgumentSamples<'_>,
) -> Vec<String> {
    let mut lines = vec![format!("score {:?}", world.score()), format!("{:?}", world.draw())];
    for agent in agents {
        let mut say = |what: String| lines.push(format!("{agent:?} {what}"));
        say(format!("{:?}", world.state(*agent)));
        for field in api.percept {
            say(format!("{} {:?}", field.name, world.field(*agent, field.name)));
        }
        for query in api.queries {
            let variants = if query.params.is_empty() { 1 } else { VARIANTS };
            for variant in 0..variants {
                let args: Vec<Value> =
                    query.params.iter().map(|param| argument(param, samples, variant)).collect();
                let answer = world.query(*agent, query.name, &args);
                say(format!("{}{args:?} {answer:?}", query.name));
            }
        }
    }
    lines
}

/// Optional ones are left out the first time.
fn argument(param: &ParamDoc, samples: ArgumentSamples<'_>, variant: usize) -> Value {
    if param.optional && variant == 0 { Value::Nil } else { value(&param.kind, samples, variant) }
}

fn value(kind: &Kind, samples: ArgumentSamples<'_>, variant: usize) -> Value {
    let text = |texts: &[&str]| -> Value {
        nth(texts, variant).map_or(Value::Nil, |text| Value::text((*text).to_owned()))
    };
    match kind {
        Kind::Bool => Value::Bool(variant % 2 == 1),
        Kind::Int { min, max } => {
            Value::Int(nth(samples.ints, variant).copied().unwrap_or(1).clamp(*min, *max))
        }
        Kind::Num => Value::Num(if variant % 2 == 1 { 1.5 } else { 0.25 }),
        Kind::Str | Kind::Any => text(samples.texts),
        Kind::Word(words) => text(words),
        Kind::Cell => nth(samples.cells, variant).map_or(Value::Nil, |(x, y)| Value::cell(*x, *y)),
        Kind::Agent => text(samples.agents),
        Kind::List(of) => {
            Value::List((variant..variant + 2).map(|variant| value(of, samples, variant)).collect())
        }
        Kind::Table(fields) => {
            let field = |field: &FieldDoc| {
                (Cow::Borrowed(field.name), value(&field.kind, samples, variant))
            };
            Value::Map(fields.iter().map(field).collect())
        }
    }
}

fn nth<T>(list: &[T], index: usize) -> Option<&T> {
    list.get(index.checked_rem(list.len())?)
}
