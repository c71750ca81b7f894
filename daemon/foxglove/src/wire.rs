//! The messages of the Foxglove WebSocket protocol, version 1: JSON texts, and binary ones for data.
//! <https://github.com/foxglove/ws-protocol/blob/main/docs/spec.md>

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::{BufMut, Bytes, BytesMut};
use phalanx_game::sorted::SortedMap;
use phalanx_record::{Channel, ENCODING};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The names of the protocol in the handshake, the one that we like best first: that of Foxglove's
/// own libraries, and the one before it. What we send and take is the same in both.
pub(crate) const SUBPROTOCOLS: [&str; 2] = ["foxglove.sdk.v1", "foxglove.websocket.v1"];
/// What a message with data begins with.
const MESSAGE_DATA: u8 = 0x01;
/// Bytes of a message with data before its data.
const HEAD_BYTES: usize = 1 + 4 + 8;

/// A subscription's number, chosen by its client.
pub(crate) type SubscriptionId = u32;
/// A channel's number, chosen by us and never used for another one.
pub(crate) type ChannelId = u32;

/// The first of [`SUBPROTOCOLS`] that is among those a client offers, separated by commas.
pub(crate) fn subprotocol<'a>(offers: impl Iterator<Item = &'a str>) -> Option<&'static str> {
    let offered: Vec<&str> = offers.flat_map(|offer| offer.split(',')).map(str::trim).collect();
    SUBPROTOCOLS.into_iter().find(|ours| offered.contains(ours))
}

pub(crate) fn message_data(subscription: SubscriptionId, log_time: u64, data: &[u8]) -> Bytes {
    let mut bytes = BytesMut::with_capacity(HEAD_BYTES + data.len());
    bytes.put_u8(MESSAGE_DATA);
    bytes.put_u32_le(subscription);
    bytes.put_u64_le(log_time);
    bytes.put_slice(data);
    bytes.freeze()
}

/// Severity of a notice to a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoticeLevel {
    Warning,
    Error,
}

/// A text of ours.
#[derive(Debug, Serialize)]
#[serde(tag = "op", rename_all = "camelCase", rename_all_fields = "camelCase")]
enum FoxgloveMessage<'a> {
    ServerInfo {
        name: &'a str,
        capabilities: [&'a str; 0],
        metadata: &'a BTreeMap<String, String>,
        session_id: &'a str,
    },
    Status {
        level: u8,
        message: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<&'a str>,
    },
    Advertise {
        channels: Vec<Advertised<'a>>,
    },
    Unadvertise {
        channel_ids: &'a [ChannelId],
    },
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Advertised<'a> {
    id: ChannelId,
    topic: String,
    encoding: &'a str,
    schema_name: &'a str,
    schema: &'a str,
    schema_encoding: &'a str,
}

fn text(message: &FoxgloveMessage<'_>) -> String {
    // Strings and numbers in structures of ours: this cannot fail.
    serde_json::to_string(message).unwrap_or_default()
}

/// Who we are: the first text of a connection. `session` tells a client that reconnects whether we
/// are the same.
pub(crate) fn server_info(
    name: &str,
    metadata: &BTreeMap<String, String>,
    session: &str,
) -> String {
    text(&FoxgloveMessage::ServerInfo { name, capabilities: [], metadata, session_id: session })
}

/// Something for people. What has an `id` takes the place of what had the same.
pub(crate) fn status(level: NoticeLevel, message: &str, id: Option<&str>) -> String {
    let level = match level {
        NoticeLevel::Warning => 1,
        NoticeLevel::Error => 2,
    };
    text(&FoxgloveMessage::Status { level, message, id })
}

/// Schemas as the protocol wants them, by message.
#[derive(Debug, Default)]
pub(crate) struct Schemas(SortedMap<&'static str, String>);

impl Schemas {
    fn learn(&mut self, channel: Channel) {
        let encoded = || STANDARD.encode(channel.schema());
        self.0.entry(channel.message()).or_insert_with(encoded);
    }

    /// Tells which channels a team has.
    pub(crate) fn advertise(
        &mut self,
        team: &str,
        channels: impl Iterator<Item = (Channel, ChannelId)> + Clone,
    ) -> String {
        channels.clone().for_each(|(channel, _)| self.learn(channel));
        let advertised = |(channel, id): (Channel, ChannelId)| Advertised {
            id,
            topic: topic(team, channel),
            encoding: ENCODING,
            schema_name: channel.message(),
            schema: self.0.get(channel.message()).map_or("", String::as_str),
            schema_encoding: ENCODING,
        };
        text(&FoxgloveMessage::Advertise { channels: channels.map(advertised).collect() })
    }
}

/// The channel's name, and the team's before it.
fn topic(team: &str, channel: Channel) -> String {
    format!("/{team}{}", channel.topic())
}

/// Tells that channels are no more.
pub(crate) fn unadvertise(channels: &[ChannelId]) -> String {
    text(&FoxgloveMessage::Unadvertise { channel_ids: channels })
}

/// What a client wants.
#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(tag = "op", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(crate) enum FoxgloveRequest {
    Subscribe {
        subscriptions: Vec<Subscription>,
    },
    Unsubscribe {
        subscription_ids: Vec<SubscriptionId>,
    },
    /// Something that we do not offer.
    #[serde(other)]
    Other,
}

/// A client wants a channel's messages under a number of its own.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Subscription {
    pub(crate) id: SubscriptionId,
    pub(crate) channel_id: ChannelId,
}

impl FoxgloveRequest {
    /// Reads a client's text.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn data_stands_behind_its_subscription_and_its_time(
            subscription: u32,
            time: u64,
            data: Vec<u8>,
        ) {
            let bytes = message_data(subscription, time, &data);
            prop_assert_eq!(bytes[0], 1);
            prop_assert_eq!(&bytes[1..5], subscription.to_le_bytes());
            prop_assert_eq!(&bytes[5..13], time.to_le_bytes());
            prop_assert_eq!(&bytes[13..], data);
        }

        #[test]
        fn whatever_is_subscribed_is_understood(wanted: Vec<(u32, u32)>) {
            let list = wanted.iter().map(|(id, channel)| {
                serde_json::json!({ "id": id, "channelId": channel, "new": "of next year" })
            });
            let text = serde_json::json!({
                "op": "subscribe",
                "subscriptions": list.collect::<Vec<_>>(),
            });
            let subscriptions = wanted
                .iter()
                .map(|(id, channel)| Subscription { id: *id, channel_id: *channel })
                .collect();
            prop_assert_eq!(FoxgloveRequest::parse(&text.to_string()), Ok(FoxgloveRequest::Subscribe { subscriptions }));
        }

        #[test]
        fn no_text_is_too_odd_to_be_read(text in ".{0,200}") {
            // An error or a wish, never a panic.
            drop(FoxgloveRequest::parse(&text));
        }

        #[test]
        fn statuses_survive_any_words(message in ".{0,200}") {
            let told: serde_json::Value =
                serde_json::from_str(&status(NoticeLevel::Error, &message, Some("x"))).unwrap();
            prop_assert_eq!(
                told,
                serde_json::json!({ "op": "status", "level": 2, "message": message, "id": "x" })
            );
        }
    }

    #[test]
    fn wishes_are_read_and_unknown_ones_told_apart_from_broken_ones() {
        let parse = |text: &str| FoxgloveRequest::parse(text);
        let unsubscribe = parse(r#"{"op":"unsubscribe","subscriptionIds":[0,7]}"#);
        assert_eq!(unsubscribe, Ok(FoxgloveRequest::Unsubscribe { subscription_ids: vec![0, 7] }));
        assert_eq!(
            parse(r#"{"op":"getParameters","parameterNames":[]}"#),
            Ok(FoxgloveRequest::Other)
        );
        for (text, wrong) in [
            ("", "EOF"),
            ("{}", "missing field `op`"),
            (r#"{"op":"subscribe"}"#, "missing field `subscriptions`"),
            (r#"{"op":"subscribe","subscriptions":[{"id":-1,"channelId":1}]}"#, "invalid value"),
            (r#"{"op":"unsubscribe","subscriptionIds":[4294967296]}"#, "invalid value"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(wrong), "{text}: {error}");
        }
    }

    #[test]
    fn the_newer_name_of_the_protocol_is_taken_and_a_longer_one_is_another() {
        let chosen = |offers: &[&'static str]| subprotocol(offers.iter().copied());
        assert_eq!(chosen(&["foxglove.websocket.v1, foxglove.sdk.v1"]), Some("foxglove.sdk.v1"));
        assert_eq!(chosen(&["x", "foxglove.websocket.v1"]), Some("foxglove.websocket.v1"));
        assert_eq!(chosen(&["foxglove.sdk.v1.1"]), None);
        assert_eq!(chosen(&[]), None);
    }

    #[test]
    fn texts_are_as_the_specification_has_them() {
        let metadata = [("program".to_owned(), "phalanxd".to_owned())].into();
        let told = |text: String| serde_json::from_str::<serde_json::Value>(&text).unwrap();
        assert_eq!(
            told(server_info("phalanxd", &metadata, "7")),
            serde_json::json!({
                "op": "serverInfo", "name": "phalanxd", "capabilities": [],
                "metadata": { "program": "phalanxd" }, "sessionId": "7",
            })
        );
        assert_eq!(
            told(unadvertise(&[1, 2])),
            serde_json::json!({ "op": "unadvertise", "channelIds": [1, 2] })
        );
        let advertised =
            told(Schemas::default().advertise("A", [(Channel::Journal, 4)].into_iter()));
        let schema = STANDARD.encode(Channel::Journal.schema());
        assert_eq!(
            advertised,
            serde_json::json!({ "op": "advertise", "channels": [{
                "id": 4, "topic": "/A/journal", "encoding": "protobuf",
                "schemaName": "phalanx.v1.MatchEvent", "schema": schema,
                "schemaEncoding": "protobuf",
            }] })
        );
    }
}
