//! Reads the daemon's metrics, which the API's listeners serve too.

use super::Link;
use http_body::Body as _;
use std::future::poll_fn;
use std::pin::pin;
use tonic::Status;
use tonic::body::Body;
use tower::{Service, ServiceExt};

/// Most bytes that are read: the metrics of a thousand agents fit.
const FIGURES_BYTES_MAX: usize = 4 << 20;

/// The daemon's metrics in the text format of Prometheus.
///
/// # Errors
/// NOT_FOUND if the daemon keeps none, PERMISSION_DENIED if the caller may not read them,
/// UNAVAILABLE if the daemon does not answer; never a reason of the API.
pub async fn figures(link: &Link) -> Result<String, Status> {
    let gone = |error: tonic::transport::Error| Status::from_error(Box::new(error));
    let request = http::Request::get("/metrics").body(Body::empty());
    let request = request.map_err(|error| Status::internal(error.to_string()))?;
    let mut link = link.clone();
    let answer = link.ready().await.map_err(gone)?.call(request).await.map_err(gone)?;
    match answer.status() {
        http::StatusCode::OK => {}
        http::StatusCode::NOT_FOUND => return Err(Status::not_found("the daemon has no figures")),
        code => return Err(Status::permission_denied(format!("no figures: {code}"))),
    }
    let (mut text, mut body) = (Vec::new(), pin!(answer.into_body()));
    while let Some(frame) = poll_fn(|context| body.as_mut().poll_frame(context)).await {
        let frame = frame.map_err(|error| Status::unavailable(error.to_string()))?;
        if let Ok(data) = frame.into_data() {
            text.extend_from_slice(&data);
        }
        if text.len() > FIGURES_BYTES_MAX {
            return Err(Status::resource_exhausted("the figures are too long"));
        }
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}
