//! Answers to calls of a service's methods.

use super::codec::{MessageCodec, Outgoing, Undecoded};
use prost::Message;
use std::convert::Infallible;
use tonic::codegen::tokio_stream::{self, Stream, StreamExt};
use tonic::codegen::{BoxFuture, BoxStream, http};
use tonic::server::{Grpc, ServerStreamingService};
use tonic::{Request, Response, Status};

/// The messages of an answer: one, or those of a stream.
pub(crate) type Answers = BoxStream<Outgoing>;

/// Answers one call of a method.
pub(crate) type Handler =
    Box<dyn FnOnce(Request<Undecoded>) -> BoxFuture<Response<Answers>, Status> + Send>;

/// What a server accepts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Limits {
    /// Longest request, in bytes; `None`: 4 MiB.
    pub(crate) request_bytes_max: Option<usize>,
}

/// Answers with one message.
pub(crate) fn answer<Q, A>(
    method: impl FnOnce(Request<Q>) -> BoxFuture<Response<A>, Status> + Send + 'static,
) -> Handler
where
    Q: Message + Default + 'static,
    A: Message + 'static,
{
    Box::new(|request| {
        Box::pin(async move {
            let answer = method(read(request)?).await?;
            Ok(answer.map(|message| boxed(tokio_stream::once(Ok(Outgoing::new(message))))))
        })
    })
}

/// Answers with a stream of messages.
pub(crate) fn answers<Q, S, A>(
    method: impl FnOnce(Request<Q>) -> BoxFuture<Response<S>, Status> + Send + 'static,
) -> Handler
where
    Q: Message + Default + 'static,
    S: Stream<Item = Result<A, Status>> + Send + 'static,
    A: Message + 'static,
{
    Box::new(|request| {
        Box::pin(async move {
            let answer = method(read(request)?).await?;
            Ok(answer.map(|stream| boxed(stream.map(|message| message.map(Outgoing::new)))))
        })
    })
}

fn boxed(stream: impl Stream<Item = Result<Outgoing, Status>> + Send + 'static) -> Answers {
    Box::pin(stream)
}

fn read<Q: Message + Default>(request: Request<Undecoded>) -> Result<Request<Q>, Status> {
    let (metadata, extensions, bytes) = request.into_parts();
    Ok(Request::from_parts(metadata, extensions, bytes.message()?))
}

/// Answers a call; without a handler, there is no such method.
pub(crate) fn serve(
    handler: Option<Handler>,
    limits: Limits,
    call: http::Request<tonic::body::Body>,
) -> BoxFuture<http::Response<tonic::body::Body>, Infallible> {
    Box::pin(async move {
        let Some(handler) = handler else {
            return Ok(Status::unimplemented("").into_http());
        };
        let mut grpc = Grpc::new(MessageCodec::new())
            .apply_max_message_size_config(limits.request_bytes_max, None);
        Ok(grpc.server_streaming(Method(Some(handler)), call).await)
    })
}

/// A handler as tonic calls it. One answer is a stream with one message.
struct Method(Option<Handler>);

impl ServerStreamingService<Undecoded> for Method {
    type Response = Outgoing;
    type ResponseStream = Answers;
    type Future = BoxFuture<Response<Answers>, Status>;

    fn call(&mut self, request: Request<Undecoded>) -> Self::Future {
        match self.0.take() {
            Some(handler) => handler(request),
            None => Box::pin(async { Err(Status::internal("a call is answered once")) }),
        }
    }
}
