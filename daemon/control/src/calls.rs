//! Counts calls: which, how long until the answer, and how they ended.

use crate::methods;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::response::Response;
use futures_util::future::BoxFuture;
use http::HeaderMap;
use http_body::{Frame, SizeHint};
use phalanx_metrics::{ApiMetrics, OpenCall};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Instant;
use tonic::Code;
use tower::{Layer, Service};

/// What is no method of ours.
const OTHER: &str = "other";

/// Counts the calls of a service.
#[derive(Clone, Debug)]
pub(crate) struct CallsLayer {
    metrics: Option<ApiMetrics>,
}

impl CallsLayer {
    pub(crate) fn new(metrics: Option<ApiMetrics>) -> Self {
        Self { metrics }
    }
}

impl<S> Layer<S> for CallsLayer {
    type Service = Calls<S>;

    fn layer(&self, inner: S) -> Calls<S> {
        Calls { metrics: self.metrics.clone(), inner }
    }
}

/// A service whose calls are counted.
#[derive(Clone, Debug)]
pub(crate) struct Calls<S> {
    metrics: Option<ApiMetrics>,
    inner: S,
}

impl<S> Service<Request> for Calls<S>
where
    S: Service<Request, Response = Response> + Send + 'static,
    S::Future: Send + 'static,
{
    type Response = Response;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<Response, S::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let method = methods::find(request.uri().path()).map_or(OTHER, |method| method.path);
        let call = self.metrics.as_ref().map(|metrics| metrics.began(method));
        let answer = self.inner.call(request);
        let Some(mut call) = call else { return Box::pin(answer) };
        let began = Instant::now();
        Box::pin(async move {
            let answer = answer.await?;
            call.answers(began.elapsed());
            note(&mut call, answer.headers());
            Ok(answer.map(|inner| Body::new(Counted { inner, call })))
        })
    }
}

/// An answer on its way; with its last byte the call is over.
struct Counted {
    inner: Body,
    call: OpenCall,
}

impl HttpBody for Counted {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = ready!(Pin::new(&mut self.inner).poll_frame(context));
        if let Some(Ok(frame)) = &frame
            && let Some(trailers) = frame.trailers_ref()
        {
            note(&mut self.call, trailers);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

/// The status stands in the trailers, or in the head where there is nothing but a status.
fn note(call: &mut OpenCall, headers: &HeaderMap) {
    if let Some(status) = headers.get("grpc-status") {
        call.ended(name(Code::from_bytes(status.as_bytes())));
    }
}

fn name(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "Cancelled",
        Code::Unknown => "Unknown",
        Code::InvalidArgument => "InvalidArgument",
        Code::DeadlineExceeded => "DeadlineExceeded",
        Code::NotFound => "NotFound",
        Code::AlreadyExists => "AlreadyExists",
        Code::PermissionDenied => "PermissionDenied",
        Code::ResourceExhausted => "ResourceExhausted",
        Code::FailedPrecondition => "FailedPrecondition",
        Code::Aborted => "Aborted",
        Code::OutOfRange => "OutOfRange",
        Code::Unimplemented => "Unimplemented",
        Code::Internal => "Internal",
        Code::Unavailable => "Unavailable",
        Code::DataLoss => "DataLoss",
        Code::Unauthenticated => "Unauthenticated",
    }
}
