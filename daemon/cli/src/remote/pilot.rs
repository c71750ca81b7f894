//! `phalanx agent pilot`: steers an agent by hand, turn by turn.

mod typed;

use super::agents::shown::{agent_name, tell};
use super::life::{Change, answer};
use super::orders::Compass;
use super::print::{line, say};
use super::{block_on_all, events, link};
use crate::args::OutputArgs;
use crate::args::team::ChangeArgs;
use crate::failure::{Refused, refused};
use crate::paint::{Ink, Paint};
use crate::terminal::ending;
use anyhow::{Context, Result, bail};
use clap::Args;
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

/// `phalanx agent pilot`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
A line is an order: move(n), skip, or n for move(n) where the game has directions. On a terminal the
arrow keys move at once. The agent's actions are printed as they happen. :quit, ctrl-d and ctrl-c
hand the agent back to its script. From a pipe, one line is read per turn.")]
pub struct PilotArgs {
    /// The agent: A/agentA1.
    pub agent: String,
    /// Turns without an order after which the agent goes back to its script [default: 10].
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub lease: u32,
    /// Only take the agent over; give orders with `phalanx agent order`.
    #[arg(long)]
    pub take: bool,
    #[command(flatten)]
    pub change: ChangeArgs,
}

/// Runs until the pilot quits; then the agent's script decides again.
///
/// # Errors
/// When no daemon answers, it refuses, or someone else takes the agent.
pub(super) fn pilot(args: &PilotArgs) -> Result<()> {
    let print = &args.change.remote.print;
    block_on_all(async {
        let link = link::open(&args.change.remote).await?;
        let name = agent_name(&link, &args.agent).await?;
        let (team, agent) = name.split_once("/agents/").unwrap_or_default();
        let compass = compass(&link, team).await?;
        // The stream is opened first, so that no event is missed.
        let events = (!args.take && !args.change.once.dry_run).then_some(team);
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
        say("type one order per line, for example move(n); :quit hands the agent back");
        let agent = agent.to_owned();
        let prompt = Prompt::open().await;
        let mut flight = Flight { teams, name, agent, compass, print, waiting: false, prompt };
        let flown = flight.fly(events).await;
        let landed = flight.release().await;
        flown.and(landed)
    })
}

async fn compass(link: &Link, team: &str) -> Result<Option<Compass>> {
    let request = GetTeamRequest { name: team.to_owned() };
    let team = answer(TeamsClient::new(link.clone()).get_team(request).await)?.team;
    let game = team.context("the daemon's answer has no team")?.game;
    Ok(phalanx_games::api(&game).and_then(Compass::of))
}

async fn follow(link: &Link, team: &str) -> Result<Streaming<WatchMatchResponse>> {
    let request = WatchMatchRequest { team: team.into(), decisions: true, ..Default::default() };
    answer(MatchesClient::new(link.clone()).watch_match(request).await)
}

/// An agent under manual control.
struct Flight<'a> {
    teams: TeamsClient<Link>,
    name: String,
    agent: String,
    compass: Option<Compass>,
    print: &'a OutputArgs,
    /// An order waits for the agent's next turn.
    waiting: bool,
    prompt: Prompt,
}

impl Flight<'_> {
    /// Runs until the pilot quits or loses the agent.
    async fn fly(&mut self, mut events: Streaming<WatchMatchResponse>) -> Result<()> {
        let mut leaving = false;
        let mut left = pin!(ending::left());
        loop {
            // From a pipe, one line is read per turn; a person may replace an order that waits.
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
                        None => self.prompt.say("this game has no direction keys"),
                    },
                    Typed::Leave => return Ok(()),
                    Typed::End => leaving = true,
                },
                () = &mut left => return Ok(()),
            }
        }
    }

    /// Gives an order. At a prompt, an order that the daemon refuses is printed as such.
    async fn order(&mut self, text: &str) -> Result<()> {
        let order = match self.compass.and_then(|compass| compass.read(text)) {
            Some(order) => order,
            None => text.to_owned(),
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

    /// Prints what the agent did; false when the match or the stream is over.
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
                    bail!(
                        "you no longer steer the agent: {}",
                        events::describe(event, Paint::none())
                    );
                }
            }
            Some(_) | None => {}
        }
        Ok(read)
    }

    /// Hands the agent back, unless it is gone or someone else steers it.
    async fn release(&mut self) -> Result<()> {
        self.prompt.close();
        let name = self.name.clone();
        let request = ReleaseAgentRequest { name, ..ReleaseAgentRequest::default() };
        match answer(self.teams.release_agent(request).await) {
            Ok(_) => say("the agent's script decides again"),
            Err(error) => say(&format!("cannot hand the agent back: {error}")),
        }
        Ok(())
    }
}

fn is_about_the_order(error: &anyhow::Error) -> bool {
    error.downcast_ref::<Refused>().is_some_and(|refused| refused.reason == "ORDER_MALFORMED")
}
