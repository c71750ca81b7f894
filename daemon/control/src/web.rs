//! What the listeners serve besides gRPC: grpc-web for our own page and for pages of named origins,
//! that page itself (`crate::dashboard`), `/metrics` for Prometheus, `/healthz` for supervisors.
//!
//! Any other request gets an answer that explains what this server is.

use crate::calls::CallsLayer;
use crate::connection;
use crate::dashboard;
use crate::gate::{Asked, GateLayer};
use crate::methods;
use crate::visitors::{self, Visitors};
use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::header::{self, HeaderName, HeaderValue};
use http::{HeaderMap, Method, StatusCode, Version};
use phalanx_metrics::{ApiMetrics, Metrics};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tonic::service::Routes;
use tonic::{Code, Status};
use tonic_web::GrpcWebLayer;
use tower_http::cors::{AllowOrigin, CorsLayer};

/// How long a browser may cache what it was allowed.
const PREFLIGHT_AGE: Duration = Duration::from_secs(3600);
/// The format of Prometheus' text.
const METRICS_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";
/// The prefix of a grpc-web call's content type.
const GRPC_WEB: &[u8] = b"application/grpc-web";
/// The answer to other protocols.
pub(crate) const WHAT_THIS_IS: &str = "This is the control API of phalanxd: gRPC over HTTP/2, or grpc-web; \
                            GET /metrics and GET /healthz work with any client.\n";

/// The state of the pages.
#[derive(Clone, Debug)]
pub(crate) struct Pages {
    pub(crate) gate: GateLayer,
    /// The metrics, if there are any.
    pub(crate) metrics: Option<Arc<Metrics>>,
    /// Any client may read them.
    pub(crate) metrics_open: bool,
    /// The web page is served.
    pub(crate) page: bool,
    /// Longest time from the head of a request to the end of its body.
    pub(crate) body_max: Duration,
    /// The daemon stops.
    pub(crate) leaving: Arc<AtomicBool>,
}

/// Puts the gate in front of these services, and the pages beside them. Only clients that
/// `visitors` admits get an answer.
pub(crate) fn serve(grpc: Routes, pages: Pages, visitors: Visitors) -> Routes {
    let calls = CallsLayer::new(pages.metrics.clone().map(ApiMetrics::new));
    let grpc = grpc
        .into_axum_router()
        .layer(pages.gate.clone())
        .layer(calls)
        .layer(GrpcWebLayer::new())
        .layer(middleware::from_fn(only_calls));
    let cors = cors(visitors.origins());
    let body_max = pages.body_max;
    let page = if pages.page { dashboard::routes() } else { Router::new() };
    let router = Router::new()
        .merge(page)
        .route("/metrics", get(metrics))
        .route("/healthz", get(health))
        .with_state(pages)
        .fallback_service(grpc)
        .layer(cors)
        .layer(middleware::from_fn_with_state(visitors, visitors::admit))
        .layer(middleware::from_fn_with_state(body_max, connection::hold));
    Routes::from(router)
}

fn cors(origins: &[HeaderValue]) -> CorsLayer {
    let name = HeaderName::from_static;
    CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins.iter().cloned()))
        .allow_methods([Method::GET, Method::POST])
        .allow_headers([
            header::AUTHORIZATION,
            header::CONTENT_TYPE,
            name("grpc-timeout"),
            name("x-grpc-web"),
            name("x-phalanx-user"),
            name("x-user-agent"),
        ])
        .expose_headers([
            name("grpc-status"),
            name("grpc-message"),
            name("grpc-status-details-bin"),
        ])
        .max_age(PREFLIGHT_AGE)
}

/// Over HTTP/1 there are only grpc-web calls; other requests get an explanation.
async fn only_calls(request: Request, next: Next) -> Response {
    if request.version() >= Version::HTTP_2 || is_grpc_web(request.headers()) {
        return next.run(request).await;
    }
    let status = match *request.method() {
        Method::GET | Method::HEAD => StatusCode::NOT_FOUND,
        _ => StatusCode::UNSUPPORTED_MEDIA_TYPE,
    };
    (status, WHAT_THIS_IS).into_response()
}

fn is_grpc_web(headers: &HeaderMap) -> bool {
    headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(GRPC_WEB))
}

async fn metrics(State(pages): State<Pages>, request: Request) -> Response {
    let asked = Asked::of(&request);
    drop(request);
    let Some(metrics) = pages.metrics.clone() else {
        return (StatusCode::NOT_FOUND, "this daemon keeps no metrics\n").into_response();
    };
    if !pages.metrics_open
        && let Err(status) = pages.gate.admit(&methods::METRICS, asked).await
    {
        return refused(&status);
    }
    // The process' own metrics are read from the system.
    match tokio::task::spawn_blocking(move || metrics.render()).await {
        Ok(text) => ([(header::CONTENT_TYPE, METRICS_TYPE)], text).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

fn refused(status: &Status) -> Response {
    let text = format!("{}\n", status.message());
    if status.code() == Code::Unauthenticated {
        let how = [(header::WWW_AUTHENTICATE, "Bearer")];
        return (StatusCode::UNAUTHORIZED, how, text).into_response();
    }
    let throttled = status.code() == Code::ResourceExhausted;
    let code = if throttled { StatusCode::TOO_MANY_REQUESTS } else { StatusCode::FORBIDDEN };
    (code, text).into_response()
}

async fn health(State(pages): State<Pages>) -> Response {
    if pages.leaving.load(Ordering::Relaxed) {
        return (StatusCode::SERVICE_UNAVAILABLE, "leaving\n").into_response();
    }
    "ok\n".into_response()
}
