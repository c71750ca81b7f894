//! Steering an agent by hand, turn by turn.

mod typed;

use super::agents::{agent_name, tell};
use super::life::{Change, answer};
use super::orders::{Compass, written};
use super::print::{line, say};
use super::{block_on_all, events, link, steered};
use crate::cli::OutputArgs;
use crate::cli::agent::PilotArgs;
use crate::failure::{Refused, refused};
use crate::paint::{Ink, Paint};
use crate::terminal::ending;
use anyhow::{Context, Result, bail};
use phalanx_control::client::Link;
use phalanx_proto::v1::match_event::Kind;
use phalanx_proto::v1::matches_client::MatchesClient;
use phalanx_proto::v1::steering::Mode;
use phalanx_proto::v1::teams_client::TeamsClient;
use phalanx_proto::v1::{
    GetTeamRequest, MatchEvent, PilotAgentRequest, ReleaseAgentRequest, SendOrderRequest,
    WatchMatchRequest, WatchMatchResponse,
};
use std::pin::pin;
use tonic::Streaming;
use typed::{Prompt, Typed};

/// `phalanx agent pilot`: until the pilot leaves; then the agent's script decides again.
///
/// # Errors
/// When no daemon answers, it refuses, or the agent is taken away.
pub(super) fn pilot(args: &PilotArgs) -> Result<()> {
    let print = &args.change.remote.print;
    block_on_all(async {
        let link = link::open(&args.change.remote).await?;
        let name = agent_name(&link, &args.agent).await?;
        let (team, agent) = name.split_once("/agents/").unwrap_or_default();
        let compass = compass(&link, team).await?;
        // The stream comes first: nothing that happens from here on is missed.
        let events = (!args.take && !args.change.dry_run).then_some(team);
        let events = match events {
            Some(team) => Some(follow(&link, team).await?),
            None => None,
        };
        let mut teams = TeamsClient::new(link);
        let Change { request_id, etag, validate_only } = (&args.change).into();
        let (asked, lease_turns) = (name.clone(), args.lease);
        let request =
            PilotAgentRequest { name: asked, lease_turns, request_id, etag, validate_only };
        let taken = answer(teams.pilot_agent(request).await)?;
        let piloted = taken.agent.unwrap_or_default();
        let Some(events) = events else {
            return tell(print, &piloted, &taken.etag, validate_only);
        };
        ending::listen(&std::io::stdin())?;
        say("an order a line, for example move(n); :quit hands the agent back");
        let agent = agent.to_owned();
        let mut flight =
            Flight { teams, name, agent, compass, print, waiting: false, prompt: Prompt::open() };
        let flown = flight.fly(events).await;
        let landed = flight.release().await;
        flown.and(landed)
    })
}

async fn compass(link: &Link, team: &str) -> Result<Option<Compass>> {
    let request = GetTeamRequest { name: team.to_owned() };
    let team = answer(TeamsClient::new(link.clone()).get_team(request).await)?.team;
    let game = team.context("the daemon's answer has no team")?.game;
    Ok(crate::wire::api(&game).and_then(Compass::of))
}

async fn follow(link: &Link, team: &str) -> Result<Streaming<WatchMatchResponse>> {
    let request = WatchMatchRequest { team: team.into(), decisions: true, ..Default::default() };
    answer(MatchesClient::new(link.clone()).watch_match(request).await)
}

/// An agent in somebody's hands.
struct Flight<'a> {
    teams: TeamsClient<Link>,
    name: String,
    agent: String,
    compass: Option<Compass>,
    print: &'a OutputArgs,
    /// An order was given and has not been sent yet.
    waiting: bool,
    prompt: Prompt,
}

impl Flight<'_> {
    /// Until the pilot leaves or the agent is taken away.
    async fn fly(&mut self, mut events: Streaming<WatchMatchResponse>) -> Result<()> {
        let mut leaving = false;
        let mut left = pin!(ending::left());
        loop {
            // Lines of a pipe are given one a turn; people change their minds.
            let listens = !leaving && (self.prompt.is_terminal() || !self.waiting);
            if leaving && !self.waiting {
                return Ok(());
            }
            tokio::select! {
                event = events.message() => {
                    let event = event.map_err(|status| refused(&status))?;
                    let event = event.context("the daemon ended the stream")?.event;
                    if let Some(event) = event && !self.happened(&event)? {
                        return Ok(());
                    }
                }
                typed = self.prompt.typed(), if listens => match typed {
                    Typed::Line(line) if line.is_empty() => {}
                    Typed::Line(line) if line == ":quit" => return Ok(()),
                    Typed::Line(line) => self.order(&line).await?,
                    Typed::Way(way) => match self.compass {
                        Some(compass) => self.order(&compass.order(way)).await?,
                        None => self.prompt.say("this game's agents do not move so"),
                    },
                    Typed::Leave => return Ok(()),
                    Typed::End => leaving = true,
                },
                () = &mut left => return Ok(()),
            }
        }
    }

    /// Gives an order. At a prompt a wrong one is told and nothing else happens.
    async fn order(&mut self, text: &str) -> Result<()> {
        let order = match self.compass.and_then(|compass| compass.read(text)) {
            Some(order) => order,
            None => written(text),
        };
        let request =
            SendOrderRequest { name: self.name.clone(), order, ..SendOrderRequest::default() };
        match answer(self.teams.send_order(request).await) {
            Ok(_) => self.waiting = true,
            Err(error) if self.prompt.is_terminal() && is_about_the_order(&error) => {
                self.prompt.say(&Paint::stdout().ink(Ink::Red, &error.to_string()));
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Tells what the agent did; false when there is no more to fly.
    fn happened(&mut self, event: &MatchEvent) -> Result<bool> {
        let ours = event.agent == self.agent;
        if !ours && !matches!(event.kind, Some(Kind::RoundOver(_) | Kind::MatchOver(_))) {
            return Ok(true);
        }
        let text =
            self.print.written(&events::json(event), || events::text(event, Paint::stdout()))?;
        let read = match self.prompt.is_terminal() {
            true => {
                self.prompt.say(&text);
                true
            }
            false => line(&text)?,
        };
        match &event.kind {
            Some(Kind::Ordered(_)) => self.waiting = false,
            Some(Kind::MatchOver(_)) => return Ok(false),
            Some(Kind::Steered(now)) => {
                let steering = now.steering.clone().unwrap_or_default();
                if !matches!(steering.mode, Some(Mode::Piloted(_))) {
                    bail!("the agent is not yours any more: {}", steered::steered_text(now));
                }
            }
            Some(_) | None => {}
        }
        Ok(read)
    }

    /// Hands the agent back; one that is somebody else's by now, or gone, is left alone.
    async fn release(&mut self) -> Result<()> {
        self.prompt.close();
        let name = self.name.clone();
        let request = ReleaseAgentRequest { name, ..ReleaseAgentRequest::default() };
        match answer(self.teams.release_agent(request).await) {
            Ok(_) => say("its script decides again"),
            Err(error) => say(&format!("not handed back: {error}")),
        }
        Ok(())
    }
}

fn is_about_the_order(error: &anyhow::Error) -> bool {
    error.downcast_ref::<Refused>().is_some_and(|refused| refused.reason == "ORDER_MALFORMED")
}
