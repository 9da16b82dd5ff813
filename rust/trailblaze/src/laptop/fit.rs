//! What a phone is, and whether the agent can run on it: known before anything is installed.

use trailblaze_devices::adb::{self, Limit};
use trailblaze_engine::host::Cancel;
use trailblaze_model::failure::{Failure, FailureKind};

use super::SMALL;

/// The oldest Android that the agent installs on, and what people call it.
const MIN_SDK: u32 = 26;
const OLDEST: &str = "Android 8";
/// What the agent's library is built for.
const ABIS: [&str; 2] = ["arm64-v8a", "x86_64"];

/// What a phone says of itself; `?` where it says nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct About {
    maker: String,
    model: String,
    release: String,
    sdk: String,
    /// What its programs may be built for, the best one first.
    abis: Vec<String>,
}

impl About {
    pub(crate) fn ask(phone: &adb::Phone, cancel: &Cancel) -> Result<Self, adb::Error> {
        Ok(Self::read(&phone.shell("getprop", &Limit::within(SMALL, cancel))?.text()))
    }

    fn read(all: &str) -> Self {
        let get = |key: &str| property(all, key).unwrap_or("?").to_owned();
        let listed = property(all, "ro.product.cpu.abilist").filter(|listed| !listed.is_empty());
        let abis = listed.or_else(|| property(all, "ro.product.cpu.abi")).unwrap_or_default();
        Self {
            maker: get("ro.product.manufacturer"),
            model: get("ro.product.model"),
            release: get("ro.build.version.release"),
            sdk: get("ro.build.version.sdk"),
            abis: abis.split(',').filter(|abi| !abi.is_empty()).map(str::to_owned).collect(),
        }
    }

    /// Refused where the agent cannot run. A phone that does not say is tried.
    pub(crate) fn fits(&self, serial: &str) -> Result<(), Failure> {
        let refused = |message: String, hint: &str| {
            Err(Failure::new(FailureKind::Device, format!("{} ({serial}) {message}", self.model)).hint(hint))
        };
        if self.sdk.parse().is_ok_and(|sdk: u32| sdk < MIN_SDK) {
            let message = format!(
                "has Android {} (sdk {}), and the agent needs {OLDEST} (sdk {MIN_SDK}) or later",
                self.release, self.sdk
            );
            return refused(message, "take another phone, or an emulator with a newer Android");
        }
        if !self.abis.is_empty() && !self.abis.iter().any(|abi| ABIS.contains(&abi.as_str())) {
            let message = format!(
                "runs programs for {}, and the agent is for {}",
                self.abis.join(", "),
                ABIS.join(" and ")
            );
            return refused(message, "take a phone or an emulator whose Android has 64 bits");
        }
        Ok(())
    }
}

impl std::fmt::Display for About {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { maker, model, release, sdk, abis } = self;
        let abi = abis.first().map_or("?", String::as_str);
        write!(f, "{maker} {model}, Android {release} (sdk {sdk}), {abi}")
    }
}

/// `[ro.product.model]: [Pixel 8]`
fn property<'a>(all: &'a str, key: &str) -> Option<&'a str> {
    let start = format!("[{key}]: [");
    all.lines().find_map(|line| line.trim().strip_prefix(&start)?.strip_suffix(']'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(sdk: &str, abis: &str, expected: &str) {
        let all = format!(
            "[ro.build.version.release]: [9]\n[ro.build.version.sdk]: [{sdk}]\n[ro.product.cpu.abilist]: [{abis}]\n[ro.product.model]: [Pixel 8]\n"
        );
        let said =
            About::read(&all).fits("R5").map_or_else(|refused| refused.message, |()| "fine".to_owned());
        assert_eq!(said, expected);
    }

    #[test]
    fn where_the_agent_runs() {
        check("26", "arm64-v8a,armeabi-v7a,armeabi", "fine");
        check("36", "x86_64,x86", "fine");
        check("?", "", "fine");
        check(
            "25",
            "arm64-v8a",
            "Pixel 8 (R5) has Android 9 (sdk 25), and the agent needs Android 8 (sdk 26) or later",
        );
        check(
            "30",
            "armeabi-v7a,armeabi",
            "Pixel 8 (R5) runs programs for armeabi-v7a, armeabi, and the agent is for arm64-v8a and x86_64",
        );
        check("30", "x86", "Pixel 8 (R5) runs programs for x86, and the agent is for arm64-v8a and x86_64");
    }

    #[test]
    fn what_it_says_of_itself() {
        let all =
            "[ro.build.version.sdk]: [34]\n[ro.product.cpu.abi]: [x86_64]\n[ro.product.model]: [Pixel 8]\n";
        assert_eq!(About::read(all).to_string(), "? Pixel 8, Android ? (sdk 34), x86_64");
        assert_eq!(property(all, "ro.product"), None);
    }
}
