//! What calls over RPC cost on the sim, and that many of them at once do not meet.

mod calls;
mod crowd;
mod echo;
mod visit;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use axum::Router;
use serde_json::{Map, Value, json};
use trailblaze_engine::observer::{Observer, Observers};
use trailblaze_engine::registry::Registry;
use trailblaze_engine::session::Session;
use trailblaze_mcp::client::calls::Calls;
use trailblaze_model::driver::AgentMode;

use super::APP;
use super::stage::{DRIVER, Folder, bug, dispatch, rounded};
use crate::authoring::Bench;
use crate::endpoint::Endpoint;
use crate::exit_code::Problem;
use crate::loopback::Port;
use crate::run::{Live, Stand};

/// Each by its name in the output.
type Figures = Vec<(&'static str, f64)>;

/// The figures of calls over RPC.
pub fn rpc() -> Result<Value, Problem> {
    // What is measured first finds memory that nothing else has stretched.
    let mut figures = crowd::figures()?;
    figures.extend(calls::figures()?);
    let figures: Map<String, Value> =
        figures.into_iter().map(|(key, value)| (key.to_owned(), rounded(value))).collect();
    Ok(Value::Object(figures))
}

/// What `trailblaze serve` is made of.
struct Server {
    bench: Arc<Bench>,
    /// The tools of the workspace, which are the built-in ones.
    registry: Arc<Registry>,
    endpoint: Endpoint,
    base_url: String,
    _folder: Folder,
}

impl Server {
    fn start(devices: usize) -> Result<Self, Problem> {
        let folder = Folder::below(&std::env::temp_dir())?;
        write_workspace(&folder.0).map_err(bug)?;
        let mut bench = Bench::open(Some(folder.0.clone()), None, Some(DRIVER), AgentMode::Host)?;
        let registry = bench.registry(None)?;
        if let Some(problem) = bench.problems.first() {
            return Err(bug(problem));
        }
        let endpoint = Endpoint::new(devices, Vec::new(), None);
        let base_url = endpoint.serve(Router::new(), Port::Any)?.base_url();
        Ok(Self { bench: Arc::new(bench), registry, endpoint, base_url, _folder: folder })
    }

    fn calls(&self) -> &Arc<Calls> {
        self.endpoint.calls()
    }
}

fn write_workspace(folder: &Path) -> std::io::Result<()> {
    let targets = folder.join("trailblaze-config").join("targets");
    fs::create_dir_all(&targets)?;
    fs::write(folder.join("trailblaze.yaml"), "target: bench\nplatform: android\n")?;
    let target = "\
id: bench
display_name: Bench
sim: { app: ./app.js }
platforms: { android: { app_ids: [bench] } }
";
    fs::write(targets.join("bench.yaml"), target)?;
    fs::write(folder.join("app.js"), APP)
}

/// A device that shows a number.
fn open(device: &str, number: usize, bench: &Bench, registry: Arc<Registry>) -> Result<Live, Problem> {
    let live = Live::open_on(&Stand::Sim(device.into()), bench, registry, nobody())?;
    launch(&live.session)?;
    (0..number).try_for_each(|_| dispatch(&live.session, "tap", json!({ "id": "plus" })))?;
    Ok(live)
}

fn launch(session: &Session) -> Result<(), Problem> {
    dispatch(session, "launchApp", json!({ "appId": "bench" }))
}

fn nobody() -> Arc<dyn Observer> {
    Arc::new(Observers(Vec::new()))
}
