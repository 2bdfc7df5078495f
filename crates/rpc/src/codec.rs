//! [`MessageCodec`]: encodes and decodes messages. An invalid message is the sender's error, and the
//! status names the message.

use std::any::type_name;
use std::marker::PhantomData;

use prost::Message;
use prost::bytes::Buf as _;
use tonic::Status;
use tonic::codec::{Codec, DecodeBuf, Decoder};
use tonic_prost::{ProstCodec, ProstEncoder};

use crate::check_encoded_size;

/// The codec of the generated client and server: it writes `Out` and reads `In`.
///
/// Bytes that are not an `In` are rejected with `INVALID_ARGUMENT`. tonic's own codec returns
/// `INTERNAL`, which means a fault of the host and invites a retry. The message is `In: why`, with the
/// field if it is known. One that has more than the page can show is rejected before it is decoded.
#[derive(Debug, Clone)]
pub struct MessageCodec<Out, In> {
    messages: PhantomData<(Out, In)>,
}

impl<Out, In> Default for MessageCodec<Out, In> {
    fn default() -> Self {
        Self { messages: PhantomData }
    }
}

impl<Out, In> Codec for MessageCodec<Out, In>
where
    Out: Message + Send + 'static,
    In: Message + Default + Send + 'static,
{
    type Encode = Out;
    type Decode = In;
    type Encoder = ProstEncoder<Out>;
    type Decoder = MessageDecoder<In>;

    fn encoder(&mut self) -> Self::Encoder {
        ProstCodec::<Out, In>::default().encoder()
    }

    fn decoder(&mut self) -> Self::Decoder {
        MessageDecoder { message: PhantomData }
    }
}

/// Reads `In`.
#[derive(Debug, Clone)]
pub struct MessageDecoder<In> {
    message: PhantomData<In>,
}

impl<In: Message + Default + 'static> Decoder for MessageDecoder<In> {
    type Item = In;
    type Error = Status;

    fn decode(&mut self, bytes: &mut DecodeBuf<'_>) -> Result<Option<In>, Status> {
        // They are contiguous.
        check_encoded_size::<In>(bytes.chunk())
            .map_err(|error| Status::invalid_argument(error.to_string()))?;
        In::decode(bytes).map(Some).map_err(|error| {
            let path = type_name::<In>();
            let name = path.rsplit("::").next().unwrap_or(path);
            Status::invalid_argument(format!("{name}: {error}"))
        })
    }
}
