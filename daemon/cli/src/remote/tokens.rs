//! The verbs around tokens.

use super::{Shown, Table, look, print, run, word};
use crate::args::{Look, Remote, TokenVerb};
use crate::failure::{misused, refused};
use anyhow::{Context, Result};
use phalanx_proto::v1;
use phalanx_proto::v1::access_client::AccessClient;
use serde_json::{Value, json};
use std::time::{Duration, SystemTime};

/// Prefix of a token's resource name.
const TOKENS: &str = "tokens/";

/// `phalanx token …`.
///
/// # Errors
/// When no daemon answers, or it refuses.
pub fn token(verb: TokenVerb) -> Result<()> {
    match verb {
        TokenVerb::Create { name, role, life, remote } => create(name, role, life, &remote),
        TokenVerb::List(look) => list(&look),
        TokenVerb::Revoke { id, remote } => revoke(&id, &remote),
        TokenVerb::Whoami(remote) => whoami(&remote),
    }
}

fn create(
    display_name: String,
    role: phalanx_control::Role,
    life: Option<Duration>,
    remote: &Remote,
) -> Result<()> {
    run(remote, async |channel| {
        let role = match role {
            phalanx_control::Role::Viewer => v1::Role::Viewer,
            phalanx_control::Role::Operator => v1::Role::Operator,
            phalanx_control::Role::Admin => v1::Role::Admin,
        };
        let life = life.map(prost_types::Duration::try_from).transpose();
        let life = life.map_err(|_| misused("--life: too long"))?;
        let request =
            v1::CreateTokenRequest { display_name, role: role.into(), life, ..Default::default() };
        let answer = AccessClient::new(channel).create_token(request).await;
        let v1::CreateTokenResponse { token, text } =
            answer.map_err(|status| refused(&status))?.into_inner();
        let token = token.context("the daemon's answer has no token")?;
        if remote.print.is_json_asked() || remote.print.template().is_some() {
            let mut shown = as_json(&token);
            if let Some(fields) = shown.as_object_mut() {
                fields.insert("token".to_owned(), text.into());
            }
            return remote.print.tell(&shown, String::new);
        }
        // Printed alone on standard output, so that you can redirect it to a file.
        print(&text)
    })
}

fn list(args: &Look) -> Result<()> {
    look(args, async |channel| {
        let mut client = AccessClient::new(channel);
        let (mut tokens, mut page_token) = (Vec::new(), String::new());
        loop {
            let request = v1::ListTokensRequest { page_size: 0, page_token };
            let page = client.list_tokens(request).await;
            let page = page.map_err(|status| refused(&status))?.into_inner();
            tokens.extend(page.tokens);
            page_token = page.next_page_token;
            if page_token.is_empty() {
                break;
            }
        }
        let json = json!({ "tokens": tokens.iter().map(as_json).collect::<Vec<_>>() });
        Ok(Shown { json, text: table(&tokens) })
    })
}

fn table(tokens: &[v1::Token]) -> String {
    let mut table = Table::new(&["ID", "NAME", "ROLE", "CREATED", "ENDS"]);
    for token in tokens {
        let ends = match (&token.revoke_time, &token.expire_time) {
            (Some(at), _) => format!("revoked {}", time(at)),
            (None, Some(at)) => time(at),
            (None, None) => "never".to_owned(),
        };
        table.row([
            id(token).to_owned(),
            token.display_name.clone(),
            role_word(token.role()),
            token.create_time.as_ref().map(time).unwrap_or_default(),
            ends,
        ]);
    }
    table.shown()
}

fn revoke(id: &str, remote: &Remote) -> Result<()> {
    run(remote, async |channel| {
        let name = format!("{TOKENS}{}", id.strip_prefix(TOKENS).unwrap_or(id));
        let request = v1::RevokeTokenRequest { name, ..Default::default() };
        let answer = AccessClient::new(channel).revoke_token(request).await;
        let token = answer.map_err(|status| refused(&status))?.into_inner().token;
        let token = token.context("the daemon's answer has no token")?;
        let output = || format!("token {} ({}) is revoked", self::id(&token), token.display_name);
        remote.print.tell(&as_json(&token), output)
    })
}

fn whoami(remote: &Remote) -> Result<()> {
    run(remote, async |channel| {
        let answer = AccessClient::new(channel).get_caller(v1::GetCallerRequest {}).await;
        let caller = answer.map_err(|status| refused(&status))?.into_inner();
        let role = role_word(caller.role());
        let output = json!({ "who": caller.who, "role": role, "from": caller.from });
        remote.print.tell(&output, || format!("{}: {role}, from {}", caller.who, caller.from))
    })
}

fn as_json(token: &v1::Token) -> Value {
    json!({
        "id": id(token),
        "name": token.display_name,
        "role": role_word(token.role()),
        "created": token.create_time.as_ref().map(time),
        "expires": token.expire_time.as_ref().map(time),
        "revoked": token.revoke_time.as_ref().map(time),
    })
}

fn id(token: &v1::Token) -> &str {
    token.name.strip_prefix(TOKENS).unwrap_or(&token.name)
}

fn role_word(role: v1::Role) -> String {
    word(role.as_str_name(), "ROLE_")
}

fn time(at: &prost_types::Timestamp) -> String {
    let since = Duration::from_secs(u64::try_from(at.seconds).unwrap_or_default());
    let at = SystemTime::UNIX_EPOCH.checked_add(since).unwrap_or(SystemTime::UNIX_EPOCH);
    humantime::format_rfc3339_seconds(at).to_string()
}
