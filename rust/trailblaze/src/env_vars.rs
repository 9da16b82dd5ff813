//! Every environment variable that Trailblaze reads, in one place.

use std::path::PathBuf;

/// A variable and what it is for.
#[derive(Clone, Copy, Debug)]
pub struct EnvVar {
    pub name: &'static str,
    pub meaning: &'static str,
}

impl EnvVar {
    pub fn is_set(self) -> bool {
        self.path().is_some()
    }

    pub fn text(self) -> Option<String> {
        std::env::var(self.name).ok().filter(|value| !value.is_empty())
    }

    pub fn path(self) -> Option<PathBuf> {
        std::env::var_os(self.name).filter(|value| !value.is_empty()).map(PathBuf::from)
    }
}

/// Set by people who want no colours anywhere.
pub const NO_COLOR: EnvVar = EnvVar { name: "NO_COLOR", meaning: "Output has no colours when it is set" };

pub const XDG_CACHE_HOME: EnvVar = EnvVar {
    name: "XDG_CACHE_HOME",
    meaning: "Compiled scripts and the debug key of `trailblaze apk pack` are kept in `trailblaze` of this folder, and the agent's APK is looked for there",
};

pub const HOME: EnvVar = EnvVar {
    name: "HOME",
    meaning: "Without `XDG_CACHE_HOME`, they are kept in `.cache` of this folder, on macOS in `Library/Caches`",
};

pub const TRAILBLAZE_SCRIPT_RUNTIME: EnvVar = EnvVar {
    name: "TRAILBLAZE_SCRIPT_RUNTIME",
    meaning: "What runs `script:` toolsets on a laptop: `bun`, `node`, or `quickjs` for inside of Trailblaze, as on a phone; without it the first of them that is there",
};

pub const TRAILBLAZE_RPC_TOKEN: EnvVar = EnvVar {
    name: "TRAILBLAZE_RPC_TOKEN",
    meaning: "As `--rpc-token`, for a command line that other users can see; toolset servers find it in their environment",
};

/// Read by the client of adb, as adb itself does.
const ADB: [EnvVar; 3] = [
    EnvVar {
        name: "ADB_SERVER_SOCKET",
        meaning: "Where adb's server is, as for adb itself: `tcp:127.0.0.1:5037`",
    },
    EnvVar {
        name: "ANDROID_ADB_SERVER_PORT",
        meaning: "Its port, and with `ANDROID_ADB_SERVER_ADDRESS` its machine, where `ADB_SERVER_SOCKET` is not set",
    },
    EnvVar {
        name: "ANDROID_HOME",
        meaning: "Where the program `adb` is looked for after `PATH`: in `platform-tools` of this folder; or `ANDROID_SDK_ROOT`",
    },
];

pub const ALL: &[EnvVar] = &[
    NO_COLOR,
    XDG_CACHE_HOME,
    HOME,
    TRAILBLAZE_SCRIPT_RUNTIME,
    TRAILBLAZE_RPC_TOKEN,
    ADB[0],
    ADB[1],
    ADB[2],
];
