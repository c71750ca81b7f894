//! Counts calls: the method, the time until the answer, and the result.

use crate::body::read_by;
use crate::methods;
use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::response::Response;
use futures_util::future::BoxFuture;
use http::HeaderMap;
use phalanx_metrics::{ApiMetrics, OpenCall};
use std::task::{Context, Poll};
use std::time::Instant;
use tonic::Code;
use tower::{Layer, Service};

/// The label of unknown methods.
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
    type Service = CountedService<S>;

    fn layer(&self, inner: S) -> CountedService<S> {
        CountedService { metrics: self.metrics.clone(), inner }
    }
}

/// A service that counts its calls.
#[derive(Clone, Debug)]
pub(crate) struct CountedService<S> {
    metrics: Option<ApiMetrics>,
    inner: S,
}

impl<S> Service<Request> for CountedService<S>
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
            Ok(answer.map(|inner| counted(inner, call)))
        })
    }
}

/// A response body; the call ends with its last byte.
fn counted(inner: Body, mut call: OpenCall) -> Body {
    read_by(inner, move |inner, context| {
        let frame = inner.poll_frame(context);
        if let Poll::Ready(Some(Ok(frame))) = &frame
            && let Some(trailers) = frame.trailers_ref()
        {
            note(&mut call, trailers);
        }
        frame
    })
}

/// The status is in the trailers, or in the headers of a response that has no body.
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
