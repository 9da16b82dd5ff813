//! The modules of a sim: ours, the app's, and the two small ones that tie them together.

use serde_json::json;
use trailblaze_engine::script::Module;
use trailblaze_model::screen::{Flag, Limits, Prop};

use super::SimOptions;

/// Begins the names of our own modules, so that their lines can be told from the app's in a stack.
pub(super) const OWN: &str = "trailblaze:sim/";

/// All modules, the main one last.
pub(super) fn all(options: &SimOptions) -> Vec<Module> {
    let own = |name: &str, source: String| Module::new(format!("{OWN}{name}"), source);
    let limits = Limits::default();
    let config = json!({
        "width": options.width,
        "height": options.height,
        // The generator takes 32 bits.
        "seed": (options.seed ^ (options.seed >> 32)) as u32,
        "props": Prop::ALL.map(Prop::key),
        "flags": Flag::ALL.map(Flag::key),
        "maxNodes": limits.nodes,
        "maxDepth": limits.depth,
    });
    let app = json!(options.app.name);
    vec![
        own("config", format!("export const config = {config};")),
        own("app", format!("export * as loaded from {app};")),
        options.app.clone(),
        own("world", include_str!("js/world.js").into()),
        own("tree", include_str!("js/tree.js").into()),
        own("windows", include_str!("js/windows.js").into()),
        own("apps", include_str!("js/apps.js").into()),
        own("main", include_str!("js/sim.js").into()),
    ]
}
