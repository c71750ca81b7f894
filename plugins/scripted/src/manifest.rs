//! `game.toml`: what a game declares of itself.

mod leak;
mod percept;
mod read;
mod types;

use crate::folder::{GameFolder, MANIFEST};
use crate::mistake::Mistake;
use leak::{leak_list, leak_text};
pub(crate) use percept::FieldSource;
pub use percept::PerceptForm;
use phalanx_game::sorted::SortedMap;
use phalanx_game::{
    ActionDoc, Api, Declaration, FieldDoc, Framing, KeyDoc, LayerDoc, QueryDoc, Roster, Said, Tone,
    check_order, read_order,
};
use read::{Mistakes, Section};
use std::ops::Range;
use std::sync::Mutex;
use std::time::Duration;
use toml::de::DeTable;

/// The version of the contract between a game's folder and this program.
pub const CONTRACT: u64 = 1;
/// Longest turn, in milliseconds.
const DEADLINE_MS_MAX: u64 = 600_000;
const DEFAULT_DEADLINE_MS: u64 = 2_000;
const DEFAULT_PACE_MS: u64 = 200;
const MESSAGE_BYTES_MAX: u64 = 16 << 20;

/// How the transport cuts messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// TCP; each message ends in a line feed.
    Lines,
    /// TCP; each message ends in a NUL.
    Nul,
    /// TCP; the length of each message comes first, as a `u32` in big-endian order.
    LengthPrefixed,
    /// WebSocket messages.
    WebSocket,
    /// The referee starts an executable for each agent, `phalanx bridge`, and talks with it on
    /// standard input and output; each message ends in a line feed.
    Stdio,
}

/// What a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// JSON.
    Json,
    /// XML: elements as tables.
    Xml,
    /// A list of numbers from 0 to 255.
    Bytes,
}

/// Everything that `game.toml` says.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// What all games declare.
    pub declaration: &'static Declaration,
    /// The game's own version.
    pub version: &'static str,
    /// The game in a line.
    pub about: &'static str,
    /// How messages are cut.
    pub transport: Transport,
    /// What they are.
    pub encoding: Encoding,
    /// Where a message has a percept that stays with the host.
    pub percept: Option<PerceptForm>,
    /// Longest message, in bytes.
    pub message_bytes_max: usize,
    /// The referee's usual port.
    pub port: u16,
    /// Agents of a team in a match of our own.
    pub agents: usize,
    /// Teams of such a match: 1 or 2.
    pub teams: usize,
    /// One connection for each agent; otherwise one for each team.
    pub is_seat_per_agent: bool,
    /// The length of a turn, if the referee does not say.
    pub deadline: Duration,
    /// A turn asks all agents at once.
    pub is_together: bool,
    /// The order that is sent if no decision came in time.
    pub fallback: Said,
    /// The shortest step of a demo.
    pub pace: Duration,
    /// Steps of a demo.
    pub steps: u32,
}

impl Manifest {
    /// Reads the manifest of a folder. The declaration of each version of a folder is made once and
    /// kept for ever.
    ///
    /// # Errors
    /// All mistakes, with their lines.
    pub fn read(folder: &GameFolder) -> Result<Self, Vec<Mistake>> {
        static READ: Mutex<SortedMap<String, Manifest>> = Mutex::new(SortedMap::new());
        let mut known = READ.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(manifest) = known.get(folder.hash()) {
            return Ok(manifest.clone());
        }
        let manifest = parse(folder.text(MANIFEST).unwrap_or_default())?;
        known.insert(folder.hash().to_owned(), manifest.clone());
        Ok(manifest)
    }
}

fn parse(text: &str) -> Result<Manifest, Vec<Mistake>> {
    let mistakes = Mistakes::new(text);
    let (document, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        // What was read of such a text misleads.
        for error in errors {
            mistakes.add(&error.span().unwrap_or(0..0), error.message());
        }
        return Err(mistakes.into_found());
    }
    let span = document.span();
    let manifest = whole((document.get_ref(), &span), &mistakes);
    let found = mistakes.into_found();
    match manifest {
        Some(manifest) if found.is_empty() => Ok(manifest),
        Some(_) | None => Err(found),
    }
}

/// The top of the file.
const KEYS: [&str; 12] = [
    "contract",
    "name",
    "version",
    "about",
    "transport",
    "team",
    "turn",
    "actions",
    "percept",
    "queries",
    "keys",
    "layers",
];

fn whole<'t>(document: (&DeTable<'t>, &Range<usize>), mistakes: &Mistakes<'t>) -> Option<Manifest> {
    let top = Section::new(document, "the manifest", &KEYS, mistakes);
    let contract = top.number("contract", 0..u64::MAX, 0);
    if contract != CONTRACT {
        let span = top.get("contract").map_or(0..0, toml::Spanned::span);
        let newer = if contract > CONTRACT { "; install a newer version of Phalanx" } else { "" };
        let what = format!("expected contract = {CONTRACT}, which this program reads{newer}");
        mistakes.add(&span, what);
    }
    let name = top.required("name").and_then(|(name, span)| game_name(name, &span, mistakes));
    let nothing = DeTable::new();
    let part = |key: &str| top.table(key).unwrap_or((&nothing, 0..0));
    let (wire, team, turn) = (part("transport"), part("team"), part("turn"));
    let keys = ["kind", "encoding", "message_bytes_max", "port", "percept"];
    let wire = Section::new((wire.0, &wire.1), "[transport]", &keys, mistakes);
    let keys = ["agents", "teams", "connections", "fixed"];
    let team = Section::new((team.0, &team.1), "[team]", &keys, mistakes);
    let keys = ["deadline", "together", "fallback", "pace", "steps"];
    let turn = Section::new((turn.0, &turn.1), "[turn]", &keys, mistakes);
    let transport = transport(&wire);
    let (api, sources) = api(&part, mistakes);
    let encoding = wire.word("encoding", &ENCODINGS, Encoding::Json);
    let percept = percept::form(&wire, encoding, (api.percept, sources), mistakes);
    let fallback =
        turn.required("fallback").and_then(|(text, span)| order(&api, text, &span, mistakes));
    let declaration = Declaration {
        name: name.unwrap_or_default(),
        framing: match transport {
            Transport::Lines | Transport::Nul | Transport::LengthPrefixed | Transport::Stdio => {
                Framing::Stream
            }
            Transport::WebSocket => Framing::Message,
        },
        api,
        keys: keyboard(part("keys"), &api, mistakes),
        layers: layers(part("layers"), mistakes),
        fixed: team.text("fixed").map(|(text, _)| leak_text(text)),
    };
    Some(Manifest {
        declaration: Box::leak(Box::new(declaration)),
        version: leak_text(top.text("version").map_or("0", |(text, _)| text)),
        about: leak_text(top.text("about").map_or("", |(text, _)| text)),
        transport,
        encoding,
        percept,
        message_bytes_max: to_usize(wire.number(
            "message_bytes_max",
            1..MESSAGE_BYTES_MAX,
            1 << 20,
        )),
        port: u16::try_from(wire.number("port", 0..65_536, 0)).unwrap_or(0),
        agents: to_usize(team.number("agents", 1..101, 1)),
        teams: to_usize(team.number("teams", 1..3, 2)),
        is_seat_per_agent: team.word("connections", &[("agent", true), ("team", false)], true),
        deadline: millis(turn.millis("deadline", DEADLINE_MS_MAX, DEFAULT_DEADLINE_MS)),
        is_together: turn.flag("together", true),
        fallback: fallback?,
        pace: millis(turn.millis("pace", DEADLINE_MS_MAX, DEFAULT_PACE_MS)),
        steps: u32::try_from(turn.number("steps", 1..1_000_001, 500)).unwrap_or(500),
    })
}

const ENCODINGS: [(&str, Encoding); 3] =
    [("json", Encoding::Json), ("xml", Encoding::Xml), ("bytes", Encoding::Bytes)];

const TRANSPORTS: [(&str, Transport); 5] = [
    ("lines", Transport::Lines),
    ("nul", Transport::Nul),
    ("length-prefixed", Transport::LengthPrefixed),
    ("websocket", Transport::WebSocket),
    ("stdio", Transport::Stdio),
];

/// The word of a list that a manifest has for a value.
fn word_of<T: PartialEq>(words: &[(&'static str, T)], wanted: &T) -> &'static str {
    words.iter().find(|(_, value)| value == wanted).map_or("", |(word, _)| word)
}

impl Manifest {
    /// Transport and encoding in the manifest's words.
    #[must_use]
    pub fn transport_text(&self) -> String {
        let encoding = word_of(&ENCODINGS, &self.encoding);
        format!("{}, {encoding}", word_of(&TRANSPORTS, &self.transport))
    }
}

fn transport(wire: &Section<'_, '_>) -> Transport {
    if wire.get("kind").is_none() {
        let all = TRANSPORTS.map(|(word, _)| word).join(", ");
        wire.mistake(format!("[transport] needs the key \"kind\": one of {all}"));
    }
    wire.word("kind", &TRANSPORTS, Transport::Lines)
}

fn game_name(name: &str, span: &Range<usize>, mistakes: &Mistakes<'_>) -> Option<&'static str> {
    if let Err(what) = check_name(name) {
        mistakes.add(span, what);
        return None;
    }
    Some(leak_text(name))
}

/// Whether a game may have this name.
///
/// # Errors
/// What a name may be.
pub fn check_name(name: &str) -> Result<(), String> {
    let fits =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
    let begins = name.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase());
    if begins && name.len() <= 40 && name.bytes().all(fits) {
        return Ok(());
    }
    let what = "a game's name has at most 40 lower-case letters, digits, - and _, a letter first";
    Err(format!("{name:?}: {what}"))
}

type Part<'a, 't> = (&'a DeTable<'t>, Range<usize>);

/// The tables of a part, each as a section with these keys and a name that scripts can write.
fn named<'a, 't>(
    (table, span): &'a Part<'a, 't>,
    keys: &'a [&'a str],
    mistakes: &'a Mistakes<'t>,
    mut each: impl FnMut(&'static str, &Section<'_, 't>),
) {
    let words: Vec<&str> = table.keys().map(|key| key.get_ref().as_ref()).collect();
    let all = Section::new((table, span), "", &words, mistakes);
    for (name, table, span) in all.tables() {
        if let Some(checked) = types::checked_name(name, &span, mistakes) {
            each(checked, &Section::new((table, &span), name, keys, mistakes));
        }
    }
}

/// What strategies can use, and what each percept field says about messages.
fn api<'a, 't: 'a>(
    part: &dyn Fn(&str) -> Part<'a, 't>,
    mistakes: &Mistakes<'t>,
) -> (Api, Vec<percept::SourceName>) {
    let (mut actions, mut percept, mut queries) = (Vec::new(), Vec::new(), Vec::new());
    let mut sources = Vec::new();
    named(&part("actions"), &["doc", "params"], mistakes, |name, action| {
        let params = types::params(action, mistakes);
        actions.push(ActionDoc { name, doc: types::doc(action), params });
    });
    let keys = ["type", "doc", "unit", "fields", "from"];
    named(&part("percept"), &keys, mistakes, |name, field| {
        sources.push(percept::from(field));
        let kind = types::kind(field, "type", mistakes);
        percept.push(FieldDoc { name, kind, doc: types::doc(field) });
    });
    named(&part("queries"), &["doc", "params", "returns", "fields"], mistakes, |name, query| {
        let params = types::params(query, mistakes);
        let returns = types::kind(query, "returns", mistakes);
        queries.push(QueryDoc { name, doc: types::doc(query), params, returns });
    });
    if actions.is_empty() {
        mistakes.add(&part("actions").1, "a game needs actions: [actions.NAME]");
    }
    let (actions, percept) = (leak_list(actions), leak_list(percept));
    (Api { actions, percept, queries: leak_list(queries) }, sources)
}

/// An order that the game takes, of an agent of any team.
fn order(api: &Api, text: &str, span: &Range<usize>, mistakes: &Mistakes<'_>) -> Option<Said> {
    let nobody = Roster { team: String::new(), agents: Vec::new() };
    match read_order(text).and_then(|said| check_order(api, &nobody, &said)) {
        Ok(said) => Some(said),
        Err(error) => {
            mistakes.add(span, format!("{text:?}: {error}"));
            None
        }
    }
}

fn keyboard(part: Part<'_, '_>, api: &Api, mistakes: &Mistakes<'_>) -> &'static [KeyDoc] {
    let mut keys = Vec::new();
    for (key, value) in part.0 {
        let Some(text) = value.get_ref().as_str() else {
            mistakes.add(&value.span(), "a key needs an order as text, like 'move(\"n\")'");
            continue;
        };
        if order(api, text, &value.span(), mistakes).is_some() {
            keys.push(KeyDoc { key: leak_text(key.get_ref()), order: leak_text(text) });
        }
    }
    leak_list(keys)
}

/// How manifests and pictures name tones.
pub(crate) const TONES: [(&str, Tone); 9] = [
    ("unknown", Tone::Unknown),
    ("ground", Tone::Ground),
    ("obstacle", Tone::Obstacle),
    ("goal", Tone::Goal),
    ("resource", Tone::Resource),
    ("danger", Tone::Danger),
    ("ours", Tone::Ours),
    ("theirs", Tone::Theirs),
    ("other", Tone::Other),
];

fn layers(part: Part<'_, '_>, mistakes: &Mistakes<'_>) -> &'static [LayerDoc] {
    let mut all = Vec::new();
    named(&part, &["legend"], mistakes, |name, layer| {
        let mut legend = Vec::new();
        for item in layer.list("legend") {
            let keys = ["value", "name", "glyph", "tone"];
            let entry = Section::new((item.0, &item.1), "a legend entry", &keys, mistakes);
            let value = u8::try_from(entry.number("value", 1..256, 1)).unwrap_or(1);
            let name = entry.required("name").map_or("", |(name, _)| leak_text(name));
            let glyph = entry.text("glyph").and_then(|(text, _)| text.chars().next());
            let tone = entry.word("tone", &TONES, Tone::Other);
            legend.push((value, name, glyph.unwrap_or('?'), tone));
        }
        all.push(LayerDoc { name, legend: leak_list(legend) });
    });
    leak_list(all)
}

fn to_usize(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn millis(ms: u64) -> Duration {
    Duration::from_millis(ms)
}
