//! The verbs around tokens.

use super::table::Table;
use super::{channel, json_wanted, print, refused, run, word};
use crate::cli::{Remote, TokenVerb};
use anyhow::{Context, Result};
use phalanx_control::client::Link;
use phalanx_proto::v1;
use phalanx_proto::v1::access_client::AccessClient;
use serde_json::{Value, json};
use std::time::{Duration, SystemTime};

/// What stands before a token's id in its resource name.
const TOKENS: &str = "tokens/";

/// `phalanx token …`.
///
/// # Errors
/// When no daemon answers, or it refuses.
pub fn token(verb: TokenVerb) -> Result<()> {
    match verb {
        TokenVerb::Create { name, role, life, remote } => create(name, role, life, &remote),
        TokenVerb::List(remote) => list(&remote),
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
    run(async {
        let role = match role {
            phalanx_control::Role::Viewer => v1::Role::Viewer,
            phalanx_control::Role::Operator => v1::Role::Operator,
            phalanx_control::Role::Admin => v1::Role::Admin,
        };
        let life = life.map(prost_types::Duration::try_from).transpose();
        let life = life.context("--life: too long")?;
        let request = v1::CreateTokenRequest { display_name, role: role.into(), life };
        let answer = client(remote).await?.create_token(request).await;
        let v1::CreateTokenResponse { token, text } = answer.map_err(refused)?.into_inner();
        let token = token.context("the daemon's answer has no token")?;
        if remote.output == crate::cli::OutputFormat::Json {
            let mut shown = as_json(&token);
            if let Some(fields) = shown.as_object_mut() {
                fields.insert("token".to_owned(), text.into());
            }
            return print(&shown.to_string());
        }
        // Alone on standard output, so that it can go into a file.
        print(&text)
    })
}

fn list(remote: &Remote) -> Result<()> {
    run(async {
        let mut client = client(remote).await?;
        let (mut tokens, mut page_token) = (Vec::new(), String::new());
        loop {
            let request = v1::ListTokensRequest { page_size: 0, page_token };
            let page = client.list_tokens(request).await.map_err(refused)?.into_inner();
            tokens.extend(page.tokens);
            page_token = page.next_page_token;
            if page_token.is_empty() {
                break;
            }
        }
        if json_wanted(remote) {
            let tokens: Vec<_> = tokens.iter().map(as_json).collect();
            return print(&json!({ "tokens": tokens }).to_string());
        }
        let mut table = Table::new(&["ID", "NAME", "ROLE", "CREATED", "ENDS"]);
        for token in &tokens {
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
        print(&table.text())
    })
}

fn revoke(id: &str, remote: &Remote) -> Result<()> {
    run(async {
        let name = format!("{TOKENS}{}", id.strip_prefix(TOKENS).unwrap_or(id));
        let request = v1::RevokeTokenRequest { name };
        let answer = client(remote).await?.revoke_token(request).await;
        let token = answer.map_err(refused)?.into_inner().token;
        let token = token.context("the daemon's answer has no token")?;
        if json_wanted(remote) {
            return print(&as_json(&token).to_string());
        }
        print(&format!("token {} ({}) is revoked", self::id(&token), token.display_name))
    })
}

fn whoami(remote: &Remote) -> Result<()> {
    run(async {
        let answer = client(remote).await?.get_caller(v1::GetCallerRequest {}).await;
        let caller = answer.map_err(refused)?.into_inner();
        let role = role_word(caller.role());
        if json_wanted(remote) {
            let shown = json!({ "who": caller.who, "role": role, "from": caller.from });
            return print(&shown.to_string());
        }
        print(&format!("{}: {role}, from {}", caller.who, caller.from))
    })
}

async fn client(remote: &Remote) -> Result<AccessClient<Link>> {
    Ok(AccessClient::new(channel(remote).await?))
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
