//! The server over real sockets, with a backend that has no devices.

mod cancel;
mod fake;
mod http;
mod protocols;
mod refusals;
mod results;
mod wire;
