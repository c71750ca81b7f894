//! Percepts that stay with the host: what they are for sessions, worlds and strategies, and what
//! scripts are answered that use them wrongly.

use super::{SESSION, WORLD, epoch, folder, roster, seat, toy};
use phalanx_game::{AgentId, Event, Game, Session, Turn, Value, World};
use phalanx_scripted::{Percept, ScriptedGame, ScriptedSession, ScriptedWorld};
use proptest::prelude::*;
use std::time::Instant;

/// The toy, whose messages have a percept at `content.percept`.
const KEPT: &str = r#"
contract = 1
name = "toy"
[transport]
kind = "lines"
percept = "content.percept"
message_bytes_max = 4000000
[turn]
deadline = "1s"
fallback = "rest()"
[actions.rest]
doc = "Does nothing."
[percept.hint]
from = "theHint"
type = "int"
[percept.things]
type = "list of table"
fields = [
    { name = "x", type = "int" },
    { name = "kind", type = "text" },
]
[percept.goals]
from = "goalZones"
type = "list of cell"
[percept.home]
type = "cell"
[queries.sum]
returns = "int"
"#;

const PASSES_ON: &str = r#"
return {
    open = function() return {} end,
    connected = function() end,
    message = function(self, message)
        local percept = message.content.percept
        -- here
        ask({ step = message.step, percept = percept, tag = 0 })
    end,
    encode = function() return { answer = 1 } end,
}
"#;

const PERCEPT: &str = r#"{"theHint": 7, "things": [{"x": 1, "kind": "gold"}, {"x": 2}], "goalZones": [[3, -4]], "home": [5, 6], "more": {"a": [true, null]}, "none": null}"#;

struct Played {
    session: ScriptedSession,
    now: Instant,
}

impl Played {
    /// A session that runs these lines before it asks.
    fn new(lines: &str) -> Self {
        Self::with(&PASSES_ON.replace("-- here", lines))
    }

    fn with(script: &str) -> Self {
        let game = toy(&[("game.toml", KEPT), ("session.luau", script)]);
        let now = epoch();
        let mut session = game.session(&seat());
        session.handle_connected(now);
        Self { session, now }
    }

    /// The percept that was reported, and what else was said.
    fn hear(&mut self, percept: &str) -> (Option<Percept>, String) {
        let line = format!("{{\"step\": 1, \"content\": {{\"percept\": {percept}}}}}\n");
        self.session.handle_input(line.as_bytes(), self.now).unwrap();
        let (mut found, mut said) = (None, String::new());
        while let Some(event) = self.session.poll_event() {
            match event {
                Event::Asked { percept, .. } => found = Some(percept),
                Event::Notice(notice) => said += &format!("{notice}\n"),
                _other => {}
            }
        }
        while let Some(bytes) = self.session.poll_transmit() {
            said += &String::from_utf8(bytes).unwrap();
        }
        (found, said)
    }
}

fn shown(percept: &Percept, names: &[&str]) -> String {
    let field = |name: &&str| match percept.get(name) {
        Some(value) => format!("{name} = {}\n", phalanx_game::write_value(value)),
        None => format!("{name} is absent\n"),
    };
    names.iter().map(field).collect()
}

const NAMES: [&str; 8] =
    ["hint", "things", "goals", "home", "more", "none", "theHint", "goalZones"];

#[test]
fn a_percept_has_the_declared_names_and_cells_and_all_else_as_it_was() {
    let (percept, said) = Played::new("").hear(PERCEPT);
    assert_eq!(said, "");
    insta::assert_snapshot!(shown(&percept.unwrap(), &NAMES));
    // As in a table of a script: the last one counts, and a declared name hides another field.
    let text = r#"{"theHint": 1, "hint": 9, "theHint": 2, "home": {"x": 1, "y": 2}, "things": {}}"#;
    let (percept, _) = Played::new("").hear(text);
    insta::assert_snapshot!(shown(&percept.unwrap(), &NAMES));
}

#[test]
fn what_a_session_reads_and_writes_of_a_percept_is_what_it_reports() {
    let lines = "percept.hint += percept.things[1].x
        percept.things[2].kind = 'rock'
        percept.home = nil
        percept.fresh = { percept.more.a[1], #percept.goals }";
    let (percept, said) = Played::new(lines).hear(PERCEPT);
    assert_eq!(said, "");
    let names = ["hint", "things", "goals", "home", "more", "fresh"];
    insta::assert_snapshot!(shown(&percept.unwrap(), &names));
}

#[test]
fn a_percept_can_be_walked_copied_and_read_by_column() {
    let lines = "local names = {}
        for name in percept do table.insert(names, name) end
        table.sort(names)
        send({ names = names })";
    let (_, said) = Played::new(lines).hear(PERCEPT);
    assert_eq!(said, "{\"names\":[\"goals\",\"hint\",\"home\",\"more\",\"things\"]}\n");
    let lines = "local columns = kit.percept.columns
        local xs, kinds = columns(percept, 'things', 'x', 'kind')
        local ys = columns(percept, 'goals', 'y')
        local all = columns(percept, 'more', 'a')
        send({ xs = xs, kinds = kinds, ys = ys, all = all })";
    let whole = PERCEPT.replace("{\"a\": [true, null]}", "[{\"a\": [1]}, {\"a\": 2}]");
    let (_, unread) = Played::new(lines).hear(&whole);
    assert_eq!(unread, "{\"all\":[[1],2],\"kinds\":[\"gold\",false],\"xs\":[1,2],\"ys\":[-4]}\n");
    let read = format!("local _ = percept.things, percept.goals, percept.more\n{lines}");
    assert_eq!(Played::new(&read).hear(&whole).1, unread, "the same when tables were made before");
    let lines = "self.last = kit.percept.copy(percept)
        send({ home = self.last.home, whole = percept })";
    let (_, said) = Played::new(lines).hear("{\"home\": [5, 6]}");
    assert_eq!(said, "{\"home\":{\"x\":5,\"y\":6},\"whole\":{\"home\":{\"x\":5,\"y\":6}}}\n");
}

#[test]
fn a_reader_returns_the_columns_of_several_lists_at_once() {
    let session = PASSES_ON.replace(
        "return {\n    open",
        "local read = kit.percept.reader({ 'things', 'x', 'kind' }, { 'goals', 'y' }, { 'more', 'a' })
        return {\n    open",
    );
    let lines = "local xs, kinds, ys, all = read(percept)
        send({ xs = xs, kinds = kinds, ys = ys, all = all })";
    let whole = PERCEPT.replace("{\"a\": [true, null]}", "[{\"a\": [1]}, {\"a\": 2}]");
    let read = |lines: &str| Played::with(&session.replace("-- here", lines)).hear(&whole).1;
    let expected = "{\"all\":[[1],2],\"kinds\":[\"gold\",false],\"xs\":[1,2],\"ys\":[-4]}\n";
    assert_eq!(read(lines), expected);
    assert_eq!(read(&format!("local _ = percept.things, percept.goals\n{lines}")), expected);
}

proptest! {
    #[test]
    fn a_message_is_malformed_exactly_if_it_is_no_json(
        edits in prop::collection::vec((0_usize..200, prop::sample::select(EDITS)), 0..3),
    ) {
        let whole = r#"{"theHint":-7,"things":[{"x":1,"kind":"go\u00e4ld"},{"x":2.5e1}],"goalZones":[[3,-4]],"home":[5,6],"more":{"a":[true,null,false,{}],"b":""},"none":null}"#;
        let mut bytes = whole.as_bytes().to_vec();
        for (at, byte) in edits {
            let at = at % bytes.len();
            bytes[at] = byte;
        }
        let text = String::from_utf8(bytes).unwrap();
        let message = format!("{{\"step\": 1, \"content\": {{\"percept\": {text}}}}}");
        let is_json = serde_json::from_str::<serde_json::Value>(&message).is_ok();
        let (_, said) = Played::new("").hear(&text);
        prop_assert_eq!(said.contains("malformed"), !is_json, "{}: {}", message, said);
    }
}

/// What a message consists of.
const EDITS: &[u8] = b"{}[]\",:.-+e01u\\ tn\t";

#[test]
fn what_no_script_reads_is_never_made() {
    // More values than a script may report, and a text that is no text.
    let many = vec!["0"; 250_000].join(",");
    let text = format!(r#"{{"theHint": 3, "things": [{many}], "more": ["\ud800"]}}"#);
    let (percept, said) = Played::new("").hear(&text);
    assert_eq!(said, "");
    let percept = percept.unwrap();
    assert_eq!(percept.get("hint"), Some(&Value::Int(3)));
    assert_eq!((percept.get("things"), percept.get("more")), (None, None));
}

#[test]
fn a_flaw_is_a_list_that_is_missing_or_something_else() {
    let say = "send({ flaw = kit.percept.flaw(percept) or 'none' })";
    for (text, flaw) in [
        (PERCEPT, "none"),
        (r#"{"things": [], "goalZones": []}"#, "none"),
        (r#"{"goalZones": []}"#, "things: expected a list, got nil"),
        (r#"{"things": 5, "goalZones": []}"#, "things: expected a list, got number"),
        (r#"{"things": [], "goalZones": {}}"#, "goals: expected a list, got table"),
        (r#"{"things": [], "goalZones": [], "home": 5}"#, "home: expected a table, got number"),
        ("5", "expected a percept, got 5"),
        ("null", "expected a percept, got nil"),
    ] {
        let script =
            if text.starts_with('{') { say.to_owned() } else { format!("{say} percept = {{}}") };
        let (_, said) = Played::new(&script).hear(text);
        assert_eq!(said, format!("{{\"flaw\":\"{flaw}\"}}\n"), "{text}");
    }
    let written = format!("percept.things = nil percept.goals = 'x' {say}");
    let (_, said) = Played::new(&written).hear(PERCEPT);
    assert_eq!(said, "{\"flaw\":\"things: expected a list, got nil\"}\n");
}

#[test]
fn wrong_use_names_the_line_and_the_way_out() {
    let mut all = String::new();
    for lines in [
        "self.percept = percept for index = 1, 60 do self[index] = index end",
        "send(setmetatable({ percept }, {}))",
        "percept.things = print",
        "local _ = percept.more",
        "local _ = percept.things.x.y",
        "for _ in percept.hint do end",
        "kit.percept.columns(percept, 'hint', 'x')",
        "kit.percept.columns(percept, 'nothing', 'x')",
        "kit.percept.columns(percept, 'things', 'x', 'x')",
        "kit.percept.columns(percept, 'goals', 'x', 'z')",
        "kit.percept.columns(percept, 'things', table.unpack(table.create(20, 'x')))",
        "kit.percept.columns(percept.things, 'x')",
        "kit.percept.columns({}, 'things', 'x')",
        "kit.percept.reader({ 'things', 'x' })({})",
        "kit.percept.reader({ 'things', 'x', 'x' })",
        "kit.percept.reader({})",
        "kit.percept.reader({ 'hint', 'x' })(percept)",
        "kit.percept.reader('things', 'x')",
        "kit.percept.copy({})",
        "setmetatable(percept, nil)",
        "ask({ step = 1, percept = percept, tag = percept })",
        "while true do local _ = kit.percept.columns(percept, 'things', 'x') end",
    ] {
        let text =
            PERCEPT.replace("true, null", r#""\ud800""#).replace("[[3, -4]]", "[[3, -4], 5]");
        let mut played = Played::new(lines);
        let (_, mut said) = played.hear(&text);
        // A state is read when its calls have become many.
        for _ in 0..20 {
            if said.is_empty() {
                said = played.hear(&text).1;
            }
        }
        all += &format!("{lines}\n  {}\n", said.lines().next().unwrap_or("nothing"));
    }
    insta::assert_snapshot!(all);
}

#[test]
fn flaws_need_a_manifest_that_says_where_percepts_are() {
    let script = SESSION.replace(
        "if message.welcome then",
        "local _ = kit.percept.flaw(message) if message.welcome then",
    );
    let mut session = toy(&[("session.luau", &script)]).session(&seat());
    session.handle_connected(epoch());
    session.handle_input(b"{\"welcome\": true}\n", epoch()).unwrap();
    let notices: Vec<_> = std::iter::from_fn(|| session.poll_event()).collect();
    insta::assert_snapshot!(match notices.as_slice() {
        [Event::Notice(notice)] => notice.to_string(),
        other => format!("{other:?}"),
    });
}

#[test]
fn mistakes_in_the_manifest_have_their_lines() {
    let mut all = String::new();
    for (from, to) in [
        ("percept = \"content.percept\"\n", ""),
        ("percept = \"content.percept\"", "percept = \"content..percept\""),
        ("percept = \"content.percept\"", "percept = \"a.b.c.d.e.f.g.h.i\""),
        ("percept = \"content.percept\"", "percept = 5"),
        ("percept = \"content.percept\"", "percept = \"p\"\nencoding = \"xml\""),
        ("from = \"goalZones\"", "from = \"things\""),
        ("from = \"goalZones\"", "from = 7"),
        ("from = \"goalZones\"", "form = \"goalZones\""),
    ] {
        let manifest = KEPT.replace(from, to);
        let files = [("game.toml", &*manifest), ("session.luau", SESSION), ("world.luau", WORLD)];
        let found = folder(&files).and_then(ScriptedGame::new).err().unwrap_or_default();
        let found: String = found.iter().map(|mistake| format!("  {mistake}\n")).collect();
        all += &format!("{to:?}\n{found}");
    }
    insta::assert_snapshot!(all);
}

/// A world that remembers what it read in a way that depends on the history of its tables.
const REMEMBERS: &str = r#"
return {
    new = function() return { sum = 0, hints = {} } end,
    begin = function() end,
    observe = function(self, agent, step, percept)
        self.hints[agent .. step] = percept.hint
        if step % 3 == 0 then
            for _, thing in percept.things do
                self.sum = (self.sum * 31 + thing.x) % 1000003
            end
        end
        -- columns
        for name, hint in self.hints do
            self.sum = (self.sum * 31 + hint + #name) % 1000003
        end
    end,
    settle = function() end,
    queries = { sum = function(self) return self.sum end },
}
"#;

fn watch(world: &mut ScriptedWorld, game: &ScriptedGame, steps: std::ops::Range<u32>) {
    let now = epoch();
    let mut session = game.session(&seat());
    session.handle_connected(now);
    for step in steps {
        let percept = format!(
            r#"{{"theHint": {step}, "things": [{{"x": {step}, "kind": "gold"}}, {{"x": 2, "kind": "rock"}}], "goalZones": [[1, {step}]]}}"#
        );
        let line = format!("{{\"step\": {step}, \"content\": {{\"percept\": {percept}}}}}\n");
        session.handle_input(line.as_bytes(), now).unwrap();
        while let Some(event) = session.poll_event() {
            match event {
                Event::Asked { turn, agent, percept, .. } => world.observe(turn, agent, percept),
                Event::Notice(notice) => panic!("{notice}"),
                _other => {}
            }
        }
        world.settle(Turn::new(0, step));
        assert!(world.poll_notice().is_none());
    }
}

#[test]
fn copies_and_other_threads_believe_the_same() {
    let sum = |world: &ScriptedWorld| world.query(AgentId(0), "sum", &[]).unwrap();
    let columns = "for _, y in kit.percept.columns(percept, 'goals', 'y') do self.sum = (self.sum * 31 + y) % 1000003 end";
    let game = |manifest: &str, with: &str| {
        let world = REMEMBERS.replace("-- columns", with);
        toy(&[("game.toml", manifest), ("session.luau", PASSES_ON), ("world.luau", &world)])
    };
    let kept = game(KEPT, columns);
    let mut world = kept.world(&roster());
    watch(&mut world, &kept, 0..150);
    let saved = world.save();
    let mut copies = vec![world.clone(), world.clone()];
    let mut restored = kept.world(&roster());
    restored.restore(&saved).unwrap();
    watch(&mut world, &kept, 150..200);
    let here = sum(&world);
    std::thread::scope(|scope| {
        for copy in &mut copies {
            let kept = &kept;
            scope.spawn(move || watch(copy, kept, 150..200)).join().unwrap();
        }
    });
    for copy in &copies {
        assert_eq!(sum(copy), here);
    }
    let field = world.field(AgentId(0), "goals").unwrap();
    assert_eq!(phalanx_game::write_value(&field), "{ { x = 1, y = 199 } }");
    assert_eq!(world.field(AgentId(0), "theHint"), None, "it is not declared");
}

#[test]
fn a_manifest_without_the_key_gives_the_same_belief_from_tables() {
    // The order of a walk depends on when the host took snapshots.
    let remembers = REMEMBERS.replace("in self.hints do", "in { a = 1 } do");
    let columns = "for _, y in kit.percept.columns(percept, 'goals', 'y') do \
        self.sum = (self.sum * 31 + y) % 1000003 end";
    let world = remembers.replace("-- columns", columns);
    let kept = [("game.toml", KEPT), ("session.luau", PASSES_ON), ("world.luau", &*world)];
    let manifest = KEPT.replace("percept = \"content.percept\"\n", "");
    let manifest =
        manifest.replace("from = \"theHint\"\n", "").replace("from = \"goalZones\"\n", "");
    let session = PASSES_ON.replace(
        "-- here",
        "percept = { hint = percept.theHint, things = percept.things, \
        goals = { { x = 1, y = percept.theHint } } }",
    );
    let rows = "for _, goal in percept.goals do self.sum = (self.sum * 31 + goal.y) % 1000003 end";
    let world = remembers.replace("-- columns", rows);
    let tables = [("game.toml", &*manifest), ("session.luau", &*session), ("world.luau", &*world)];
    let sums = [kept, tables].map(|files| {
        let game = toy(&files);
        let mut world = game.world(&roster());
        watch(&mut world, &game, 0..200);
        world.query(AgentId(0), "sum", &[]).unwrap()
    });
    assert_eq!(sums[0], sums[1]);
}

#[test]
fn a_field_of_another_type_is_hidden_from_strategies_and_reported_once_it_is_read() {
    let game = toy(&[
        ("game.toml", KEPT),
        ("session.luau", PASSES_ON),
        ("world.luau", &WORLD.replace("percept.hint", "0")),
    ]);
    let mut played = Played { session: game.session(&seat()), now: epoch() };
    played.session.handle_connected(played.now);
    let (percept, _) =
        played.hear(r#"{"theHint": "x", "things": [{"x": "far"}], "goalZones": ["\ud800"]}"#);
    let mut world = game.world(&roster());
    world.observe(Turn::new(0, 1), AgentId(0), percept.unwrap());
    let notices = |world: &mut ScriptedWorld| {
        world.settle(Turn::new(0, 1));
        let said = std::iter::from_fn(|| world.poll_notice()).map(|notice| format!("{notice}\n"));
        said.collect::<String>()
    };
    let first = notices(&mut world);
    assert!(first.contains("the percept's field hint: expected a whole number"), "{first}");
    assert_eq!(first.lines().count(), 1, "{first}");
    for name in ["hint", "things", "goals"] {
        assert_eq!(world.field(AgentId(0), name), None, "{name}");
    }
    insta::assert_snapshot!(notices(&mut world));
    assert_eq!(notices(&mut world), "", "once");
}
