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
    looks("phalanx.v1.Daemon/GetDaemon"),
    looks("phalanx.v1.Daemon/GetLogFilter"),
    // Whoever looks for a fault in a match needs it, and it ends by itself if told to.
    steers("phalanx.v1.Daemon/SetLogFilter"),
    rules("phalanx.v1.Daemon/ReloadSettings"),
    looks("phalanx.v1.Teams/ListTeams"),
    looks("phalanx.v1.Teams/GetTeam"),
    // A team takes a thread and memory, and its strategy is a folder of this machine.
    rules("phalanx.v1.Teams/CreateTeam"),
    rules("phalanx.v1.Teams/DeleteTeam"),
    steers("phalanx.v1.Teams/StartTeam"),
    steers("phalanx.v1.Teams/StopTeam"),
    steers("phalanx.v1.Teams/RestartTeam"),
    steers("phalanx.v1.Teams/DrainTeam"),
    steers("phalanx.v1.Teams/MoveTeam"),
    steers("phalanx.v1.Teams/AddAgent"),
    steers("phalanx.v1.Teams/RemoveAgent"),
    steers("phalanx.v1.Teams/SetAgentRole"),
    steers("phalanx.v1.Teams/PauseAgent"),
    steers("phalanx.v1.Teams/PinOrder"),
    steers("phalanx.v1.Teams/PilotAgent"),
    steers("phalanx.v1.Teams/SendOrder"),
    steers("phalanx.v1.Teams/ReleaseAgent"),
    looks("phalanx.v1.Matches/WatchMatch"),
    looks("phalanx.v1.Matches/ExplainDecision"),
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
    // It runs in the team's VM while the team plays.
    Method {
        path: "phalanx.v1.Strategies/ProfileStrategy",
        role: Some(Role::Operator),
        changes: false,
    },
    looks("phalanx.v1.Boards/GetEntry"),
    looks("phalanx.v1.Boards/ListEntries"),
    steers("phalanx.v1.Boards/SetEntry"),
    steers("phalanx.v1.Boards/DeleteEntry"),
    looks("phalanx.v1.Boards/WatchBoard"),
    looks("phalanx.v1.Worlds/GetWorld"),
    looks("phalanx.v1.Worlds/WatchWorld"),
    looks("phalanx.v1.Arenas/ListArenas"),
    looks("phalanx.v1.Arenas/GetArena"),
    looks("phalanx.v1.Arenas/WatchArena"),
    steers("phalanx.v1.Arenas/StartArena"),
    steers("phalanx.v1.Arenas/BeginArena"),
    steers("phalanx.v1.Arenas/StopArena"),
    looks("phalanx.v1.Leagues/GetLeague"),
    looks("phalanx.v1.Leagues/ListLeagues"),
    looks("phalanx.v1.Leagues/WatchLeague"),
    // They read folders with the daemon's rights.
    rules("phalanx.v1.Leagues/CreateLeague"),
    rules("phalanx.v1.Leagues/ResumeLeague"),
    steers("phalanx.v1.Leagues/CancelLeague"),
    rules("phalanx.v1.Leagues/DeleteLeague"),
    looks("phalanx.v1.Recordings/ListRecordings"),
    looks("phalanx.v1.Recordings/GetRecording"),
    looks("phalanx.v1.Recordings/ReplayRecording"),
    looks("phalanx.v1.Recordings/DownloadRecording"),
    rules("phalanx.v1.Recordings/DeleteRecording"),
    steers("phalanx.v1.Recordings/WriteFlightRecorder"),
];

/// The page of the metrics, for whom it is not open: it is no method, but asks for the same.
pub(crate) const METRICS: Method = looks("metrics");

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
