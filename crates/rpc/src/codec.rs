//! [`MessageCodec`]: messages as bytes. What comes in and is none is the sender's fault, and the refusal
//! names the message.

use std::any::type_name;
use std::marker::PhantomData;

use prost::Message;
use tonic::Status;
use tonic::codec::{Codec, DecodeBuf, Decoder};
use tonic_prost::{ProstCodec, ProstEncoder};

/// The codec of the generated client and server: it writes `Out` and reads `In`.
///
/// Bytes that are no `In` are refused with `INVALID_ARGUMENT`, where tonic's own codec would say
/// `INTERNAL`, which is a fault of the host and worth another try. The message is `In: why`, with the
/// field where one is known.
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

impl<In: Message + Default> Decoder for MessageDecoder<In> {
    type Item = In;
    type Error = Status;

    fn decode(&mut self, bytes: &mut DecodeBuf<'_>) -> Result<Option<In>, Status> {
        In::decode(bytes).map(Some).map_err(|error| {
            let path = type_name::<In>();
            let name = path.rsplit("::").next().unwrap_or(path);
            Status::invalid_argument(format!("{name}: {error}"))
        })
    }
}
