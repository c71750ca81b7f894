//! The service `Access`.

use crate::caller::IdentifiedCaller;
use crate::changes::{Call, Changes};
use crate::convert::time_asked;
use crate::error::{Reason, RpcResult, refuse, refuse_field};
use crate::page::Page;
use phalanx_access::{Authenticator, Role, TokenInfo, TokenStoreError};
use phalanx_proto::v1;
use prost_types::Timestamp;
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;
use secrecy::ExposeSecret;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tonic::{Request, Response, Status};

/// The prefix of a token's resource name.
const TOKENS: &str = "tokens/";

/// Creates and revokes tokens.
pub(crate) struct AccessService {
    pub(crate) authenticator: Arc<Authenticator>,
    pub(crate) changes: Changes,
}

#[tonic::async_trait]
impl v1::access_server::Access for AccessService {
    async fn get_caller(
        &self,
        request: Request<v1::GetCallerRequest>,
    ) -> RpcResult<v1::GetCallerResponse> {
        let caller = request.extensions().get::<IdentifiedCaller>();
        let caller = caller.ok_or_else(|| Status::internal("the caller was not identified"))?;
        Ok(Response::new(v1::GetCallerResponse {
            who: caller.who.clone(),
            role: role(caller.role).into(),
            from: caller.from.clone(),
        }))
    }

    async fn list_tokens(
        &self,
        request: Request<v1::ListTokensRequest>,
    ) -> RpcResult<v1::ListTokensResponse> {
        let request = request.into_inner();
        let page = Page::parse(request.page_size, &request.page_token)?;
        let all = self.authenticator.list();
        let seen = match page.after() {
            None => 0,
            Some(last) => all.iter().position(|info| info.id == last).map_or(0, |place| place + 1),
        };
        let rest = all.into_iter().skip(seen);
        let (infos, next_page_token) = page.fill(rest, |info| info.id.clone());
        let tokens = infos.iter().map(token).collect();
        Ok(Response::new(v1::ListTokensResponse { tokens, next_page_token }))
    }

    async fn create_token(
        &self,
        request: Request<v1::CreateTokenRequest>,
    ) -> RpcResult<v1::CreateTokenResponse> {
        let call = Call::open(&request, &request.get_ref().display_name);
        let request = request.into_inner();
        let role = wanted(request.role())?;
        let life = request.life.map(life).transpose()?;
        let (authenticator, name) = (Arc::clone(&self.authenticator), request.display_name.clone());
        let make = move || {
            let mut random = UnwrapErr(SysRng);
            authenticator.create(&name, role, life, now(), &mut random)
        };
        let work = async move {
            let (made, info) = blocking(make).await?;
            let text = made.text().expose_secret().to_owned();
            Ok(v1::CreateTokenResponse { token: Some(token(&info)), text })
        };
        self.changes.make(&call, &request, work).await.map(Response::new)
    }

    async fn revoke_token(
        &self,
        request: Request<v1::RevokeTokenRequest>,
    ) -> RpcResult<v1::RevokeTokenResponse> {
        let call = Call::open(&request, &request.get_ref().name);
        let request = request.into_inner();
        let id = request.name.strip_prefix(TOKENS);
        let id = id.filter(|id| !id.is_empty() && !id.contains('/'));
        let id = id.ok_or_else(|| {
            refuse_field(Reason::NameMalformed, "name", "a resource name such as tokens/7k2m9qxa")
        })?;
        let (authenticator, id) = (Arc::clone(&self.authenticator), id.to_owned());
        let work = async move {
            let info = blocking(move || authenticator.revoke(&id, now())).await?;
            Ok(v1::RevokeTokenResponse { token: Some(token(&info)) })
        };
        self.changes.make(&call, &request, work).await.map(Response::new)
    }
}

/// Hashing and writing take long, so they run outside of the runtime's threads.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, TokenStoreError> + Send + 'static,
) -> Result<T, Status> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| Status::internal(error.to_string()))?.map_err(refused)
}

fn refused(error: TokenStoreError) -> Status {
    let message = error.to_string();
    match error {
        TokenStoreError::Name => refuse_field(Reason::TokenName, "display_name", &message),
        TokenStoreError::Full => refuse(Reason::TooManyTokens, message, []),
        TokenStoreError::Unknown(_) => refuse(Reason::TokenNotFound, message, []),
        TokenStoreError::Revoked(_) => refuse(Reason::TokenEnded, message, []),
        TokenStoreError::Io { .. }
        | TokenStoreError::OpenToOthers { .. }
        | TokenStoreError::Damaged { .. }
        | TokenStoreError::Hash(_) => refuse(Reason::TokensNotWritten, message, []),
    }
}

fn wanted(role: v1::Role) -> Result<Role, Status> {
    match role {
        v1::Role::Viewer => Ok(Role::Viewer),
        v1::Role::Operator => Ok(Role::Operator),
        v1::Role::Admin => Ok(Role::Admin),
        v1::Role::Unspecified => {
            Err(refuse_field(Reason::TokenRole, "role", "ROLE_VIEWER, ROLE_OPERATOR or ROLE_ADMIN"))
        }
    }
}

fn life(life: prost_types::Duration) -> Result<Duration, Status> {
    let life = time_asked(life).filter(|life| life.as_secs() > 0);
    life.ok_or_else(|| refuse_field(Reason::TokenLife, "life", "at least a second, or nothing"))
}

fn role(role: Role) -> v1::Role {
    match role {
        Role::Viewer => v1::Role::Viewer,
        Role::Operator => v1::Role::Operator,
        Role::Admin => v1::Role::Admin,
    }
}

fn token(info: &TokenInfo) -> v1::Token {
    v1::Token {
        name: format!("{TOKENS}{}", info.id),
        display_name: info.name.clone(),
        role: role(info.role).into(),
        create_time: Some(time(info.created)),
        expire_time: info.expires.map(time),
        revoke_time: info.revoked.map(time),
    }
}

fn time(seconds: u64) -> Timestamp {
    Timestamp { seconds: i64::try_from(seconds).unwrap_or(i64::MAX), nanos: 0 }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
