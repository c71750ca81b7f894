//! Reflection: clients learn the API from the server itself.

use tonic::service::Routes;
use tonic_reflection::server::{Builder, Error};

/// Adds reflection in both versions: many clients only ask in the older one.
pub(crate) fn reflected(routes: Routes) -> Result<Routes, Error> {
    let described = || {
        Builder::configure()
            .register_encoded_file_descriptor_set(phalanx_proto::DESCRIPTORS)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };
    Ok(routes.add_service(described().build_v1()?).add_service(described().build_v1alpha()?))
}
