//! The world as the referee prints it.

use super::{CatcherEntity, CatcherState, Food};
use crate::wire::text;

fn position(out: &mut String, position: [f64; 2]) {
    out.push_str("{\"position\": ");
    text::list(out, position, text::float);
}

fn food(out: &mut String, food: &Food) {
    position(out, food.position);
    out.push_str(", \"quantity\": ");
    text::num(out, food.quantity);
    out.push_str(", \"id\": ");
    text::string(out, &food.id);
    out.push('}');
}

fn entity(out: &mut String, entity: &CatcherEntity) {
    position(out, entity.position);
    out.push_str(", \"id\": ");
    text::string(out, &entity.id);
    out.push_str(", \"owner_id\": ");
    text::string(out, &entity.owner);
    for (key, num) in [
        (", \"food\": ", entity.food),
        (", \"health\": ", entity.health),
        (", \"max_health\": ", entity.max_health),
    ] {
        out.push_str(key);
        text::num(out, num);
    }
    out.push('}');
}

impl CatcherState {
    /// Writes the keys of the state, without the braces around them.
    pub fn write(&self, out: &mut String) {
        out.push_str("\"foods\": ");
        text::list(out, &self.foods, food);
        for (key, list) in [
            (", \"actors\": ", &self.actors),
            (", \"bases\": ", &self.bases),
            (", \"dead_entities\": ", &self.dead),
        ] {
            out.push_str(key);
            text::list(out, list, entity);
        }
    }
}
