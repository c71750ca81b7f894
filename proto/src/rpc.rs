//! Clients and servers of gRPC services.
//!
//! The problem: tonic's generated code compiles the path through HTTP once for each method, which was
//! a third of the control API's code. So messages cross it as values of one type here, and only how a
//! message is encoded and decoded is compiled for each method.
//!
//! [`service`] makes a client, a trait and a server from a table of methods, which the test `drift`
//! generates from the `.proto` files.

mod client;
mod codec;
mod server;

pub(crate) use client::Client;
pub(crate) use server::{Handler, Limits, answer, answers, serve};

/// A service: its client, the trait of its methods, and a server of what implements the trait.
macro_rules! service {
    (
        $(#[doc = $about:literal])*
        $service:ident = $full:literal,
        $client_module:ident::$client:ident, $server_module:ident::$server:ident;
        unary { $(
            $(#[doc = $one_about:literal])*
            $one:ident($one_request:ident) -> $one_response:ident = $one_name:literal;
        )* }
        streams { $(
            $(#[doc = $many_about:literal])*
            $many:ident($many_request:ident) -> $many_response:ident as $many_stream:ident =
                $many_name:literal;
        )* }
    ) => {
        /// The client of the service.
        pub mod $client_module {
            use tonic::codegen::{Body, Bytes, GrpcMethod, StdError};

            $(#[doc = $about])*
            #[derive(Clone, Debug)]
            pub struct $client<T>(crate::rpc::Client<T>);

            impl<T> $client<T>
            where
                T: tonic::client::GrpcService<tonic::body::Body>,
                T::ResponseBody: Body<Data = Bytes> + Send + 'static,
                <T::ResponseBody as Body>::Error: Into<StdError> + Send,
            {
                /// A client that calls through this connection.
                pub fn new(connection: T) -> Self {
                    Self(crate::rpc::Client::new(connection))
                }

                /// Takes no response that is longer, in bytes. Default: 4 MiB.
                #[must_use]
                pub fn max_decoding_message_size(self, bytes: usize) -> Self {
                    Self(self.0.max_decoding_message_size(bytes))
                }

                $(
                    $(#[doc = $one_about])*
                    pub async fn $one(
                        &mut self,
                        request: impl tonic::IntoRequest<super::$one_request>,
                    ) -> Result<tonic::Response<super::$one_response>, tonic::Status> {
                        let path = concat!("/", $full, "/", $one_name);
                        let method = GrpcMethod::new($full, $one_name);
                        self.0.unary(request.into_request(), path, method).await
                    }
                )*

                $(
                    $(#[doc = $many_about])*
                    pub async fn $many(
                        &mut self,
                        request: impl tonic::IntoRequest<super::$many_request>,
                    ) -> Result<
                        tonic::Response<tonic::codec::Streaming<super::$many_response>>,
                        tonic::Status,
                    > {
                        let path = concat!("/", $full, "/", $many_name);
                        let method = GrpcMethod::new($full, $many_name);
                        self.0.stream(request.into_request(), path, method).await
                    }
                )*
            }
        }

        /// The server of the service.
        pub mod $server_module {
            use crate::rpc::{Handler, Limits};
            use std::convert::Infallible;
            use std::sync::Arc;
            use std::task::{Context, Poll};
            use tonic::codegen::{BoxFuture, async_trait, http};

            $(#[doc = $about])*
            #[async_trait]
            pub trait $service: Send + Sync + 'static {
                $(
                    $(#[doc = $one_about])*
                    async fn $one(
                        &self,
                        request: tonic::Request<super::$one_request>,
                    ) -> Result<tonic::Response<super::$one_response>, tonic::Status>;
                )*
                $(
                    #[doc = concat!("The responses of `", $many_name, "`.")]
                    type $many_stream: tonic::codegen::tokio_stream::Stream<
                            Item = Result<super::$many_response, tonic::Status>,
                        > + Send
                        + 'static;

                    $(#[doc = $many_about])*
                    async fn $many(
                        &self,
                        request: tonic::Request<super::$many_request>,
                    ) -> Result<tonic::Response<Self::$many_stream>, tonic::Status>;
                )*
            }

            /// Serves what implements the trait.
            #[derive(Debug)]
            pub struct $server<T> {
                inner: Arc<T>,
                limits: Limits,
            }

            impl<T> Clone for $server<T> {
                fn clone(&self) -> Self {
                    Self { inner: Arc::clone(&self.inner), limits: self.limits }
                }
            }

            impl<T: $service> $server<T> {
                /// Serves this one.
                pub fn new(inner: T) -> Self {
                    Self { inner: Arc::new(inner), limits: Limits::default() }
                }

                /// Takes no request that is longer, in bytes. Default: 4 MiB.
                #[must_use]
                pub fn max_decoding_message_size(mut self, bytes: usize) -> Self {
                    self.limits.request_bytes_max = Some(bytes);
                    self
                }

                /// What answers calls of this path.
                fn handler(&self, path: &str) -> Option<Handler> {
                    let inner = Arc::clone(&self.inner);
                    Some(match path {
                        $(
                            concat!("/", $full, "/", $one_name) => crate::rpc::answer(
                                move |request| Box::pin(async move { inner.$one(request).await }),
                            ),
                        )*
                        $(
                            concat!("/", $full, "/", $many_name) => crate::rpc::answers(
                                move |request| Box::pin(async move { inner.$many(request).await }),
                            ),
                        )*
                        _ => return None,
                    })
                }
            }

            impl<T: $service> tonic::codegen::Service<http::Request<tonic::body::Body>>
                for $server<T>
            {
                type Response = http::Response<tonic::body::Body>;
                type Error = Infallible;
                type Future = BoxFuture<Self::Response, Infallible>;

                fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
                    Poll::Ready(Ok(()))
                }

                fn call(&mut self, call: http::Request<tonic::body::Body>) -> Self::Future {
                    crate::rpc::serve(self.handler(call.uri().path()), self.limits, call)
                }
            }

            impl<T> tonic::server::NamedService for $server<T> {
                const NAME: &'static str = $full;
            }
        }
    };
}

pub(crate) use service;
