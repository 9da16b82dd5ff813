//! Drivers and platforms by the names that files and commands use.

use std::fmt;

use serde::{Serialize, Serializer};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Platform {
    Android,
    Ios,
    Web,
    Desktop,
}

impl Platform {
    pub const ALL: &[Self] = &[Self::Android, Self::Ios, Self::Web, Self::Desktop];

    /// Lower case, as in configuration files and in the registry.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Android => "android",
            Self::Ios => "ios",
            Self::Web => "web",
            Self::Desktop => "desktop",
        }
    }

    /// Upper case, as in `_meta` and in the environment of toolset servers.
    pub const fn wire(self) -> &'static str {
        match self {
            Self::Android => "ANDROID",
            Self::Ios => "IOS",
            Self::Web => "WEB",
            Self::Desktop => "DESKTOP",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|p| p.key().eq_ignore_ascii_case(name))
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key())
    }
}

impl Serialize for Platform {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.key())
    }
}

/// How a screen is driven. `sim` and `recorded` are not here: they stand in for one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Driver {
    AndroidOndeviceAccessibility,
    AndroidOndeviceInstrumentation,
    IosHost,
    IosAxe,
    PlaywrightNative,
    PlaywrightElectron,
    RevylAndroid,
    RevylIos,
    Compose,
}

impl Driver {
    pub const ALL: &[Self] = &[
        Self::AndroidOndeviceAccessibility,
        Self::AndroidOndeviceInstrumentation,
        Self::IosHost,
        Self::IosAxe,
        Self::PlaywrightNative,
        Self::PlaywrightElectron,
        Self::RevylAndroid,
        Self::RevylIos,
        Self::Compose,
    ];

    /// The key used in configuration, environment and `_meta`.
    pub const fn key(self) -> &'static str {
        match self {
            Self::AndroidOndeviceAccessibility => "android-ondevice-accessibility",
            Self::AndroidOndeviceInstrumentation => "android-ondevice-instrumentation",
            Self::IosHost => "ios-host",
            Self::IosAxe => "ios-axe",
            Self::PlaywrightNative => "playwright-native",
            Self::PlaywrightElectron => "playwright-electron",
            Self::RevylAndroid => "revyl-android",
            Self::RevylIos => "revyl-ios",
            Self::Compose => "compose",
        }
    }

    pub const fn platform(self) -> Platform {
        match self {
            Self::AndroidOndeviceAccessibility
            | Self::AndroidOndeviceInstrumentation
            | Self::RevylAndroid => Platform::Android,
            Self::IosHost | Self::IosAxe | Self::RevylIos => Platform::Ios,
            Self::PlaywrightNative | Self::PlaywrightElectron => Platform::Web,
            Self::Compose => Platform::Desktop,
        }
    }

    /// Runs in somebody else's data centre, so a platform's shorthand leaves it out.
    pub const fn is_cloud(self) -> bool {
        matches!(self, Self::RevylAndroid | Self::RevylIos)
    }

    /// Why this program cannot drive it; none for those it can.
    pub const fn unsupported(self) -> Option<&'static str> {
        match self {
            Self::AndroidOndeviceAccessibility | Self::AndroidOndeviceInstrumentation => None,
            Self::IosHost | Self::IosAxe => Some("Trailblaze drives Android; it has no iOS driver"),
            Self::PlaywrightNative | Self::PlaywrightElectron => {
                Some("the web driver is not part of this version")
            }
            Self::RevylAndroid | Self::RevylIos => Some("Trailblaze does not drive Revyl's cloud devices"),
            Self::Compose => Some("Trailblaze drives Android; it has no desktop driver"),
        }
    }

    /// Reads a key (`ios-host`) or the name used in trail files (`IOS_HOST`), in any case.
    pub fn parse(name: &str) -> Option<Self> {
        let name = name.trim().replace('_', "-");
        Self::ALL.iter().copied().find(|d| d.key().eq_ignore_ascii_case(&name))
    }

    /// As `parse`, and a platform (its drivers without the cloud ones) or `all`.
    pub fn parse_group(name: &str) -> Option<Vec<Self>> {
        if name.eq_ignore_ascii_case("all") {
            return Some(Self::ALL.to_vec());
        }
        if let Some(platform) = Platform::parse(name) {
            let own = Self::ALL.iter().copied().filter(|d| d.platform() == platform && !d.is_cloud());
            return Some(own.collect());
        }
        Self::parse(name).map(|driver| vec![driver])
    }
}

impl fmt::Display for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key())
    }
}

impl Serialize for Driver {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.key())
    }
}

/// Where the runner is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AgentMode {
    #[default]
    Host,
    OnDevice,
}
