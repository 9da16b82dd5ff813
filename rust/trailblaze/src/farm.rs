//! Device farms: what each of them takes for a run, and one report out of what came back.
//!
//! A farm takes two APKs and arguments, and gives files. Nothing here talks to one: a plan is files and the command to
//! type, and collecting reads a folder.

mod apk;
mod aws;
pub mod collect;
mod device;
mod device_run;
mod firebase;
mod flank;
mod folder;
mod limits;
mod options;
pub mod plan;
mod script;
mod shards;

pub use device::Kind;
pub use shards::Shards;

/// The package of the agent, unless it was packed under another name.
const PACKAGE: &str = "dev.trailblaze.agent";
/// The lowest API level that the agent runs on.
const MIN_SDK: u32 = 26;
/// The file of a plan that `collect` reads.
pub const PLAN: &str = "plan.json";
/// The folder that the commands of a plan fetch results into.
const RESULTS: &str = "results";

/// A device farm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Farm {
    Firebase,
    DeviceRun,
    Aws,
}

impl Farm {
    pub const ALL: [Self; 3] = [Self::Firebase, Self::DeviceRun, Self::Aws];

    pub const fn key(self) -> &'static str {
        match self {
            Self::Firebase => "firebase",
            Self::DeviceRun => "device-run",
            Self::Aws => "aws",
        }
    }

    /// What lists its devices.
    const fn device_list(self) -> &'static str {
        match self {
            Self::Firebase => "gcloud firebase test android models list",
            Self::DeviceRun => "gcloud beta device-run devices list",
            Self::Aws => "aws devicefarm list-devices --region us-west-2",
        }
    }

    /// How its devices are written.
    const fn device_hint(self) -> &'static str {
        match self {
            Self::Firebase => {
                "write MODEL-VERSION, such as 'shiba-34'; 'gcloud firebase test android models list' lists them"
            }
            Self::DeviceRun => {
                "write MODEL-VERSION, such as 'shiba-34'; 'gcloud beta device-run devices list' lists them"
            }
            Self::Aws => {
                "write models such as 'Google Pixel 8', or the ARN of a device pool; 'aws devicefarm list-devices --region us-west-2' lists them"
            }
        }
    }
}

/// Where the agent leaves its reports on a phone.
fn reports_folder(package: &str) -> String {
    format!("/sdcard/Android/data/{package}/files/reports")
}
