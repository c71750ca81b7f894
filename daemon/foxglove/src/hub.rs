//! Which teams have which channels, and who subscribed to them.

use crate::outbox::Outbox;
use crate::wire::{
    self, ChannelId, FoxgloveRequest, NoticeLevel, Schemas, Subscription, SubscriptionId,
};
use phalanx_game::sorted::{SortedMap, SortedSet};
use phalanx_record::{Audience, Channel, LiveFeed, LiveMessage, QueueLimits, RecordingInfo};
use std::io;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use tokio::sync::{Notify, OwnedSemaphorePermit};
use tokio_util::sync::CancellationToken;

/// How it goes, since the begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FoxgloveStatus {
    /// Clients that are connected.
    pub clients: u64,
    /// Messages of channels that were sent.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Messages that clients missed since they, or we, were too slow.
    pub lost: u64,
    /// Clients that were refused, since their page's origin is foreign.
    pub foreign: u64,
    /// Clients that were refused, since there were too many.
    pub too_many: u64,
    /// Clients that were refused, since they speak another protocol, or none.
    pub strangers: u64,
}

/// The figures, as they are counted.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    pub(crate) messages: AtomicU64,
    pub(crate) bytes: AtomicU64,
    pub(crate) lost: AtomicU64,
    pub(crate) foreign: AtomicU64,
    pub(crate) too_many: AtomicU64,
    pub(crate) strangers: AtomicU64,
}

impl Figures {
    pub(crate) fn add(figure: &AtomicU64, more: u64) {
        figure.fetch_add(more, Ordering::Relaxed);
    }
}

/// Teams, channels and clients. Teams never wait for its lock, only the threads that make messages
/// and the tasks of clients do.
#[derive(Debug, Default)]
pub(crate) struct Hub {
    state: Mutex<HubState>,
    /// A team has ended.
    ended: Notify,
    pub(crate) figures: Figures,
}

/// Most characters of a complaint about what a client sent.
const COMPLAINT_CHARS_MAX: usize = 400;
/// Most wrong subscriptions of one message that are reported.
const COMPLAINTS_MAX: usize = 16;

/// Teams are numbered: a name may come again.
type TeamNumber = u64;
type ClientNumber = u64;

#[derive(Debug, Default)]
struct HubState {
    teams: SortedMap<TeamNumber, PublishedTeam>,
    clients: SortedMap<ClientNumber, HubClient>,
    schemas: Schemas,
    /// Numbers that were given away.
    last_team: TeamNumber,
    last_client: ClientNumber,
    last_channel: ChannelId,
}

#[derive(Debug)]
struct PublishedTeam {
    name: String,
    feed: Weak<LiveFeed>,
    channels: SortedMap<Channel, ChannelId>,
}

/// A client, and what it subscribed to.
#[derive(Debug)]
struct HubClient {
    outbox: Arc<Outbox>,
    guest: AdmittedClient,
    subscriptions: SortedMap<SubscriptionId, ChannelId>,
    channels: SortedMap<ChannelId, SubscriptionId>,
}

/// A client that was let in.
#[derive(Debug)]
pub(crate) struct AdmittedClient {
    pub(crate) address: IpAddr,
    /// One of the places.
    pub(crate) place: OwnedSemaphorePermit,
    /// Ends its connection.
    pub(crate) leaving: CancellationToken,
}

/// A team's side of the hub.
#[derive(Debug)]
struct Stalls {
    hub: Arc<Hub>,
    team: TeamNumber,
}

impl Audience for Stalls {
    fn opened(&self, channels: &[Channel]) {
        self.hub.state().open(self.team, channels);
    }

    fn show(&self, message: &LiveMessage) {
        let lost = self.hub.state().show(self.team, message);
        Figures::add(&self.hub.figures.lost, lost);
    }

    fn missed(&self, entries: u64) {
        let clients = self.hub.state().missed(self.team, entries);
        Figures::add(&self.hub.figures.lost, entries * clients);
    }

    fn over(&self) {
        self.hub.state().end(self.team);
        self.hub.ended.notify_waiters();
    }
}

impl Hub {
    fn state(&self) -> MutexGuard<'_, HubState> {
        // Each change is one step: it is whole even when its holder panicked.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows a team from here on.
    pub(crate) fn begin(self: &Arc<Self>, info: RecordingInfo) -> io::Result<Arc<LiveFeed>> {
        let team = self.state().announce(info.team.clone());
        let stalls = Arc::new(Stalls { hub: Arc::clone(self), team });
        let feed = LiveFeed::begin(info, QueueLimits::default(), stalls);
        match &feed {
            Ok(feed) => self.state().attach(team, feed),
            Err(_) => self.state().end(team),
        }
        feed
    }

    /// Somebody came; `hello` is said first.
    pub(crate) fn join(
        &self,
        outbox: Arc<Outbox>,
        hello: String,
        guest: AdmittedClient,
    ) -> ClientNumber {
        self.state().join(outbox, hello, guest)
    }

    /// Ends a client that makes room for another one, from this address; its place, where there is
    /// such a client.
    pub(crate) fn crowd_out(&self, address: IpAddr) -> Option<OwnedSemaphorePermit> {
        self.state().crowd_out(address)
    }

    /// Somebody went.
    pub(crate) fn leave(&self, client: ClientNumber) {
        self.state().leave(client);
    }

    /// A client said something. Whatever it is, it gets an answer at most.
    pub(crate) fn said(&self, client: ClientNumber, text: &str) {
        let wish = FoxgloveRequest::parse(text);
        self.state().grant(client, wish);
    }

    /// Something for a client to read.
    pub(crate) fn complain(&self, client: ClientNumber, message: &str) {
        self.state().complain(client, message);
    }

    /// Waits until no team is shown any more.
    pub(crate) async fn emptied(&self) {
        loop {
            let mut ended = pin!(self.ended.notified());
            // From here on no end is missed.
            ended.as_mut().enable();
            if self.state().teams.is_empty() {
                return;
            }
            ended.await;
        }
    }

    /// No client gets anything any more, beside what waits for it.
    pub(crate) fn close(&self) {
        self.state().clients.values().for_each(|client| client.outbox.close());
    }

    pub(crate) fn status(&self) -> FoxgloveStatus {
        let read = |figure: &AtomicU64| figure.load(Ordering::Relaxed);
        let figures = &self.figures;
        FoxgloveStatus {
            clients: self.state().clients.len() as u64,
            messages: read(&figures.messages),
            bytes: read(&figures.bytes),
            lost: read(&figures.lost),
            foreign: read(&figures.foreign),
            too_many: read(&figures.too_many),
            strangers: read(&figures.strangers),
        }
    }
}

impl HubState {
    fn announce(&mut self, name: String) -> TeamNumber {
        self.last_team += 1;
        let shown = PublishedTeam { name, feed: Weak::new(), channels: SortedMap::new() };
        self.teams.insert(self.last_team, shown);
        self.last_team
    }

    fn attach(&mut self, team: TeamNumber, feed: &Arc<LiveFeed>) {
        if let Some(shown) = self.teams.get_mut(&team) {
            shown.feed = Arc::downgrade(feed);
        }
        self.want(team, &[]);
    }

    fn open(&mut self, team: TeamNumber, channels: &[Channel]) {
        let Some(shown) = self.teams.get_mut(&team) else { return };
        let mut new = Vec::new();
        for channel in channels {
            // What no recording has a number for is not shown either.
            if channel.number().is_some() && !shown.channels.contains_key(channel) {
                self.last_channel = self.last_channel.wrapping_add(1);
                shown.channels.insert(*channel, self.last_channel);
                new.push((*channel, self.last_channel));
            }
        }
        if !new.is_empty() {
            let text = self.schemas.advertise(&shown.name, new.into_iter());
            self.clients.values().for_each(|client| client.outbox.text(text.clone()));
        }
    }

    fn show(&self, team: TeamNumber, message: &LiveMessage) -> u64 {
        let Some(channel) = self.channel(team, message.channel) else { return 0 };
        let subscribed = |client: &HubClient| {
            let subscription = client.channels.get(&channel)?;
            Some(client.outbox.data(*subscription, message.clone()))
        };
        self.clients.values().filter_map(subscribed).sum()
    }

    fn channel(&self, team: TeamNumber, channel: Channel) -> Option<ChannelId> {
        self.teams.get(&team)?.channels.get(&channel).copied()
    }

    /// Tells those who look at the team; how many they are.
    fn missed(&self, team: TeamNumber, entries: u64) -> u64 {
        let Some(shown) = self.teams.get(&team) else { return 0 };
        let looks = |client: &&HubClient| {
            shown.channels.values().any(|channel| client.channels.contains_key(channel))
        };
        let missed = self.clients.values().filter(looks);
        missed.map(|client| client.outbox.missed(entries)).count() as u64
    }

    fn end(&mut self, team: TeamNumber) {
        let Some(shown) = self.teams.remove(&team) else { return };
        let gone: Vec<_> = shown.channels.into_values().collect();
        for client in self.clients.values_mut() {
            for channel in &gone {
                if let Some(subscription) = client.channels.remove(channel) {
                    client.subscriptions.remove(&subscription);
                }
            }
            if !gone.is_empty() {
                client.outbox.text(wire::unadvertise(&gone));
            }
        }
    }

    /// The client that looks at nothing, or has lost messages since it reads too slowly, and came
    /// first; else the newest one of the address with the most clients, where the newcomer's has
    /// at least two fewer.
    fn crowd_out(&mut self, address: IpAddr) -> Option<OwnedSemaphorePermit> {
        let useless =
            |client: &HubClient| client.subscriptions.is_empty() || client.outbox.is_behind();
        let oldest = self.clients.iter().find(|(_, client)| useless(client)).map(|(n, _)| *n);
        let crowded = || {
            let of =
                |from: IpAddr| self.clients.values().filter(|c| c.guest.address == from).count();
            let most = self.clients.values().map(|c| c.guest.address).max_by_key(|a| of(*a))?;
            let newest = self.clients.iter().rev().find(|(_, c)| c.guest.address == most);
            newest.filter(|_| of(most) > of(address) + 1).map(|(number, _)| *number)
        };
        let number = oldest.or_else(crowded)?;
        let gone = self.remove(number)?;
        gone.leaving.cancel();
        Some(gone.place)
    }

    fn join(&mut self, outbox: Arc<Outbox>, hello: String, guest: AdmittedClient) -> ClientNumber {
        outbox.text(hello);
        // A client that finds no team gets a notice, too.
        if self.teams.is_empty() {
            outbox.text(self.schemas.advertise("", std::iter::empty()));
        }
        for shown in self.teams.values() {
            let channels = shown.channels.iter().map(|(channel, id)| (*channel, *id));
            outbox.text(self.schemas.advertise(&shown.name, channels));
        }
        self.last_client += 1;
        let (subscriptions, channels) = (SortedMap::new(), SortedMap::new());
        let client = HubClient { outbox, guest, subscriptions, channels };
        self.clients.insert(self.last_client, client);
        self.last_client
    }

    fn leave(&mut self, client: ClientNumber) {
        drop(self.remove(client));
    }

    fn remove(&mut self, client: ClientNumber) -> Option<AdmittedClient> {
        let gone = self.clients.remove(&client)?;
        for team in self.teams_of(gone.channels.keys().copied().collect()) {
            self.want(team, &[]);
        }
        Some(gone.guest)
    }

    fn complain(&self, client: ClientNumber, message: &str) {
        if let Some(client) = self.clients.get(&client) {
            // It may repeat what the client sent.
            let short: String = message.chars().take(COMPLAINT_CHARS_MAX).collect();
            client.outbox.text(wire::status(NoticeLevel::Error, &short, None));
        }
    }

    fn grant(&mut self, client: ClientNumber, wish: Result<FoxgloveRequest, String>) {
        match wish {
            Ok(FoxgloveRequest::Subscribe { subscriptions }) => {
                self.subscribe(client, &subscriptions)
            }
            Ok(FoxgloveRequest::Unsubscribe { subscription_ids }) => {
                self.unsubscribe(client, &subscription_ids);
            }
            Ok(FoxgloveRequest::Other) => {
                self.complain(client, "this server only shows: it knows subscribe and unsubscribe")
            }
            Err(error) => {
                let text = format!("expected a JSON object with a known \"op\": {error}");
                self.complain(client, &text);
            }
        }
    }

    fn subscribe(&mut self, number: ClientNumber, wanted: &[Subscription]) {
        let Some(client) = self.clients.get_mut(&number) else { return };
        let known: SortedSet<_> =
            self.teams.values().flat_map(|team| team.channels.values().copied()).collect();
        let mut fresh = SortedSet::new();
        let mut complaints = Vec::new();
        for Subscription { id, channel_id } in wanted {
            let complaint = if !known.contains(channel_id) {
                format!("subscription {id}: there is no channel {channel_id}")
            } else if client.subscriptions.contains_key(id) {
                format!("subscription {id}: the number is in use")
            } else if let Some(other) = client.channels.get(channel_id) {
                format!("subscription {id}: {other} has channel {channel_id} already")
            } else {
                client.subscriptions.insert(*id, *channel_id);
                client.channels.insert(*channel_id, *id);
                fresh.insert(*channel_id);
                continue;
            };
            complaints.push(complaint);
            complaints.truncate(COMPLAINTS_MAX);
        }
        if !complaints.is_empty() {
            // One text, however many there are.
            self.complain(number, &complaints.join("; "));
        }
        for team in self.teams_of(fresh.clone()) {
            self.greet(number, team, &fresh);
        }
    }

    /// Hands a client what is kept of the channels that it begins to look at.
    fn greet(&mut self, number: ClientNumber, team: TeamNumber, fresh: &SortedSet<ChannelId>) {
        let Some(shown) = self.teams.get(&team) else { return };
        let fresh = shown.channels.iter().filter(|(_, id)| fresh.contains(id));
        let fresh: Vec<Channel> = fresh.map(|(channel, _)| *channel).collect();
        let kept = self.want(team, &fresh);
        let Some(client) = self.clients.get(&number) else { return };
        for message in kept {
            let channel = self.channel(team, message.channel);
            if let Some(subscription) = channel.and_then(|id| client.channels.get(&id)) {
                client.outbox.data(*subscription, message);
            }
        }
    }

    fn unsubscribe(&mut self, number: ClientNumber, ended: &[SubscriptionId]) {
        let Some(client) = self.clients.get_mut(&number) else { return };
        let mut channels = SortedSet::new();
        for id in ended {
            // What ended with its team may be on its way: that is no mistake.
            if let Some(channel) = client.subscriptions.remove(id) {
                client.channels.remove(&channel);
                client.outbox.forget(*id);
                channels.insert(channel);
            }
        }
        for team in self.teams_of(channels) {
            self.want(team, &[]);
        }
    }

    /// The teams that have any of these channels.
    fn teams_of(&self, channels: SortedSet<ChannelId>) -> Vec<TeamNumber> {
        let has = |shown: &PublishedTeam| shown.channels.values().any(|id| channels.contains(id));
        self.teams.iter().filter(|(_, shown)| has(shown)).map(|(team, _)| *team).collect()
    }

    /// Tells a team's feed what is wanted now; what it keeps of `fresh`.
    fn want(&self, team: TeamNumber, fresh: &[Channel]) -> Vec<LiveMessage> {
        let Some(shown) = self.teams.get(&team) else { return Vec::new() };
        let Some(feed) = shown.feed.upgrade() else { return Vec::new() };
        let looked_at =
            |id: &ChannelId| self.clients.values().any(|client| client.channels.contains_key(id));
        let wanted = shown.channels.iter().filter(|(_, id)| looked_at(id));
        feed.want(wanted.map(|(channel, _)| *channel).collect(), fresh)
    }
}
