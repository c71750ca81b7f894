//! What a client says, read as the original referee reads it (spec sections 3 and 5).

use super::ClientMessage;
use super::scan::{Manner, Scanner, Tag, XmlNode, name, number, text};
use phalanx_game::ProtocolError;
use smol_str::SmolStr;

/// Reads a frame of a client, without its NUL.
///
/// # Errors
/// When the frame is not well-formed XML within the limits. Everything that is well-formed has a
/// meaning, if only that of being ignored.
pub fn decode_client(frame: &[u8]) -> Result<ClientMessage, ProtocolError> {
    let text = text(frame, Manner::Strict)?;
    let mut scanner = Scanner::new(&text, Manner::Strict);
    let Some(XmlNode::Open(root)) = scanner.next()? else {
        return Err(scanner.wrong("an element message"));
    };
    let kind = attribute(&root, "type")?.unwrap_or_default();
    match (root.name(), kind.as_str()) {
        ("message", "auth-request") => login(&mut scanner),
        ("message", "action") => action(&mut scanner, &root),
        ("message", _) => other(&mut scanner, kind),
        (root, _) => other(&mut scanner, name(root)),
    }
}

fn other(scanner: &mut Scanner<'_>, kind: SmolStr) -> Result<ClientMessage, ProtocolError> {
    while scanner.next()?.is_some() {}
    Ok(ClientMessage::Other { kind })
}

fn login(scanner: &mut Scanner<'_>) -> Result<ClientMessage, ProtocolError> {
    let (mut username, mut password) = (SmolStr::default(), SmolStr::default());
    let mut found = false;
    while let Some(node) = scanner.next()? {
        if let XmlNode::Open(tag) = node
            && tag.name() == "authentication"
            && !std::mem::replace(&mut found, true)
        {
            tag.each(|key, value| match key {
                "username" => username = name(value),
                "password" => password = name(value),
                _ => {}
            })?;
        }
    }
    Ok(ClientMessage::AuthRequest { username, password })
}

/// The id is that of the first child called `action` in any case of letters, type and parameter
/// are those of the first descendant called exactly so.
fn action(scanner: &mut Scanner<'_>, root: &Tag<'_>) -> Result<ClientMessage, ProtocolError> {
    let (mut id, mut action) = (None, None);
    let mut depth = usize::from(!root.empty);
    while let Some(node) = scanner.next()? {
        let XmlNode::Open(tag) = node else {
            depth = depth.saturating_sub(1);
            continue;
        };
        if depth == 1 && id.is_none() && tag.name().eq_ignore_ascii_case("action") {
            id = Some(attribute(&tag, "id")?);
        }
        if action.is_none() && tag.name() == "action" {
            let (kind, param) = (attribute(&tag, "type")?, attribute(&tag, "param")?);
            action = Some((kind.unwrap_or_default(), param.unwrap_or_default()));
        }
        depth += usize::from(!tag.empty);
    }
    let (kind, param) = action.unwrap_or_default();
    let id = id.flatten().and_then(|id| number(&id));
    Ok(ClientMessage::Action { id, kind, param })
}

fn attribute(tag: &Tag<'_>, wanted: &str) -> Result<Option<SmolStr>, ProtocolError> {
    let mut found = None;
    tag.each(|key, value| {
        if key == wanted {
            found = Some(name(value));
        }
    })?;
    Ok(found)
}
