//! Calls of a service's methods.

use super::codec::{MessageCodec, Outgoing, Undecoded};
use prost::Message;
use tonic::client::{Grpc, GrpcService};
use tonic::codegen::http::uri::PathAndQuery;
use tonic::codegen::{Body, Bytes, GrpcMethod, StdError};
use tonic::{Request, Response, Status, Streaming};

/// What the clients of all services share.
#[derive(Clone, Debug)]
pub(crate) struct Client<T> {
    grpc: Grpc<T>,
}

impl<T> Client<T>
where
    T: GrpcService<tonic::body::Body>,
    T::ResponseBody: Body<Data = Bytes> + Send + 'static,
    <T::ResponseBody as Body>::Error: Into<StdError> + Send,
{
    /// A client that calls through this connection.
    pub(crate) fn new(connection: T) -> Self {
        Self { grpc: Grpc::new(connection) }
    }

    /// Takes no response that is longer, in bytes.
    #[must_use]
    pub(crate) fn max_decoding_message_size(self, bytes: usize) -> Self {
        Self { grpc: self.grpc.max_decoding_message_size(bytes) }
    }

    /// Calls a method that answers once.
    ///
    /// # Errors
    /// The status of the answer, or why there is none.
    pub(crate) async fn unary<Q: Message + 'static, A: Message + Default>(
        &mut self,
        request: Request<Q>,
        path: &'static str,
        method: GrpcMethod<'static>,
    ) -> Result<Response<A>, Status> {
        let (metadata, answer, extensions) =
            self.send(request.map(Outgoing::new), path, method).await?.into_parts();
        Ok(Response::from_parts(metadata, answer.message()?, extensions))
    }

    /// Calls a method that answers with a stream.
    ///
    /// # Errors
    /// The status of the answer, or why there is none.
    pub(crate) async fn stream<Q: Message + 'static, A: Message + Default + 'static>(
        &mut self,
        request: Request<Q>,
        path: &'static str,
        method: GrpcMethod<'static>,
    ) -> Result<Response<Streaming<A>>, Status> {
        let request = self.ready(request.map(Outgoing::new), method).await?;
        let path = PathAndQuery::from_static(path);
        self.grpc.server_streaming(request, path, MessageCodec::new()).await
    }

    async fn send(
        &mut self,
        request: Request<Outgoing>,
        path: &'static str,
        method: GrpcMethod<'static>,
    ) -> Result<Response<Undecoded>, Status> {
        let request = self.ready(request, method).await?;
        self.grpc.unary(request, PathAndQuery::from_static(path), MessageCodec::new()).await
    }

    /// The request, once the connection takes it.
    async fn ready(
        &mut self,
        mut request: Request<Outgoing>,
        method: GrpcMethod<'static>,
    ) -> Result<Request<Outgoing>, Status> {
        let ready = self.grpc.ready().await;
        ready.map_err(|error| {
            Status::unknown(format!("the service was not ready: {}", error.into()))
        })?;
        request.extensions_mut().insert(method);
        Ok(request)
    }
}
