//! Which generation of MCP a server speaks, decided once for every process.
//!
//! Since 2026-07-28 there is no handshake: `server/discover` may be asked, and every request says in its `_meta` who
//! asks. Before, `initialize` came first. A server is asked the new way. One that refuses is asked the old way at
//! once; one that ends, is silent or then refuses `initialize` too is started once more and asked the old way only.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};
use trailblaze_engine::host::Cancel;
use trailblaze_model::failure::Failure;

use super::limits::Limits;
use super::logs::cut;
use super::message::{Params, RpcError, UNSUPPORTED_VERSION};
use super::peer::{Caller, Patience, Peer};
use super::trouble::{Reach, Trouble, Web};

/// The version without a handshake.
const MODERN: &str = "2026-07-28";
/// Those with one, newest first; the first is offered.
const WITH_HANDSHAKE: &[&str] = &["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"];

/// What the members of `_meta` are called that say who asks.
pub(super) const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CLIENT_KEY: &str = "io.modelcontextprotocol/clientInfo";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";
const LOG_LEVEL_KEY: &str = "io.modelcontextprotocol/logLevel";

/// What was agreed with a server.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Agreed {
    /// The version of MCP.
    pub(super) version: String,
    /// What the server offers.
    pub(super) capabilities: Value,
}

fn client_info() -> Value {
    json!({ "name": "trailblaze", "version": env!("CARGO_PKG_VERSION") })
}

/// What stands in the `_meta` of every request of the new generation, with a comma behind it.
fn modern_meta() -> String {
    let members = json!({
        VERSION_KEY: MODERN,
        CLIENT_KEY: client_info(),
        CAPABILITIES_KEY: {},
        // Without it a server must not send log messages.
        LOG_LEVEL_KEY: "info",
    });
    let text = members.to_string();
    format!("{},", &text[1..text.len() - 1])
}

fn has_modern(versions: &Value) -> bool {
    versions.as_array().is_some_and(|versions| versions.iter().any(|version| version == MODERN))
}

/// The servers that are known to speak the old way only, by what starts them.
static OLD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Why there is no server to speak with.
#[derive(Debug)]
pub(super) enum Unopened {
    /// It could not be started.
    Start(Failure),
    /// It was asked this.
    Asked(&'static str, Trouble),
}

impl Unopened {
    pub(super) fn failure(self, name: &str) -> Failure {
        match self {
            Self::Start(failure) => failure,
            Self::Asked(method, trouble) => trouble.of_start(name, method),
        }
    }
}

/// A server that can be started, more than once.
pub(super) struct Opener<'a> {
    /// What it is remembered by, where asking once more would cost something.
    pub(super) key: Option<String>,
    pub(super) limits: Limits,
    pub(super) cancel: &'a Cancel,
    pub(super) start: &'a dyn Fn() -> Result<Peer, Failure>,
}

impl Opener<'_> {
    pub(super) fn open(&self) -> Result<(Peer, Agreed), Unopened> {
        let old = || OLD.lock().unwrap_or_else(PoisonError::into_inner);
        let is_old = self.key.as_ref().is_some_and(|key| old().contains(key));
        let opened = if is_old { self.open_old() } else { self.open_new() }?;
        if let Some(key) = self.key.clone().filter(|_| opened.1.version != MODERN) {
            old().insert(key);
        }
        Ok(opened)
    }

    fn open_new(&self) -> Result<(Peer, Agreed), Unopened> {
        let peer = (self.start)().map_err(Unopened::Start)?;
        match self.discover(&peer) {
            Ok(Some(agreed)) => return Ok((peer, agreed)),
            Err(trouble @ (Trouble::Cancelled | Trouble::Web(Web { reach: Reach::Never, .. }))) => {
                peer.stop();
                return Err(Unopened::Asked("server/discover", trouble));
            }
            Ok(None)
            | Err(
                Trouble::Refused(_) | Trouble::Nonsense(_) | Trouble::Web(Web { reach: Reach::There, .. }),
            ) => match self.initialize(&peer) {
                Ok(agreed) => return Ok((peer, agreed)),
                Err(trouble @ Trouble::Cancelled) => {
                    peer.stop();
                    return Err(Unopened::Asked("initialize", trouble));
                }
                Err(_) => {}
            },
            Err(_) => {}
        }
        peer.log("started once more: it does not know 'server/discover', and did not get over being asked");
        peer.stop();
        drop(peer);
        self.open_old()
    }

    fn open_old(&self) -> Result<(Peer, Agreed), Unopened> {
        let peer = (self.start)().map_err(Unopened::Start)?;
        let refused = match self.initialize(&peer) {
            Ok(agreed) => return Ok((peer, agreed)),
            Err(trouble) => trouble,
        };
        // A server of the new generation that was only slow to start is awake by now.
        if matches!(refused, Trouble::Refused(_))
            && let Ok(Some(agreed)) = self.discover(&peer)
        {
            return Ok((peer, agreed));
        }
        peer.stop();
        Err(Unopened::Asked("initialize", refused))
    }

    /// None where the server answers, but does not know the version.
    fn discover(&self, peer: &Peer) -> Result<Option<Agreed>, Trouble> {
        let result = match self.ask_discover(peer) {
            Err(Trouble::Refused(RpcError { code: UNSUPPORTED_VERSION, data, .. })) => {
                if !has_modern(&data["supported"]) {
                    return Ok(None);
                }
                // It refuses what it says it knows; perhaps it was not ready.
                self.ask_discover(peer)?
            }
            other => other?,
        };
        if !has_modern(&result["supportedVersions"]) {
            return Ok(None);
        }
        peer.always_say(modern_meta());
        Ok(Some(Agreed { version: MODERN.to_owned(), capabilities: result["capabilities"].clone() }))
    }

    fn ask_discover(&self, peer: &Peer) -> Result<Value, Trouble> {
        let patience = Patience::first(self.limits.probe_ms.min(self.limits.first_ms));
        let params = format!(r#"{{"_meta":{{{}}}}}"#, modern_meta().trim_end_matches(','));
        peer.request("server/discover", Params::Object(&params), patience, Caller::Start(self.cancel))
    }

    fn initialize(&self, peer: &Peer) -> Result<Agreed, Trouble> {
        let params = json!({
            "protocolVersion": WITH_HANDSHAKE[0],
            "capabilities": {},
            "clientInfo": client_info(),
        });
        let patience = Patience::first(self.limits.first_ms);
        let caller = Caller::Start(self.cancel);
        let result = peer.request("initialize", Params::Object(&params.to_string()), patience, caller)?;
        let Some(version) = result["protocolVersion"].as_str() else {
            return Err(Trouble::Nonsense("it names no 'protocolVersion'".to_owned()));
        };
        if !WITH_HANDSHAKE.contains(&version) {
            let version = cut(version, 40);
            return Err(Trouble::Nonsense(format!("it speaks MCP '{version}', which is not known here")));
        }
        peer.agreed(version);
        peer.notify("notifications/initialized", &Value::Null)?;
        let capabilities = result["capabilities"].clone();
        Ok(Agreed { version: version.to_owned(), capabilities })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asks_is_said_under_the_names_of_the_specification() {
        let meta = modern_meta().replace(env!("CARGO_PKG_VERSION"), "[version]");
        insta::assert_snapshot!(meta, @r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"trailblaze","version":"[version]"},"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"info","#);
    }
}
