//! The one table of what each method needs.

use phalanx_access::Role;

/// What a method needs of its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Method {
    /// The path of its calls without the first slash.
    pub(crate) path: &'static str,
    /// The smallest role that may call it; `None`: anybody.
    pub(crate) role: Option<Role>,
    /// It changes something: each call leaves a line in the audit log.
    pub(crate) changes: bool,
}

const fn open(path: &'static str) -> Method {
    Method { path, role: None, changes: false }
}

const fn looks(path: &'static str) -> Method {
    Method { path, role: Some(Role::Viewer), changes: false }
}

const fn steers(path: &'static str) -> Method {
    Method { path, role: Some(Role::Operator), changes: true }
}

const fn rules(path: &'static str) -> Method {
    Method { path, role: Some(Role::Admin), changes: true }
}

/// Every method of every service.
pub(crate) const METHODS: &[Method] = &[
    // Load balancers and service managers ask without a token.
    open("grpc.health.v1.Health/Check"),
    open("grpc.health.v1.Health/Watch"),
    looks("grpc.reflection.v1.ServerReflection/ServerReflectionInfo"),
    looks("phalanx.v1.Access/GetCaller"),
    Method { path: "phalanx.v1.Access/ListTokens", role: Some(Role::Admin), changes: false },
    rules("phalanx.v1.Access/CreateToken"),
    rules("phalanx.v1.Access/RevokeToken"),
    looks("phalanx.v1.Teams/ListTeams"),
    looks("phalanx.v1.Teams/GetTeam"),
    looks("phalanx.v1.Matches/WatchMatch"),
    looks("phalanx.v1.Strategies/GetStrategy"),
    looks("phalanx.v1.Strategies/ListGenerations"),
    looks("phalanx.v1.Strategies/GetGeneration"),
    // A trial runs the code that it is sent.
    steers("phalanx.v1.Strategies/CheckStrategy"),
    steers("phalanx.v1.Strategies/ActivateStrategy"),
    steers("phalanx.v1.Strategies/RollBackStrategy"),
    steers("phalanx.v1.Strategies/PinStrategy"),
    steers("phalanx.v1.Strategies/UnpinStrategy"),
    looks("phalanx.v1.Strategies/ListParams"),
    steers("phalanx.v1.Strategies/SetParam"),
    steers("phalanx.v1.Strategies/EvalScript"),
    looks("phalanx.v1.Strategies/ProfileStrategy"),
];

/// What the method of a request's path (`/phalanx.v1.Teams/GetTeam`) needs; `None`: there is none.
pub(crate) fn find(path: &str) -> Option<&'static Method> {
    let path = path.strip_prefix('/')?;
    METHODS.iter().find(|method| method.path == path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use prost::Message;
    use std::collections::BTreeSet;

    #[test]
    fn the_table_has_every_method_that_is_served_once() {
        let files = [phalanx_proto::DESCRIPTORS, tonic_health::pb::FILE_DESCRIPTOR_SET];
        let mut served = BTreeSet::new();
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
        served.insert("grpc.reflection.v1.ServerReflection/ServerReflectionInfo".to_owned());
        let listed: BTreeSet<_> = METHODS.iter().map(|method| method.path.to_owned()).collect();
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
