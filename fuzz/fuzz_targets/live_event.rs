//! Any bytes as a kept event: reading never panics, and what reads is written and read again as it
//! was. The event holds every payload there is, so that their decoders are all reached.

#![no_main]

use libfuzzer_sys::fuzz_target;
use prost::Message;

fuzz_target!(|data: &[u8]| {
    let Ok(event) = rpc::stored_event(data) else { return };
    let bytes = rpc::event_to_wire(event.clone()).encode_to_vec();
    assert_eq!(rpc::stored_event(&bytes), Ok(event), "what is written reads back the same");
});
