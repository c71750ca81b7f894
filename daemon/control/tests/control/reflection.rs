//! A client without knowledge of this API finds every method through gRPC's reflection and calls
//! one.

use crate::support::fake::Daemon;
use phalanx_control::client::Link;
use phalanx_game::sorted::SortedSet;
use prost::Message;
use prost::bytes::Buf;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor, Value};
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::codegen::http::uri::PathAndQuery;
use tonic::{Request, Status};
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;
use tonic_reflection::pb::v1::{ErrorResponse, ServerReflectionRequest};

#[tokio::test]
async fn a_plain_client_lists_every_method_and_calls_one() {
    let daemon = Daemon::start(&["B", "A"]);
    let pool = reflected(daemon.channel().await).await;
    let ours = pool.services().filter(|service| service.package_name() == "phalanx.v1");
    let listed: SortedSet<_> = ours
        .flat_map(|service| service.methods().collect::<Vec<_>>())
        .map(|method| format!("{}/{}", method.parent_service().full_name(), method.name()))
        .collect();
    for expected in [
        "phalanx.v1.Access/CreateToken",
        "phalanx.v1.Boards/WatchBoard",
        "phalanx.v1.Matches/ExplainDecision",
        "phalanx.v1.Matches/WatchMatch",
        "phalanx.v1.Strategies/ActivateStrategy",
        "phalanx.v1.Teams/CreateTeam",
        "phalanx.v1.Teams/SendOrder",
    ] {
        assert!(listed.contains(expected), "{expected} is not in {listed:#?}");
    }

    let service = pool.get_service_by_name("phalanx.v1.Teams").unwrap();
    let method = service.methods().find(|method| method.name() == "ListTeams").unwrap();
    let mut request = DynamicMessage::new(method.input());
    request.set_field_by_name("page_size", Value::I32(1));
    let answer =
        call(daemon.channel().await, "/phalanx.v1.Teams/ListTeams", request, method.output());
    let answer = answer.await.unwrap();
    let teams = answer.get_field_by_name("teams").unwrap();
    let [Value::Message(team)] = teams.as_list().unwrap() else { panic!("{teams:?}") };
    assert_eq!(team.get_field_by_name("name").unwrap().as_str(), Some("teams/A"));
    let token = answer.get_field_by_name("next_page_token").unwrap();
    assert!(!token.as_str().unwrap().is_empty());
}

#[tokio::test]
async fn reflection_says_where_there_is_nothing() {
    let daemon = Daemon::start(&[]);
    let mut client = ServerReflectionClient::new(daemon.channel().await);
    let asked = ask(&mut client, MessageRequest::FileContainingSymbol("phalanx.v1.Nobody".into()));
    let not_found = i32::from(tonic::Code::NotFound);
    match asked.await {
        Ok(MessageResponse::ErrorResponse(ErrorResponse { error_code, .. })) => {
            assert_eq!(error_code, not_found);
        }
        Err(status) => assert_eq!(i32::from(status.code()), not_found),
        Ok(other) => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn an_older_client_finds_the_same_services() {
    use tonic_reflection::pb::v1alpha;
    use v1alpha::server_reflection_request::MessageRequest as Asked;
    use v1alpha::server_reflection_response::MessageResponse as Said;
    let daemon = Daemon::start(&[]);
    let link = daemon.channel().await;
    let mut client = v1alpha::server_reflection_client::ServerReflectionClient::new(link);
    for (asked, expected) in [
        (Asked::ListServices(String::new()), "phalanx.v1.Teams"),
        (Asked::FileContainingSymbol("phalanx.v1.Teams".into()), "phalanx/v1/teams.proto"),
    ] {
        let request =
            v1alpha::ServerReflectionRequest { host: String::new(), message_request: Some(asked) };
        let answers = client.server_reflection_info(tokio_stream::iter([request])).await.unwrap();
        let answer = answers.into_inner().message().await.unwrap().unwrap();
        let names: Vec<_> = match answer.message_response.unwrap() {
            Said::ListServicesResponse(listed) => {
                listed.service.into_iter().map(|service| service.name).collect()
            }
            Said::FileDescriptorResponse(found) => {
                let decode = |bytes: Vec<u8>| {
                    prost_types::FileDescriptorProto::decode(bytes.as_slice()).unwrap()
                };
                let files = found.file_descriptor_proto.into_iter().map(decode);
                files.map(|file| file.name().to_owned()).collect()
            }
            other => panic!("{other:?}"),
        };
        assert!(names.iter().any(|name| name == expected), "{names:?}");
    }
}

/// All descriptors from reflection, file by file.
async fn reflected(link: Link) -> DescriptorPool {
    let mut client = ServerReflectionClient::new(link);
    let listed = ask(&mut client, MessageRequest::ListServices(String::new())).await.unwrap();
    let MessageResponse::ListServicesResponse(listed) = listed else { panic!("{listed:?}") };
    let mut files = Vec::new();
    let mut seen = SortedSet::new();
    let mut open: Vec<_> = listed
        .service
        .into_iter()
        .map(|service| MessageRequest::FileContainingSymbol(service.name))
        .collect();
    while let Some(request) = open.pop() {
        let found = ask(&mut client, request).await.unwrap();
        let MessageResponse::FileDescriptorResponse(found) = found else { panic!("{found:?}") };
        for bytes in found.file_descriptor_proto {
            let file = prost_types::FileDescriptorProto::decode(bytes.as_slice()).unwrap();
            if seen.insert(file.name().to_owned()) {
                let imports = file.dependency.iter().cloned();
                open.extend(imports.map(MessageRequest::FileByFilename));
                files.push(file);
            }
        }
    }
    let mut pool = DescriptorPool::new();
    pool.add_file_descriptor_set(prost_types::FileDescriptorSet { file: files }).unwrap();
    pool
}

async fn ask(
    client: &mut ServerReflectionClient<Link>,
    request: MessageRequest,
) -> Result<MessageResponse, Status> {
    let request = ServerReflectionRequest { host: String::new(), message_request: Some(request) };
    let answers = client.server_reflection_info(tokio_stream::iter([request])).await?;
    let answer = answers.into_inner().message().await?.unwrap();
    Ok(answer.message_response.unwrap())
}

async fn call(
    link: Link,
    path: &'static str,
    request: DynamicMessage,
    answer: MessageDescriptor,
) -> Result<DynamicMessage, Status> {
    let mut client = tonic::client::Grpc::new(link);
    client.ready().await.map_err(|error| Status::unavailable(error.to_string()))?;
    let path = PathAndQuery::from_static(path);
    Ok(client.unary(Request::new(request), path, Plain(answer)).await?.into_inner())
}

/// Messages that are only known by their descriptors.
struct Plain(MessageDescriptor);

impl Codec for Plain {
    type Encode = DynamicMessage;
    type Decode = DynamicMessage;
    type Encoder = PlainEncoder;
    type Decoder = PlainDecoder;

    fn encoder(&mut self) -> PlainEncoder {
        PlainEncoder
    }

    fn decoder(&mut self) -> PlainDecoder {
        PlainDecoder(self.0.clone())
    }
}

struct PlainEncoder;

impl Encoder for PlainEncoder {
    type Item = DynamicMessage;
    type Error = Status;

    fn encode(&mut self, item: DynamicMessage, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        item.encode(buffer).map_err(|error| Status::internal(error.to_string()))
    }
}

struct PlainDecoder(MessageDescriptor);

impl Decoder for PlainDecoder {
    type Item = DynamicMessage;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<DynamicMessage>, Status> {
        let bytes = buffer.copy_to_bytes(buffer.remaining());
        let decoded = DynamicMessage::decode(self.0.clone(), bytes);
        decoded.map(Some).map_err(|error| Status::internal(error.to_string()))
    }
}
