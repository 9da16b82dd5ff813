//! Every environment variable that Trailblaze reads, in one place.

/// A variable and what it is for.
#[derive(Clone, Copy, Debug)]
pub struct EnvVar {
    pub name: &'static str,
    pub meaning: &'static str,
}

impl EnvVar {
    pub fn is_set(self) -> bool {
        std::env::var_os(self.name).is_some_and(|value| !value.is_empty())
    }
}

/// Set by people who want no colours anywhere.
pub const NO_COLOR: EnvVar = EnvVar { name: "NO_COLOR", meaning: "Output has no colours when it is set" };

pub const ALL: &[EnvVar] = &[NO_COLOR];
