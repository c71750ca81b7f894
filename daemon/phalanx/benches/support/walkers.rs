//! A team that walks about a cave on a torus, as the referees of MAPC 2020 and of MAPC 2022 describe
//! it to its agents. Answers change nothing: every agent walks its own way, so all clients see the
//! same.

/// Cells that an agent sees in each direction.
const VISION: i32 = 5;
const STEPS: [(&str, i32, i32); 4] = [("n", 0, -1), ("e", 1, 0), ("s", 0, 1), ("w", -1, 0)];

/// A referee's way to write percepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// MAPC 2020.
    Mapc2020,
    /// MAPC 2022.
    Mapc2022,
}

struct Walker {
    x: i32,
    y: i32,
    way: &'static str,
    has_moved: bool,
}

/// The team and its world.
pub(crate) struct Walkers {
    side: i32,
    walkers: Vec<Walker>,
    step: u32,
}

impl Walkers {
    /// A team on a map of this size.
    pub(crate) fn new(agents: u16, side: i32) -> Self {
        let mut walkers = Vec::new();
        for cell in (0..side * side).map(|index| index * 37 % (side * side)) {
            let (x, y) = (cell % side, cell / side);
            if walkers.len() < usize::from(agents) && !is_obstacle(x, y) {
                walkers.push(Walker { x, y, way: "", has_moved: false });
            }
        }
        Self { side, walkers, step: 0 }
    }

    /// Every agent goes a step, if it can; each goes some steps one way, then the next.
    pub(crate) fn walk(&mut self) {
        self.step += 1;
        for (index, walker) in (0_u32..).zip(&mut self.walkers) {
            let leg = self.step / 9 + index;
            let (way, dx, dy) = STEPS[((leg * 7 + index) % 4) as usize];
            let (x, y) =
                ((walker.x + dx).rem_euclid(self.side), (walker.y + dy).rem_euclid(self.side));
            walker.way = way;
            walker.has_moved = !is_obstacle(x, y);
            if walker.has_moved {
                (walker.x, walker.y) = (x, y);
            }
        }
    }

    /// The start of the simulation, framed.
    pub(crate) fn start(&self, agent: u16, form: Form) -> String {
        let team = self.walkers.len();
        let more = match form {
            Form::Mapc2020 => r#""vision":5"#,
            Form::Mapc2022 => {
                r#""roles":[{"name":"default","vision":5,"speed":[1],"clear":{"chance":0.7,"maxDistance":1},"actions":["skip","move","rotate","adopt","detach","clear"]}]"#
            }
        };
        format!(
            r#"{{"type":"sim-start","content":{{"time":1,"percept":{{"name":"agentA{agent}","team":"A","teamSize":{team},"steps":1000000,{more}}}}}}}{}"#,
            '\0'
        )
    }

    /// A request for an action, framed.
    pub(crate) fn request(&self, agent: u16, form: Form) -> String {
        let walker = &self.walkers[usize::from(agent)];
        let (mut things, mut obstacles, mut zone) = (Vec::new(), Vec::new(), Vec::new());
        for dy in -VISION..=VISION {
            for dx in -(VISION - dy.abs())..=(VISION - dy.abs()) {
                let x = (walker.x + dx).rem_euclid(self.side);
                let y = (walker.y + dy).rem_euclid(self.side);
                let thing = |kind: &str, details: &str| {
                    format!(r#"{{"x":{dx},"y":{dy},"type":"{kind}","details":"{details}"}}"#)
                };
                let here = self.walkers.iter().filter(|other| (other.x, other.y) == (x, y));
                things.extend(here.map(|_| thing("entity", "A")));
                if is_obstacle(x, y) {
                    obstacles.push(format!("[{dx},{dy}]"));
                    if form == Form::Mapc2022 {
                        things.push(thing("obstacle", ""));
                    }
                } else if hash(x, y) % 150 == 7 {
                    things.push(thing("dispenser", "b1"));
                }
                if (x % 35 - 10).abs() + (y % 35 - 10).abs() <= 3 {
                    zone.push(format!("[{dx},{dy}]"));
                }
            }
        }
        let result = if walker.has_moved { "success" } else { "failed_path" };
        let (action, params) = match walker.way {
            "" => ("", String::new()),
            way => ("move", format!("\"{way}\"")),
        };
        let last = format!(
            r#""lastAction":"{action}","lastActionResult":"{result}","lastActionParams":[{params}]"#
        );
        let (things, zone) = (things.join(","), zone.join(","));
        let terrain = match form {
            Form::Mapc2020 => format!(
                r#""energy":300,"disabled":false,"task":"","attached":[],"terrain":{{"obstacle":[{}],"goal":[{zone}]}}"#,
                obstacles.join(",")
            ),
            Form::Mapc2022 => format!(
                r#""energy":100,"deactivated":false,"role":"default","attached":[],"goalZones":[{zone}],"roleZones":[],"norms":[],"violations":[],"events":[]"#
            ),
        };
        let step = self.step;
        let tasks: Vec<_> = (0..2)
            .map(|task| {
                format!(
                    r#"{{"name":"task{task}","deadline":{},"reward":40,"requirements":[{{"x":0,"y":1,"type":"b1","details":""}},{{"x":0,"y":2,"type":"b0","details":""}}]}}"#,
                    step + 100
                )
            })
            .collect();
        format!(
            r#"{{"type":"request-action","content":{{"id":{step},"time":1000,"deadline":5000,"step":{step},"percept":{{"score":0,{last},"things":[{things}],{terrain},"tasks":[{}]}}}}}}{}"#,
            tasks.join(","),
            '\0'
        )
    }
}

fn hash(x: i32, y: i32) -> u32 {
    let mixed = (x.cast_unsigned().wrapping_mul(0x9E37_79B1))
        ^ (y.cast_unsigned().wrapping_mul(0x85EB_CA77));
    mixed ^ (mixed >> 15)
}

/// About a third of the map.
fn is_obstacle(x: i32, y: i32) -> bool {
    hash(x / 2, y / 3).is_multiple_of(3)
}
