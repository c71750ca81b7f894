//! The schema of a message, for tools that do not know our messages: its descriptor and the
//! descriptors of everything that it uses.

use phalanx_game::sorted::{SortedMap, SortedSet};
use phalanx_proto::DESCRIPTORS;
use prost::Message;
use prost_types::{DescriptorProto, FileDescriptorProto, FileDescriptorSet};
use std::sync::LazyLock;

static ALL: LazyLock<FileDescriptorSet> =
    LazyLock::new(|| FileDescriptorSet::decode(DESCRIPTORS).unwrap_or_default());

/// The encoded `google.protobuf.FileDescriptorSet` of a message: only the types that it uses, since
/// each file contains it.
pub(crate) fn descriptor_of(message: &str) -> Vec<u8> {
    let types = types();
    let mut needed = SortedSet::new();
    let mut open = vec![format!(".{message}")];
    while let Some(name) = open.pop() {
        let name = outermost(&types, &name);
        if let Some(uses) = types.get(&name).cloned()
            && needed.insert(name)
        {
            open.extend(uses);
        }
    }
    let mut set = FileDescriptorSet::default();
    for file in &ALL.file {
        let kept = pruned(file, &needed);
        if !kept.message_type.is_empty() || !kept.enum_type.is_empty() {
            set.file.push(kept);
        }
    }
    let files: SortedSet<_> = set.file.iter().map(|file| file.name().to_owned()).collect();
    for file in &mut set.file {
        file.dependency.retain(|used| files.contains(used));
        // They are indices into the list that was just changed, and are not used.
        file.public_dependency.clear();
        file.weak_dependency.clear();
    }
    set.encode_to_vec()
}

/// The full name of each top-level message and enumeration, and the types that it uses.
fn types() -> SortedMap<String, Vec<String>> {
    let mut types = SortedMap::new();
    for file in &ALL.file {
        for message in &file.message_type {
            let name = format!(".{}.{}", file.package(), message.name());
            types.insert(name, uses(message));
        }
        for kind in &file.enum_type {
            types.insert(format!(".{}.{}", file.package(), kind.name()), Vec::new());
        }
    }
    types
}

fn uses(message: &DescriptorProto) -> Vec<String> {
    let own = message.field.iter().map(|field| field.type_name().to_owned());
    let inner = message.nested_type.iter().flat_map(uses);
    own.filter(|name| !name.is_empty()).chain(inner).collect()
}

/// A nested type belongs to its outermost message.
fn outermost(types: &SortedMap<String, Vec<String>>, name: &str) -> String {
    let mut name = name;
    while !types.contains_key(name)
        && let Some((outer, _)) = name.rsplit_once('.')
    {
        name = outer;
    }
    name.to_owned()
}

fn pruned(file: &FileDescriptorProto, needed: &SortedSet<String>) -> FileDescriptorProto {
    let has = |name: &str| needed.contains(&format!(".{}.{name}", file.package()));
    let mut kept = FileDescriptorProto {
        service: Vec::new(),
        extension: Vec::new(),
        source_code_info: None,
        ..file.clone()
    };
    kept.message_type.retain(|message| has(message.name()));
    kept.enum_type.retain(|kind| has(kind.name()));
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Channel;
    use phalanx_game::SeatId;

    #[test]
    fn a_schema_has_all_that_its_message_needs_and_no_more() {
        let set = FileDescriptorSet::decode(&*descriptor_of("phalanx.v1.WireBytes")).unwrap();
        let names: Vec<_> = set.file.iter().map(FileDescriptorProto::name).collect();
        assert_eq!(names, ["phalanx/v1/recording.proto"]);
        assert_eq!(set.file[0].message_type.len(), 1);
        assert_eq!(set.file[0].enum_type.len(), 1);
        for channel in (1..19).filter_map(Channel::numbered) {
            let message = channel.message();
            let set = FileDescriptorSet::decode(&*descriptor_of(message)).unwrap();
            let mut known = SortedSet::new();
            for file in &set.file {
                assert!(file.dependency.iter().all(|used| known.contains(used)), "{message}");
                known.insert(file.name().to_owned());
            }
            let (_, short) = message.rsplit_once('.').unwrap();
            let has = |file: &FileDescriptorProto| {
                file.message_type.iter().any(|message| message.name() == short)
            };
            assert!(set.file.iter().any(has), "{message}");
        }
        assert_eq!(Channel::numbered(18), Some(Channel::Seat(SeatId(0))));
    }
}
