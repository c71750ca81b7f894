//! Exports spans over OpenTelemetry, in builds with the feature `otel`: one for each turn, with its
//! outcome, inside the span of its team.

use super::start::Boxed;
use anyhow::Result;
use tracing::Subscriber;
use tracing_subscriber::registry::LookupSpan;

/// Exports spans until it is dropped; dropping it sends the rest. Drop it outside of any runtime.
#[derive(Debug, Default)]
pub struct Traces {
    #[cfg(feature = "otel")]
    export: Option<export::Export>,
}

#[cfg(feature = "otel")]
impl Traces {
    /// Starts to export to this address, for example `http://127.0.0.1:4317`.
    pub(super) fn open(endpoint: &str) -> Result<Self> {
        Ok(Self { export: Some(export::Export::open(endpoint)?) })
    }

    /// The layer that passes spans to the exporter, if there is one.
    pub(super) fn layer<S>(&self) -> Option<Boxed<S>>
    where
        S: Subscriber + for<'span> LookupSpan<'span> + Send + Sync,
    {
        self.export.as_ref().map(export::Export::layer)
    }
}

#[cfg(not(feature = "otel"))]
impl Traces {
    /// This build has no exporter.
    pub(super) fn open(endpoint: &str) -> Result<Self> {
        anyhow::bail!(
            "otel.endpoint is {endpoint}, but this phalanxd was built without traces: build it \
             with --features otel, or remove the key"
        )
    }

    /// This build has no exporter.
    pub(super) fn layer<S>(&self) -> Option<Boxed<S>>
    where
        S: Subscriber + for<'span> LookupSpan<'span> + Send + Sync,
    {
        None
    }
}

#[cfg(feature = "otel")]
mod export {
    use super::Boxed;
    use anyhow::{Context, Result};
    use opentelemetry::trace::TracerProvider;
    use opentelemetry_otlp::{SpanExporter, WithExportConfig};
    use opentelemetry_sdk::Resource;
    use opentelemetry_sdk::trace::SdkTracerProvider;
    use std::time::Duration;
    use tokio::runtime::Runtime;
    use tracing::Subscriber;
    use tracing_subscriber::Layer;
    use tracing_subscriber::registry::LookupSpan;

    /// The program's service name at the collector.
    const SERVICE: &str = "phalanxd";
    /// How long a collector may take for one request.
    const EXPORT_MAX: Duration = Duration::from_secs(5);
    /// How long sending the last spans may take.
    const LAST_MAX: Duration = Duration::from_secs(1);

    /// An exporter with its own runtime, so that a slow collector cannot delay a team.
    #[derive(Debug)]
    pub(super) struct Export {
        provider: SdkTracerProvider,
        runtime: Option<Runtime>,
    }

    impl Export {
        pub(super) fn open(endpoint: &str) -> Result<Self> {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(1)
                .thread_name("traces")
                .enable_all()
                .build()
                .context("no runtime for traces")?;
            let inside = runtime.enter();
            let exporter = SpanExporter::builder()
                .with_tonic()
                .with_endpoint(endpoint)
                .with_timeout(EXPORT_MAX)
                .build()
                .with_context(|| format!("otel.endpoint {endpoint} cannot be used"))?;
            drop(inside);
            let resource = Resource::builder().with_service_name(SERVICE).build();
            // Its queue is bounded: spans that a slow collector does not take are dropped.
            let provider = SdkTracerProvider::builder()
                .with_batch_exporter(exporter)
                .with_resource(resource)
                .build();
            Ok(Self { provider, runtime: Some(runtime) })
        }

        pub(super) fn layer<S>(&self) -> Boxed<S>
        where
            S: Subscriber + for<'span> LookupSpan<'span> + Send + Sync,
        {
            let tracer = self.provider.tracer(SERVICE);
            tracing_opentelemetry::layer().with_tracer(tracer).boxed()
        }
    }

    impl Drop for Export {
        fn drop(&mut self) {
            // The exporter has already logged that the collector cannot be reached.
            drop(self.provider.shutdown_with_timeout(LAST_MAX));
            if let Some(runtime) = self.runtime.take() {
                runtime.shutdown_background();
            }
        }
    }
}
