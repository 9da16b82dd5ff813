//! The server over real sockets, with a backend that has no devices.

mod bad_input;
mod cancel;
mod fake;
mod http;
mod line;
mod protocols;
mod refusals;
mod results;
mod wire;
