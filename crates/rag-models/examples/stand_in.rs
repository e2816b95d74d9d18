//! Serves the stand-ins of providers that the tests use, so that the vendors' own clients can be driven against them.
//!
//! `cargo run -p rag-models --example stand_in -- PORT` (0 for a free one) prints the address and serves until it is
//! stopped. See `tests/contract/vendor_clients.py`.
#![expect(clippy::print_stdout, reason = "a program that reports to a person")]
#![expect(dead_code, reason = "the tests use more of the stand-ins")]
#![expect(unreachable_pub, reason = "the stand-ins are shared with the tests")]

#[path = "../tests/remote/chat.rs"]
mod chat;
#[path = "../tests/remote/messages.rs"]
mod messages;
#[path = "../tests/remote/server.rs"]
mod server;

use std::error::Error;

/// The key that the stand-ins accept.
const KEY: &str = "test-key-0123456789";

fn main() -> Result<(), Box<dyn Error>> {
    let port = std::env::args().nth(1).ok_or("usage: stand_in PORT")?.parse()?;
    let provider = server::Provider::start(port, |request| {
        if request.path.starts_with("/v1/messages") {
            messages::answer(request)
        } else {
            chat::answer(request)
        }
    })?;
    println!("{}", provider.url());
    loop {
        std::thread::park();
    }
}
