//! The roles that methods need. The `.proto` files declare those of our own services; the services
//! that every gRPC server has are listed here.

use phalanx_access::Role;
use phalanx_proto::v1;
use std::sync::LazyLock;

/// A method and the role that it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Method {
    /// The path of its calls without the first slash.
    pub(crate) path: &'static str,
    /// The smallest role that may call it; `None`: any caller may.
    pub(crate) role: Option<Role>,
    /// It changes something: each call is written to the audit log.
    pub(crate) changes: bool,
}

const fn open(path: &'static str) -> Method {
    Method { path, role: None, changes: false }
}

const fn looks(path: &'static str) -> Method {
    Method { path, role: Some(Role::Viewer), changes: false }
}

/// Every method of every service.
static METHODS: LazyLock<Vec<Method>> = LazyLock::new(|| {
    let common = [
        // Load balancers and service managers call it without a token.
        open("grpc.health.v1.Health/Check"),
        open("grpc.health.v1.Health/Watch"),
        looks("grpc.reflection.v1.ServerReflection/ServerReflectionInfo"),
        looks("grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"),
    ];
    common.into_iter().chain(phalanx_proto::METHODS.iter().map(declared)).collect()
});

fn declared(method: &phalanx_proto::Method) -> Method {
    let role = match method.role {
        v1::Role::Viewer => Role::Viewer,
        v1::Role::Operator => Role::Operator,
        v1::Role::Admin | v1::Role::Unspecified => Role::Admin,
    };
    Method { path: method.path, role: Some(role), changes: method.changes }
}

/// The page of the metrics, if it is not open: not a gRPC method, but the same check applies.
pub(crate) const METRICS: Method = looks("metrics");

/// The method of a request's path (`/phalanx.v1.Teams/GetTeam`); `None` if there is none.
pub(crate) fn find(path: &str) -> Option<&'static Method> {
    let path = path.strip_prefix('/')?;
    METHODS.iter().find(|method| method.path == path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx_game::sorted::SortedSet;
    use prost::Message;

    #[test]
    fn the_table_has_every_method_that_is_served_once() {
        let files = [phalanx_proto::DESCRIPTORS, tonic_health::pb::FILE_DESCRIPTOR_SET];
        let mut served = SortedSet::new();
        for file in files {
            let set = prost_types::FileDescriptorSet::decode(file).expect("our own descriptors");
            for file in set.file {
                for service in &file.service {
                    let of = |method: &prost_types::MethodDescriptorProto| {
                        format!("{}.{}/{}", file.package(), service.name(), method.name())
                    };
                    served.extend(service.method.iter().map(of));
                }
            }
        }
        for version in ["v1", "v1alpha"] {
            let method = "ServerReflection/ServerReflectionInfo";
            served.insert(format!("grpc.reflection.{version}.{method}"));
        }
        let listed: SortedSet<_> = METHODS.iter().map(|method| method.path.to_owned()).collect();
        assert_eq!(listed, served);
        assert_eq!(listed.len(), METHODS.len());
    }

    #[test]
    fn whatever_changes_something_wants_at_least_an_operator() {
        for method in METHODS.iter().filter(|method| method.changes) {
            assert!(method.role >= Some(Role::Operator), "{}", method.path);
        }
    }
}
