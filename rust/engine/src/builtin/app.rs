//! Apps and links, and what an app notices of the device: the network, how it is held, where it is.

use serde::Deserialize;
use serde_json::json;
use trailblaze_model::action::Action;
use trailblaze_model::failure::Failure;
use trailblaze_model::flags::ToolFlags;

use super::{BuiltIn, Entry, helper, not_for_llm};
use crate::commands::Launch;
use crate::dispatch::{Context, Output};

pub(super) const TOOLS: &[Entry] = &[
    Entry::of::<LaunchApp>(),
    Entry::of::<StopApp>(),
    Entry::of::<OpenUrl>(),
    Entry::of::<ClearAppData>(),
    Entry::of::<ClearPackageData>(),
    Entry::of::<GrantPermission>(),
    Entry::of::<DeviceShell>(),
    Entry::of::<ListInstalledApps>(),
    Entry::of::<ListInstalledAppsDetailed>(),
    Entry::of::<NetworkConnection>(),
    Entry::of::<SetOrientation>(),
    Entry::of::<SetLocation>(),
];

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, serde::Serialize))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum LaunchMode {
    /// Stop it, clear its data, start it
    #[default]
    Reinstall,
    /// Start it as it is
    Resume,
    /// Stop it, start it
    ForceRestart,
}

/// Start an app and wait until it is in front.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct LaunchApp {
    /// The id of the app
    app_id: String,
    /// REINSTALL stops the app and clears its data first, FORCE_RESTART only stops it, RESUME does neither
    #[serde(default)]
    launch_mode: LaunchMode,
}

impl BuiltIn for LaunchApp {
    const NAME: &'static str = "launchApp";

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        let launch = Launch {
            stop_first: self.launch_mode != LaunchMode::Resume,
            clear_first: self.launch_mode == LaunchMode::Reinstall,
            ..Launch::default()
        };
        context.commands().launch_app(&self.app_id, launch)?;
        Ok(Output::default())
    }
}

/// Stop an app.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct StopApp {
    /// The id of the app
    app_id: String,
}

impl BuiltIn for StopApp {
    const NAME: &'static str = "stopApp";

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        context.commands().stop_app(&self.app_id)?;
        Ok(Output::default())
    }
}

/// Open a link with the app that the device has for it.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OpenUrl {
    /// The link
    url: String,
}

impl BuiltIn for OpenUrl {
    const NAME: &'static str = "openUrl";

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        context.commands().open_link(&self.url)?;
        Ok(Output::default())
    }
}

/// Clear all data of an app.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct ClearAppData {
    /// The id of the app
    app_id: String,
}

impl BuiltIn for ClearAppData {
    const NAME: &'static str = "mobile_clearAppData";

    fn flags() -> ToolFlags {
        not_for_llm()
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        context.commands().clear_app_data(&self.app_id)?;
        Ok(Output::default())
    }
}

/// Clear all data of an app.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct ClearPackageData {
    /// The id of the app
    package_id: String,
}

impl BuiltIn for ClearPackageData {
    const NAME: &'static str = "clearAppData";

    fn flags() -> ToolFlags {
        not_for_llm()
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        context.commands().clear_app_data(&self.package_id)?;
        Ok(Output::default())
    }
}

/// Grant a permission to an app.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct GrantPermission {
    /// The id of the app
    package_id: String,
    /// The permission, such as android.permission.CAMERA
    permission: String,
}

impl BuiltIn for GrantPermission {
    const NAME: &'static str = "grantPermission";

    fn flags() -> ToolFlags {
        not_for_llm()
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        context.commands().set_permission(&self.package_id, &self.permission, true)?;
        Ok(Output::default())
    }
}

/// Run a line of shell on the device.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct DeviceShell {
    /// The line
    command: String,
}

impl BuiltIn for DeviceShell {
    const NAME: &'static str = "adbShell";

    fn flags() -> ToolFlags {
        not_for_llm()
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        Ok(Output::message(context.commands().shell(&self.command)?))
    }
}

fn list_apps(context: &Context<'_>) -> Result<Output, Failure> {
    let apps = context.session.device().installed_apps()?;
    Ok(Output { message: apps.join("\n"), structured: Some(json!({ "apps": apps })), ..Output::default() })
}

/// List the ids of the installed apps.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ListInstalledApps {}

impl BuiltIn for ListInstalledApps {
    const NAME: &'static str = "mobile_listInstalledApps";

    fn flags() -> ToolFlags {
        ToolFlags { is_recordable: false, ..ToolFlags::default() }
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        list_apps(context)
    }
}

/// List the installed apps with what is known of them.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct ListInstalledAppsDetailed {
    /// Also the apps of the system
    #[serde(default = "yes", rename = "includeSystemApps")]
    _include_system_apps: bool,
}

fn yes() -> bool {
    true
}

impl BuiltIn for ListInstalledAppsDetailed {
    const NAME: &'static str = "mobile_listInstalledAppsDetailed";

    fn flags() -> ToolFlags {
        helper()
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        list_apps(context)
    }
}

/// Connect the device to the network or cut it off.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct NetworkConnection {
    /// Whether there is a network
    connected: bool,
}

impl BuiltIn for NetworkConnection {
    const NAME: &'static str = "networkConnection";

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        context.commands().act(Action::SetConnected { connected: self.connected })?;
        Ok(Output::default())
    }
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Orientation {
    Portrait,
    LandscapeLeft,
    LandscapeRight,
    UpsideDown,
}

impl From<Orientation> for trailblaze_model::action::Orientation {
    fn from(orientation: Orientation) -> Self {
        match orientation {
            Orientation::Portrait => Self::Portrait,
            Orientation::LandscapeLeft => Self::LandscapeLeft,
            Orientation::LandscapeRight => Self::LandscapeRight,
            Orientation::UpsideDown => Self::UpsideDown,
        }
    }
}

/// Turn the device. It is turned back after the trail.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SetOrientation {
    /// How it is held; LANDSCAPE_LEFT is a quarter turn to the left
    orientation: Orientation,
}

impl BuiltIn for SetOrientation {
    const NAME: &'static str = "setOrientation";

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        context.commands().set_orientation(self.orientation.into())?;
        Ok(Output::default())
    }
}

/// Let the device be at another place until the end of the trail.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SetLocation {
    /// Degrees from the equator, -90 to 90; the south is negative
    #[cfg_attr(test, schemars(range(min = -90.0, max = 90.0)))]
    latitude: f64,
    /// Degrees from Greenwich, -180 to 180; the west is negative
    #[cfg_attr(test, schemars(range(min = -180.0, max = 180.0)))]
    longitude: f64,
}

impl BuiltIn for SetLocation {
    const NAME: &'static str = "setLocation";

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        context.commands().set_location(self.latitude, self.longitude)?;
        Ok(Output::default())
    }
}
