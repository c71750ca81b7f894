//! Calls every method of the control API with malformed requests. The methods come from the
//! descriptors, so that a new one is tested from the start.
//!
//! Each request has one field with a nasty value; the other fields have sensible values, so that
//! each check of a handler is reached.

use crate::support::{Running, daemon, settings};
use phalanx_control::client::{Address, Link, connect};
use prost::Message;
use prost::bytes::{Buf, BufMut};
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, FieldDescriptorProto, FileDescriptorSet};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tonic::client::Grpc;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::{Code, Status};
use tonic_types::StatusExt;

/// A call that takes longer than this hangs.
const PATIENCE: Duration = Duration::from_secs(60);
/// Larger than the limit of any request except those with files or a board's value.
const LARGE: usize = 1 << 20;
/// Fits into every request, but is too long for a name.
const LONG: usize = 60_000;
/// Depth of nested messages that are tested.
const DEPTH_MAX: usize = 4;

/// Sensible values of text fields, by message and field; an empty message name matches any.
const SENSIBLE: &[(&str, &str, &str)] = &[
    ("RevokeTokenRequest", "name", "tokens/7k2m9qxa"),
    ("GetStrategyRequest", "name", "teams/A/strategy"),
    ("ListGenerationsRequest", "parent", "teams/A"),
    ("GetGenerationRequest", "name", "teams/A/strategy/generations/1"),
    ("SetParamRequest", "name", "speed"),
    ("EvalScriptRequest", "agent", "agentA1"),
    ("EvalScriptRequest", "code", "1"),
    ("GetEntryRequest", "name", "teams/A/board/key"),
    ("SetEntryRequest", "name", "teams/A/board/key"),
    ("DeleteEntryRequest", "name", "teams/A/board/key"),
    ("RemoveAgentRequest", "name", AGENT),
    ("SetAgentRoleRequest", "name", AGENT),
    ("SetAgentRoleRequest", "role", "worker"),
    ("PauseAgentRequest", "name", AGENT),
    ("PinOrderRequest", "name", AGENT),
    ("PinOrderRequest", "order", "skip"),
    ("PilotAgentRequest", "name", AGENT),
    ("SendOrderRequest", "name", AGENT),
    ("SendOrderRequest", "order", "skip"),
    ("ReleaseAgentRequest", "name", AGENT),
    ("MoveTeamRequest", "server", "127.0.0.1:1"),
    ("GetRecordingRequest", "name", RECORDING),
    ("ReplayRecordingRequest", "name", RECORDING),
    ("DownloadRecordingRequest", "name", RECORDING),
    ("DeleteRecordingRequest", "name", RECORDING),
    ("GetLadderRequest", "name", "ladders/club"),
    ("ListLadderMatchesRequest", "parent", "ladders/club"),
    ("GetTuneRunRequest", "name", "tuneRuns/mine"),
    ("", "name", "teams/A"),
    ("", "team", "teams/A"),
    ("", "parent", "teams/A"),
];
const AGENT: &str = "teams/A/agents/agentA1";

const RECORDING: &str = "recordings/A-assemble-20261122T013000Z";

#[tokio::test]
async fn no_method_breaks_at_what_nobody_should_send() {
    let bench = Bench::new().await;
    let mut met = BTreeMap::<String, BTreeSet<String>>::new();
    for method in bench.methods() {
        for (what, request) in bench.nasty(&method.input) {
            let place = format!("{} {what}", method.path);
            let bytes = request.len();
            let word = check(&place, bytes, bench.call(&place, &method, request).await);
            met.entry(method.path.clone()).or_default().insert(word);
        }
    }
    assert!(met.len() > 40, "{}", met.len());
    // Handlers checked names, and more than names.
    let reasons: BTreeSet<_> = met.values().flatten().map(String::as_str).collect();
    for reason in
        ["NAME_MALFORMED", "REQUEST_ID_MALFORMED", "PAGE_TOKEN_MALFORMED", "ETAG_MISMATCH"]
    {
        assert!(reasons.contains(reason), "{reason}: {met:#?}");
    }
    bench.still_answers().await;
}

#[tokio::test]
async fn bytes_that_are_no_message_are_refused_by_every_method() {
    let bench = Bench::new().await;
    // A length beyond the end; a group that never ends; a field of number 0; invalid UTF-8.
    let cases: [&[u8]; 4] =
        [b"\x0a\xff\xff\xff\x7fA", b"\x0b\x0b\x0b", b"\x00\x01", b"\x0a\x02\xff\xfe"];
    for method in bench.methods() {
        for bytes in cases {
            let place = format!("{} {bytes:?}", method.path);
            if let Err(status) = bench.call(&place, &method, bytes.to_vec()).await {
                // The gRPC library's own text for it.
                let told = status.code() == Code::Internal && status.message().contains("decode");
                assert!(told || is_ours(&status), "{place}: {status}");
            }
        }
    }
    bench.still_answers().await;
}

/// A word for the answer; the test fails if callers could not act on the answer.
fn check(place: &str, bytes: usize, answer: Result<(), Status>) -> String {
    let Err(status) = answer else { return "OK".to_owned() };
    let too_large = bytes >= LARGE && status.code() == Code::OutOfRange;
    let broken = matches!(status.code(), Code::Internal | Code::Unknown | Code::Unimplemented);
    assert!(too_large || (is_ours(&status) && !broken), "{place}: {status:?}");
    // Errors travel in headers, so they must not repeat a large input.
    assert!(status.message().len() < 4_096, "{place}: {}", status.message().len());
    status.get_details_error_info().map_or_else(|| "too large".to_owned(), |info| info.reason)
}

fn is_ours(status: &Status) -> bool {
    status
        .get_details_error_info()
        .is_some_and(|info| info.domain == "phalanx" && !info.reason.is_empty())
}

struct Method {
    path: String,
    input: String,
    streams: bool,
}

/// A daemon whose referee is away, and the descriptors of its API.
struct Bench {
    link: Link,
    set: FileDescriptorSet,
    _daemon: Running,
    _dir: tempfile::TempDir,
}

impl Bench {
    async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let strategy = "return { decide = function() return act.skip() end }";
        let config = settings(dir.path(), "127.0.0.1:1".parse().unwrap(), 2, strategy);
        let text = std::fs::read_to_string(&config).unwrap();
        let films = dir.path().join("films");
        let lab = dir.path().join("lab");
        let more = format!("[recordings]\nfolder = {films:?}\n[lab]\npath = {lab:?}\n");
        std::fs::write(&config, more + &text).unwrap();
        let mut daemon = daemon(&config);
        daemon.line_with("control API");
        drop(daemon.read_on());
        let link = connect(&Address::Unix(dir.path().join("control.sock"))).await.unwrap();
        let set = FileDescriptorSet::decode(phalanx_proto::DESCRIPTORS).unwrap();
        Self { link, set, _daemon: daemon, _dir: dir }
    }

    fn methods(&self) -> Vec<Method> {
        let ours = self.set.file.iter().filter(|file| file.package() == "phalanx.v1");
        let services = ours.flat_map(|file| &file.service);
        let methods = services.flat_map(|service| {
            service.method.iter().map(|method| Method {
                path: format!("/phalanx.v1.{}/{}", service.name(), method.name()),
                input: method.input_type().to_owned(),
                streams: method.server_streaming(),
            })
        });
        methods.collect()
    }

    async fn call(&self, place: &str, method: &Method, request: Vec<u8>) -> Result<(), Status> {
        let mut client = Grpc::new(self.link.clone());
        let path = method.path.parse().unwrap();
        let call = async {
            client.ready().await.unwrap();
            let answer = client.server_streaming(tonic::Request::new(request), path, Raw).await?;
            // A stream may have nothing to send for a while.
            if !method.streams {
                answer.into_inner().message().await?;
            }
            Ok(())
        };
        let answer = tokio::time::timeout(PATIENCE, call).await;
        answer.unwrap_or_else(|_| panic!("{place} hangs"))
    }

    async fn still_answers(&self) {
        let mut teams = phalanx_proto::v1::teams_client::TeamsClient::new(self.link.clone());
        let listed = teams.list_teams(phalanx_proto::v1::ListTeamsRequest::default()).await;
        let listed = listed.unwrap().into_inner().teams;
        assert!(listed.iter().any(|team| team.name == "teams/A"), "{listed:?}");
    }

    fn message(&self, name: &str) -> Option<&DescriptorProto> {
        self.set.file.iter().find_map(|file| {
            let within = name.strip_prefix(&format!(".{}.", file.package()))?;
            let mut parts = within.split('.');
            let first = parts.next()?;
            let outer = file.message_type.iter().find(|message| message.name() == first)?;
            parts.try_fold(outer, |outer, part| {
                outer.nested_type.iter().find(|message| message.name() == part)
            })
        })
    }

    /// Requests with one nasty value each, and the field's path.
    fn nasty(&self, input: &str) -> Vec<(String, Vec<u8>)> {
        let message = self.message(input).unwrap();
        let mut requests = Vec::new();
        for (place, number, bytes) in self.values(message, 0) {
            let mut request = sensible(message, number);
            request.extend_from_slice(&bytes);
            requests.push((place, request));
        }
        // Unknown fields are ignored. A profile would wait for turns, and there are none.
        if message.name() != "ProfileStrategyRequest" {
            let mut unknown = sensible(message, 0);
            put_text(&mut unknown, 15_000, "x");
            requests.push(("unknown field".to_owned(), unknown));
        }
        requests
    }

    /// Nasty values of all fields: path, field number, encoded field.
    fn values(&self, message: &DescriptorProto, depth: usize) -> Vec<(String, i32, Vec<u8>)> {
        let mut all = Vec::new();
        for field in &message.field {
            let kind = field.r#type();
            let values = if kind == Type::Message {
                self.inner(field, depth)
            } else if [Type::String, Type::Bytes].contains(&kind) {
                texts(field)
            } else {
                numbers(field, kind)
            };
            let named = values
                .into_iter()
                .map(|(what, bytes)| (format!("{}: {what}", field.name()), field.number(), bytes));
            all.extend(named);
        }
        all
    }

    fn inner(&self, field: &FieldDescriptorProto, depth: usize) -> Vec<(String, Vec<u8>)> {
        let Some(message) = self.message(field.type_name()).filter(|_| depth < DEPTH_MAX) else {
            return Vec::new();
        };
        let wrapped = |(place, _, bytes): (String, i32, Vec<u8>)| {
            let mut outer = Vec::new();
            put_bytes(&mut outer, field.number(), &bytes);
            (place, outer)
        };
        let mut all: Vec<_> = self.values(message, depth + 1).into_iter().map(wrapped).collect();
        let mut empty = Vec::new();
        put_bytes(&mut empty, field.number(), b"");
        if field.label() == Label::Repeated {
            all.push(("two thousand of them".to_owned(), empty.repeat(2_000)));
        }
        all.push(("empty".to_owned(), empty));
        all
    }
}

/// Sensible values in all fields but one: names, and `validate_only`.
fn sensible(message: &DescriptorProto, but: i32) -> Vec<u8> {
    let mut bytes = Vec::new();
    for field in message.field.iter().filter(|field| field.number() != but) {
        let by_name = |&&(owner, name, _): &&(&str, &str, &str)| {
            (owner.is_empty() || owner == message.name()) && name == field.name()
        };
        if field.name() == "validate_only" {
            put_number(&mut bytes, field.number(), 1);
        } else if field.r#type() == Type::String
            && let Some((_, _, text)) = SENSIBLE.iter().find(by_name)
        {
            put_text(&mut bytes, field.number(), text);
        }
    }
    bytes
}

fn texts(field: &FieldDescriptorProto) -> Vec<(String, Vec<u8>)> {
    let short = [
        "",
        "/",
        "//",
        ".",
        "..",
        "A",
        "teams",
        "teams/",
        "teams//A",
        "teams/../A",
        "teams/A/",
        "teams/A\0",
        "teams/%41",
        "teams/%00",
        "%",
        "%zz",
        "\0",
        "\n",
        "a b",
        "\u{202e}",
        "é🦀",
        "teams/A/agents/",
        "teams/A/agents/\0",
        "teams/A/board/",
        "teams/A/board/%f",
        "tokens/",
        "teams/A/strategy/generations/-1",
        "teams/A/strategy/generations/18446744073709551616",
        "0000000000000007.18446744073709551615",
        "-1",
        "18446744073709551616",
        "QUFBQQ==",
        "'; return nil --",
        "skip(",
        "((((((((((((((((",
        "info,,=",
        "a=b=c",
        "[",
        "{{ x }}",
    ];
    let long = [
        "x".repeat(LONG),
        format!("teams/{}", "%".repeat(LONG)),
        "teams/".repeat(LONG / 6),
        "[".repeat(LONG),
        "x".repeat(LARGE),
    ];
    let texts = short.map(str::to_owned).into_iter().chain(long);
    let field = |text: String| {
        let mut bytes = Vec::new();
        put_text(&mut bytes, field.number(), &text);
        let excerpt: String = text.chars().take(40).collect();
        (format!("{excerpt:?} of {} bytes", text.len()), bytes)
    };
    texts.map(field).collect()
}

/// The limits of the number types.
fn numbers(field: &FieldDescriptorProto, kind: Type) -> Vec<(String, Vec<u8>)> {
    let number = field.number();
    match kind {
        // Whether a change is carried out is no limit to test; `validate_only` stays set.
        Type::Bool => Vec::new(),
        Type::Double => [f64::NAN, f64::INFINITY, -1.0, f64::MAX, 5e-324]
            .map(|value| {
                let mut bytes = key(number, 1);
                bytes.put_f64_le(value);
                (value.to_string(), bytes)
            })
            .into(),
        // None of them is 0 when it is cut to four bytes: that would be the default.
        Type::Int32 | Type::Uint32 | Type::Enum => {
            whole(number, &[u64::MAX, u64::from(u32::MAX), 1 << 31, 1_000_000])
        }
        Type::Int64 | Type::Uint64 => {
            whole(number, &[u64::MAX, i64::MAX.unsigned_abs(), 1 << 63, 1 << 62])
        }
        Type::Float
        | Type::Fixed32
        | Type::Fixed64
        | Type::Sfixed32
        | Type::Sfixed64
        | Type::Sint32
        | Type::Sint64
        | Type::Group
        | Type::String
        | Type::Bytes
        | Type::Message => panic!("{}: this test knows no {kind:?}", field.name()),
    }
}

fn whole(number: i32, values: &[u64]) -> Vec<(String, Vec<u8>)> {
    let field = |&value: &u64| {
        let mut bytes = Vec::new();
        put_number(&mut bytes, number, value);
        (value.to_string(), bytes)
    };
    values.iter().map(field).collect()
}

/// A field's key: its number and its wire type: 0 a number, 1 eight bytes, 2 a length.
fn key(number: i32, form: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    prost::encoding::encode_varint(u64::try_from(number).unwrap() << 3 | form, &mut bytes);
    bytes
}

fn put_number(bytes: &mut Vec<u8>, number: i32, value: u64) {
    bytes.extend(key(number, 0));
    prost::encoding::encode_varint(value, bytes);
}

fn put_text(bytes: &mut Vec<u8>, number: i32, text: &str) {
    put_bytes(bytes, number, text.as_bytes());
}

fn put_bytes(bytes: &mut Vec<u8>, number: i32, value: &[u8]) {
    bytes.extend(key(number, 2));
    prost::encoding::encode_varint(u64::try_from(value.len()).unwrap(), bytes);
    bytes.extend_from_slice(value);
}

/// Bytes as they are.
#[derive(Clone, Copy)]
struct Raw;

impl Codec for Raw {
    type Encode = Vec<u8>;
    type Decode = usize;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        *self
    }

    fn decoder(&mut self) -> Self {
        *self
    }
}

impl Encoder for Raw {
    type Item = Vec<u8>;
    type Error = Status;

    fn encode(&mut self, bytes: Vec<u8>, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put_slice(&bytes);
        Ok(())
    }
}

/// How long an answer is.
impl Decoder for Raw {
    type Item = usize;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<usize>, Status> {
        let bytes = buffer.remaining();
        buffer.advance(bytes);
        Ok(Some(bytes))
    }
}
