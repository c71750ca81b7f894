//! How messages become bytes and back.

use prost::Message;
use prost::bytes::{Buf, Bytes};
use std::fmt;
use std::marker::PhantomData;
use tonic::Status;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};

/// A message of any type on its way out.
pub(crate) struct Outgoing(Box<dyn Encode>);

impl Outgoing {
    pub(crate) fn new(message: impl Message + 'static) -> Self {
        Self(Box::new(message))
    }
}

impl fmt::Debug for Outgoing {
    /// Shows nothing of the message, which can have passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Outgoing")
    }
}

/// The part of `prost::Message` that works behind a pointer.
trait Encode: Send + Sync {
    fn encode_to(&self, buffer: &mut EncodeBuf<'_>);
}

impl<M: Message> Encode for M {
    fn encode_to(&self, buffer: &mut EncodeBuf<'_>) {
        self.encode(buffer).expect("the buffer grows as needed");
    }
}

/// What can be read of a frame's bytes.
pub(crate) trait Incoming: Sized + Send + 'static {
    fn read(buffer: &mut DecodeBuf<'_>) -> Result<Self, Status>;
}

impl<M: Message + Default + 'static> Incoming for M {
    fn read(buffer: &mut DecodeBuf<'_>) -> Result<Self, Status> {
        Self::decode(buffer).map_err(malformed)
    }
}

/// A message that is decoded later.
#[derive(Debug)]
pub(crate) struct Undecoded(Bytes);

impl Undecoded {
    pub(crate) fn message<M: Message + Default>(self) -> Result<M, Status> {
        M::decode(self.0).map_err(malformed)
    }
}

impl Incoming for Undecoded {
    fn read(buffer: &mut DecodeBuf<'_>) -> Result<Self, Status> {
        Ok(Self(buffer.copy_to_bytes(buffer.remaining())))
    }
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn malformed(error: prost::DecodeError) -> Status {
    Status::internal(error.to_string())
}

/// Writes any message, and reads those of one type.
pub(crate) struct MessageCodec<I>(PhantomData<fn() -> I>);

impl<I> MessageCodec<I> {
    pub(crate) const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<I: Incoming> Codec for MessageCodec<I> {
    type Encode = Outgoing;
    type Decode = I;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self::new()
    }

    fn decoder(&mut self) -> Self {
        Self::new()
    }
}

impl<I> Encoder for MessageCodec<I> {
    type Item = Outgoing;
    type Error = Status;

    fn encode(&mut self, message: Outgoing, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        message.0.encode_to(buffer);
        Ok(())
    }
}

impl<I: Incoming> Decoder for MessageCodec<I> {
    type Item = I;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<I>, Status> {
        I::read(buffer).map(Some)
    }
}
