//! A server that gives back what it is sent: what HTTP itself costs on this machine.

use std::net::Ipv4Addr;

use axum::Router;
use axum::body::Bytes;
use axum::routing::post;
use tokio::net::TcpListener;
use tokio::runtime::Builder;
use ureq::Agent;

use crate::bench::stage::bug;
use crate::exit_code::Problem;

/// As long as a request for `isVisible` that names its device, in binary.
const BODY: &[u8] = b"as-long-as-a-request";

/// Asks it with the client that RPC is measured with, too. It is there until the process ends.
pub(super) fn start() -> Result<impl FnMut() -> Result<(), Problem>, Problem> {
    let runtime = Builder::new_current_thread().enable_io().build().map_err(bug)?;
    let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))).map_err(bug)?;
    let url = format!("http://{}/", listener.local_addr().map_err(bug)?);
    let router = Router::new().route("/", post(|body: Bytes| async { body }));
    std::thread::spawn(move || runtime.block_on(async { axum::serve(listener, router).await }));
    let agent: Agent = Agent::config_builder().build().into();
    Ok(move || {
        let mut response = agent.post(&url).content_type("application/proto").send(BODY).map_err(bug)?;
        match response.body_mut().read_to_vec().map_err(bug)? == BODY {
            true => Ok(()),
            false => Err(bug("the echo said something else")),
        }
    })
}
