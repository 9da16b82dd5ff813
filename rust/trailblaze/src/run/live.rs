//! A session that stays open: a device that somebody drives by hand, one call after the other.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Map;
use trailblaze_engine::clock::{Clock, VirtualClock};
use trailblaze_engine::device::Device;
use trailblaze_engine::host::Cancel;
use trailblaze_engine::memory::Memory;
use trailblaze_engine::observer::{Observer, Observers};
use trailblaze_engine::registry::Registry;
use trailblaze_engine::session::{Options, Parts, Session};
use trailblaze_model::failure::Failure;
use trailblaze_model::hash::fnv1a;
use trailblaze_report::lines::JsonLines;

use super::host::Laptop;
use super::programs::Programs;
use super::reload::Reload;
use super::work::{SIM, read_app};
use super::{RunFolder, keep, places, stand_in};
use crate::authoring::Bench;
use crate::exit_code::{Exit, Problem};
use crate::files;
use crate::laptop::{Phone, STARTED_AGAIN};

/// The device of a session that stays open.
#[derive(Clone, Debug)]
pub enum Stand {
    /// A sim by this name, with the app of the target.
    Sim(Arc<str>),
    /// A phone, as it is.
    Phone(Arc<Phone>),
}

impl Stand {
    /// What the device is called.
    pub fn id(&self) -> Arc<str> {
        match self {
            Self::Sim(name) => name.clone(),
            Self::Phone(phone) => phone.attached().device().info().id.as_str().into(),
        }
    }
}

/// A session on a device, with a folder for what it leaves behind.
#[derive(Debug)]
pub struct Live {
    pub session: Session,
    folder: RunFolder,
    workspace: Option<PathBuf>,
    phone: Option<Arc<Phone>>,
    /// How its tools are read again by themselves.
    reload: Option<Reload>,
}

impl Live {
    /// Starts the app of the bench's target on a fresh sim.
    pub fn open(
        bench: &Bench,
        registry: Arc<Registry>,
        listener: Arc<dyn Observer>,
    ) -> Result<Self, Problem> {
        Self::open_on(&Stand::Sim(SIM.into()), bench, registry, listener)
    }

    /// The same on a device of one's choice.
    pub fn open_on(
        stand: &Stand,
        bench: &Bench,
        registry: Arc<Registry>,
        listener: Arc<dyn Observer>,
    ) -> Result<Self, Problem> {
        let Opened { device, clock, phone, seed } = open(stand, bench)?;
        let root = bench.workspace.root.clone();
        let here = || std::env::current_dir().unwrap_or_default();
        let folder = RunFolder::create(None, &root.clone().unwrap_or_else(here))?;
        let events = folder.path().join("events.jsonl");
        let file = std::fs::File::create(&events).map_err(|error| places::cannot(&events, &error))?;
        let lines = JsonLines::new(Box::new(file));
        let block = bench.target.as_ref().and_then(|target| target.block(bench.driver));
        let id = folder.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
        let cancel = Cancel::default();
        let session = Session::new(Parts {
            registry,
            device,
            clock: clock.clone(),
            observer: Arc::new(Observers(vec![Box::new(lines), Box::new(listener)])),
            host: Arc::new(laptop(folder.path(), root.clone(), &cancel, clock, phone.as_ref())),
            cancel,
            memory: Memory::default(),
            waypoints: bench.workspace.waypoints.clone(),
            args: Map::new(),
            trail: None,
            options: Options {
                id,
                app_id: block.and_then(|block| block.app_ids.first().cloned()),
                seed,
                ..Options::default()
            },
        });
        Ok(Self { session, folder, workspace: root, phone, reload: None })
    }

    /// Its tools can be read again by one of them.
    pub fn reloading(self, reload: Option<Reload>) -> Self {
        Self { reload, ..self }
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// What follows can be interrupted by this.
    pub fn interrupted_by(&mut self, cancel: &Cancel) {
        let clock = self.session.clock.clone();
        let (workspace, phone) = (self.workspace.clone(), self.phone.as_ref());
        let laptop = laptop(self.folder.path(), workspace, cancel, clock, phone);
        self.session.host = Arc::new(laptop.reloading(self.reload.clone()));
        self.session.cancel = cancel.clone();
    }

    /// Sees that the device is there for what follows; a phone may have been away for hours.
    pub fn look_after(&self) -> Result<(), Failure> {
        let Some(phone) = &self.phone else { return Ok(()) };
        phone.look_after()
    }

    /// What whoever drives the device should know of it before what follows.
    pub fn news(&self) -> Option<&'static str> {
        let is_anew = self.phone.as_ref().is_some_and(|phone| phone.take_is_anew());
        let news = is_anew.then_some(STARTED_AGAIN)?;
        self.session.warn(news, None);
        Some(news)
    }

    /// Leaves nothing on a phone of what was done before. A sim is made anew instead.
    pub fn make_ready(&self) -> Result<(), Failure> {
        let Some(phone) = &self.phone else { return Ok(()) };
        phone.attached().make_ready(self.session.options.app_id.as_deref())
    }

    /// Goes on with the tools and waypoints of a workspace that was read again; the device stays as it is.
    pub fn reload(&mut self, bench: &Bench, registry: Arc<Registry>) {
        self.session.set_registry(registry);
        self.session.waypoints = bench.workspace.waypoints.clone();
    }
}

/// What a session stands on.
struct Opened {
    device: Arc<dyn Device>,
    clock: Arc<dyn Clock>,
    phone: Option<Arc<Phone>>,
    seed: u64,
}

fn open(stand: &Stand, bench: &Bench) -> Result<Opened, Problem> {
    let name = match stand {
        Stand::Sim(name) => name,
        Stand::Phone(phone) => {
            let attached = phone.attached();
            let (device, clock) = (attached.device(), attached.clock());
            let seed = fnv1a(&device.info().id);
            return Ok(Opened { device, clock, phone: Some(phone.clone()), seed });
        }
    };
    let named = bench.target.as_ref().and_then(|target| target.sim_app.as_ref());
    let (Some(app), Some(root)) = (named, &bench.workspace.root) else {
        let hint = "name one as 'sim: { app: FILE }' in the target";
        return Err(Problem::new(Exit::BadDocument, "the sim has no app to run").hint(hint));
    };
    let app = read_app(files::normal(&root.join(app)), &mut Default::default())?;
    let clock: Arc<dyn Clock> = Arc::new(VirtualClock::default());
    let seed = fnv1a(&app.name);
    let device = stand_in::sim(&app, name, bench.driver, seed, clock.clone()).map_err(|failure| {
        let problem = Problem::new(Exit::Device, failure.message);
        Problem { hint: failure.hint, ..problem }
    })?;
    Ok(Opened { device, clock, phone: None, seed })
}

fn laptop(
    folder: &Path,
    workspace: Option<PathBuf>,
    cancel: &Cancel,
    clock: Arc<dyn Clock>,
    phone: Option<&Arc<Phone>>,
) -> Laptop {
    let programs = Programs::started(clock, Some(keep::LIMIT));
    let attached = phone.map(|phone| phone.attached());
    Laptop::new(folder.to_owned(), "live".to_owned(), workspace, cancel.clone(), programs, attached)
}
