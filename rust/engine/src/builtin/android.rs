//! What only Android has: the shell, permissions, broadcasts, files on the device.

use serde::Deserialize;
use serde_json::Value;
use trailblaze_model::driver::Platform;
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::flags::ToolFlags;

use super::{BuiltIn, Entry, helper, not_for_llm};
use crate::dispatch::{Context, Output};

pub(super) const TOOLS: &[Entry] = &[
    Entry::of::<AdbShell>(),
    Entry::of::<SendBroadcast>(),
    Entry::of::<GrantPermissions>(),
    Entry::of::<GrantAppOpsPermission>(),
    Entry::of::<SystemUiDemoMode>(),
    Entry::of::<WriteBytesToFile>(),
    Entry::of::<WriteFileToDownloads>(),
    Entry::of::<WriteImageToMediaStore>(),
];

/// Flags of a tool that other platforms do not have.
fn on_android(flags: ToolFlags) -> ToolFlags {
    ToolFlags { supported_platforms: vec![Platform::Android], ..flags }
}

/// A word for the shell of the device.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

fn shell(context: &Context<'_>, words: &[&str]) -> Result<Output, Failure> {
    let memory = &context.session.memory;
    let quote = |word: &&str| {
        let quoted = quoted(word);
        // Quoting may take a secret apart, so that it is not seen any more.
        if quoted != **word && memory.redact(word).is_some() {
            memory.hide(quoted.clone());
        }
        quoted
    };
    let line: Vec<String> = words.iter().map(quote).collect();
    Ok(Output::message(context.commands().shell(&line.join(" "))?))
}

/// Run a shell command on the device.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct AdbShell {
    /// The words of the command
    #[cfg_attr(test, schemars(length(min = 1)))]
    command: Vec<String>,
    /// Run it as this app
    run_as: Option<String>,
}

impl BuiltIn for AdbShell {
    const NAME: &'static str = "android_adbShell";

    fn flags() -> ToolFlags {
        on_android(helper())
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        let words: Vec<&str> = self.command.iter().map(String::as_str).collect();
        // A single word is a whole line that somebody wrote for the shell.
        match (self.run_as.as_deref(), words.as_slice()) {
            (None, [line]) => Ok(Output::message(context.commands().shell(line)?)),
            (None, words) => shell(context, words),
            (Some(app), [line]) => shell(context, &["run-as", app, "sh", "-c", line]),
            (Some(app), words) => shell(context, &[&["run-as", app], words].concat()),
        }
    }
}

/// Send a broadcast to an app.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct SendBroadcast {
    /// The action of the intent
    action: String,
    /// The package that receives it
    component_package: String,
    /// The class that receives it
    component_class: String,
    /// Extras, each with 'key' and 'value'
    #[serde(default)]
    extras: Vec<Extra>,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Extra {
    /// The name of the extra
    key: String,
    /// A text, a number, true or false
    value: Value,
}

impl BuiltIn for SendBroadcast {
    const NAME: &'static str = "android_sendBroadcast";

    fn flags() -> ToolFlags {
        on_android(helper())
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        let component = format!("{}/{}", self.component_package, self.component_class);
        let mut words =
            vec!["am".into(), "broadcast".into(), "-a".into(), self.action, "-n".into(), component];
        for extra in self.extras {
            let (flag, value) = match extra.value {
                Value::Bool(flag) => ("--ez", flag.to_string()),
                Value::Number(number) if number.is_f64() => ("--ef", number.to_string()),
                Value::Number(number) if number.as_i64().is_some_and(|n| i32::try_from(n).is_err()) => {
                    ("--el", number.to_string())
                }
                Value::Number(number) => ("--ei", number.to_string()),
                Value::String(text) => ("--es", text),
                other => ("--es", other.to_string()),
            };
            words.extend([flag.to_owned(), extra.key, value]);
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        shell(context, &words)
    }
}

/// Grant permissions to an app.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct GrantPermissions {
    /// The id of the app
    app_id: String,
    /// The permissions, such as android.permission.CAMERA
    permissions: Vec<String>,
}

impl BuiltIn for GrantPermissions {
    const NAME: &'static str = "android_grantPermissions";

    fn flags() -> ToolFlags {
        on_android(not_for_llm())
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        for permission in &self.permissions {
            context.commands().set_permission(&self.app_id, permission, true)?;
        }
        Ok(Output::default())
    }
}

/// Allow an app an operation that the settings of Android guard.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct GrantAppOpsPermission {
    /// The id of the app
    app_id: String,
    /// The operation, such as MANAGE_EXTERNAL_STORAGE
    permission: String,
}

impl BuiltIn for GrantAppOpsPermission {
    const NAME: &'static str = "android_grantAppOpsPermission";

    fn flags() -> ToolFlags {
        on_android(not_for_llm())
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        shell(context, &["appops", "set", &self.app_id, &self.permission, "allow"])
    }
}

/// Make the status bar look the same in every screenshot.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SystemUiDemoMode {
    /// On or off
    #[serde(default = "yes")]
    enable: bool,
}

fn yes() -> bool {
    true
}

impl BuiltIn for SystemUiDemoMode {
    const NAME: &'static str = "android_systemUiDemoMode";

    fn flags() -> ToolFlags {
        on_android(not_for_llm())
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        let demo = |extras: &[&str]| {
            let mut words = vec!["am", "broadcast", "-a", "com.android.systemui.demo"];
            words.extend(extras);
            shell(context, &words).map(drop)
        };
        if !self.enable {
            demo(&["-e", "command", "exit"])?;
            return Ok(Output::default());
        }
        shell(context, &["settings", "put", "global", "sysui_demo_allowed", "1"])?;
        demo(&["-e", "command", "enter"])?;
        demo(&["-e", "command", "clock", "-e", "hhmm", "1200"])?;
        demo(&["-e", "command", "battery", "-e", "level", "100", "-e", "plugged", "false"])?;
        demo(&["-e", "command", "notifications", "-e", "visible", "false"])?;
        Ok(Output::default())
    }
}

/// Writes a file on the device through its shell.
fn write_file(context: &Context<'_>, path: &str, base64: &str) -> Result<Output, Failure> {
    let clean: String = base64.chars().filter(|c| !c.is_whitespace()).collect();
    let valid = clean.chars().all(|c| c.is_ascii_alphanumeric() || "+/=".contains(c));
    if !valid {
        return Err(Failure::new(FailureKind::InvalidArguments, "the content is not base64"));
    }
    let line = format!("echo {clean} | base64 -d > {}", quoted(path));
    Ok(Output::message(context.commands().shell(&line)?))
}

/// Plain text as base64, which passes any shell.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let word =
            chunk.iter().fold(0u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for position in 0..4 {
            let index = (word >> (18 - 6 * position)) & 63;
            out.push(if position <= chunk.len() { ALPHABET[index as usize] as char } else { '=' });
        }
    }
    out
}

/// Write bytes into a file on the device.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct WriteBytesToFile {
    /// The path on the device
    device_path: String,
    /// The bytes as base64
    base64_content: String,
}

impl BuiltIn for WriteBytesToFile {
    const NAME: &'static str = "android_writeBytesToFile";

    fn flags() -> ToolFlags {
        on_android(helper())
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        write_file(context, &self.device_path, &self.base64_content)
    }
}

/// Write a text file into the downloads of the device.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct WriteFileToDownloads {
    /// The name of the file
    file_name: String,
    /// What stands in it
    content: String,
}

impl BuiltIn for WriteFileToDownloads {
    const NAME: &'static str = "android_writeFileToDownloads";

    fn flags() -> ToolFlags {
        on_android(helper())
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        let content = base64(self.content.as_bytes());
        if context.session.memory.redact(&self.content).is_some() {
            context.session.memory.hide(content.clone());
        }
        write_file(context, &format!("/sdcard/Download/{}", self.file_name), &content)
    }
}

/// Write a picture where the gallery of the device finds it.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct WriteImageToMediaStore {
    /// The name of the file
    file_name: String,
    /// The picture as base64
    base64_content: String,
    /// What kind of picture it is
    #[serde(default = "png", rename = "mimeType")]
    _mime_type: String,
}

fn png() -> String {
    "image/png".to_owned()
}

impl BuiltIn for WriteImageToMediaStore {
    const NAME: &'static str = "android_writeImageToMediaStore";

    fn flags() -> ToolFlags {
        on_android(helper())
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        let path = format!("/sdcard/Pictures/{}", self.file_name);
        write_file(context, &path, &self.base64_content)?;
        shell(
            context,
            &[
                "am",
                "broadcast",
                "-a",
                "android.intent.action.MEDIA_SCANNER_SCAN_FILE",
                "-d",
                &format!("file://{path}"),
            ],
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_the_shell_are_quoted() {
        assert_eq!(quoted("am"), "am");
        assert_eq!(quoted("it's; rm -rf"), r"'it'\''s; rm -rf'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn base64_is_padded() {
        let pairs = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")];
        for (plain, coded) in pairs {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }
}
