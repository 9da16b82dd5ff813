//! Where tools of other processes call back: the calls that are under way, and the one server that they reach.

use std::sync::{Arc, OnceLock};

use axum::Router;
use trailblaze_engine::memory::Secret;
use trailblaze_mcp::callback;
use trailblaze_mcp::client::calls::Calls;
use trailblaze_rpc::Options;

use crate::env_vars;
use crate::exit_code::{Exit, Problem};
use crate::loopback::{Loopback, Port};
use crate::rpc::Switchboard;

/// The token of the command line, else of the environment, where other users do not see it.
pub fn token(given: Option<Secret>) -> Result<Option<Secret>, Problem> {
    let variable = || std::env::var(env_vars::TRAILBLAZE_RPC_TOKEN.name).ok().map(Secret::new);
    match given.or_else(variable) {
        // Whoever wants one is not to be served without.
        Some(token) if token.reveal().is_empty() => {
            let message =
                format!("the token of '--rpc-token' or {} is empty", env_vars::TRAILBLAZE_RPC_TOKEN.name);
            Err(Problem::new(Exit::Usage, message).hint("give it a value, or leave it out"))
        }
        token => Ok(token),
    }
}

/// Shared by everything in this process that starts toolset servers.
#[derive(Debug, Default)]
pub struct Endpoint {
    switchboard: Arc<Switchboard>,
    /// What callers over RPC have to bring.
    token: Option<Secret>,
    /// Started by the first who needs it.
    loopback: OnceLock<Result<Loopback, Problem>>,
}

impl Endpoint {
    /// For so many devices, with the names that are known of them; with a token, nobody else may call them over RPC.
    pub fn new(devices: usize, names: Vec<Arc<str>>, token: Option<Secret>) -> Self {
        let switchboard = Arc::new(Switchboard::for_devices(devices, names));
        Self { switchboard, token, loopback: OnceLock::new() }
    }

    /// For one device, with the token of the environment.
    pub fn for_one() -> Result<Arc<Self>, Problem> {
        Ok(Arc::new(Self::new(1, Vec::new(), token(None)?)))
    }

    /// Starts it at once, with more that is answered on the same port. What is served may hold the endpoint itself: it
    /// must start no toolset server before this.
    pub fn serve(&self, router: Router, port: Port) -> Result<&Loopback, Problem> {
        let start = || Loopback::start(self.router().merge(router), port);
        self.loopback.get_or_init(start).as_ref().map_err(Clone::clone)
    }

    pub fn loopback(&self) -> Result<&Loopback, Problem> {
        self.serve(Router::new(), Port::Any)
    }

    fn router(&self) -> Router {
        let options = Options { token: self.token.clone(), ..Options::default() };
        let rpc = trailblaze_rpc::router(self.switchboard.clone(), options);
        callback::router(self.calls().clone()).merge(rpc)
    }

    pub fn calls(&self) -> &Arc<Calls> {
        self.switchboard.calls()
    }

    pub fn switchboard(&self) -> &Arc<Switchboard> {
        &self.switchboard
    }

    pub fn token(&self) -> Option<&Secret> {
        self.token.as_ref()
    }
}
