//! `trailblaze apk`

use std::path::PathBuf;

use serde_json::json;
use trailblaze_apk::manifest::{self, Changes};
use trailblaze_engine::host::Cancel;

use super::run::stop_on_interrupt;
use super::{print, print_json};
use crate::apk::{self, KeyChoice, PackOptions, Packed, Password};
use crate::exit_code::{Exit, Problem};
use crate::files;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Pack a workspace into a test APK, signed and verified; no SDK and no Java are needed
    Pack(Box<Pack>),
}

#[derive(Debug, clap::Args)]
struct Pack {
    /// The workspace; the current folder's unless given
    workspace: Option<PathBuf>,
    /// Where the APK goes
    #[arg(short, long, value_name = "FILE", default_value = "trails.apk")]
    out: PathBuf,
    /// The agent's APK; looked for beside this program and in the user's cache unless given
    #[arg(long, value_name = "FILE")]
    template: Option<PathBuf>,
    /// The package of the APK; the agent's unless given
    #[arg(long, value_name = "NAME")]
    package: Option<String>,
    /// What people see on the phone
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=i64::from(i32::MAX)), help = "A whole number that grows from version to version")]
    version_code: Option<u32>,
    /// What people see as version
    #[arg(long, value_name = "TEXT")]
    version_name: Option<String>,
    /// The API level that the APK is made for
    #[arg(long, value_name = "LEVEL")]
    target_sdk: Option<u32>,
    /// The key that signs, PEM or PKCS#12; a debug key in the user's cache unless given
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// The variable that holds the password of the key
    #[arg(long, value_name = "NAME", requires = "key", conflicts_with = "key_password_file")]
    key_password_env: Option<String>,
    /// The file whose first line is the password of the key
    #[arg(long, value_name = "FILE", requires = "key")]
    key_password_file: Option<PathBuf>,
    /// Dex files with the classes of 'class:' tools
    #[arg(long, value_name = "FILE")]
    dex: Vec<PathBuf>,
    /// Files and folders of the workspace to pack besides documents, trails and scripts
    #[arg(long, value_name = "PATH")]
    include: Vec<PathBuf>,
    /// Print what was made as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> Result<Exit, Problem> {
    match &args.command {
        Command::Pack(args) => pack(args),
    }
}

fn pack(args: &Pack) -> Result<Exit, Problem> {
    if let Some(package) = &args.package {
        manifest::check_package(package).map_err(|error| Problem {
            exit: Exit::Usage,
            message: error.message,
            hint: error.hint,
        })?;
    }
    let password = args.key_password_env.clone().map(Password::Variable);
    let password = password.or_else(|| args.key_password_file.clone().map(Password::File));
    let options = PackOptions {
        workspace: args.workspace.clone(),
        template: args.template.clone(),
        out: args.out.clone(),
        changes: Changes {
            package: args.package.clone(),
            label: args.label.clone(),
            version_code: args.version_code,
            version_name: args.version_name.clone(),
            target_sdk: args.target_sdk,
        },
        key: args.key.clone().map(|path| KeyChoice { path, password }),
        dex: args.dex.clone(),
        include: args.include.clone(),
    };
    let ready = apk::prepare(&options)?;
    ready.problems.iter().for_each(|problem| talk!("{problem}\n"));
    if ready.has_errors() {
        return Err(Problem::new(Exit::BadDocument, "nothing was written because of the errors above"));
    }
    let cancel = Cancel::default();
    stop_on_interrupt(&cancel);
    let packed = apk::pack(&options, ready, &cancel)?;
    tell(args, &packed);
    Ok(Exit::Passed)
}

fn tell(args: &Pack, packed: &Packed) {
    let (out, facts, tests) = (files::shown(&args.out), &packed.apk.facts, &packed.apk.tests);
    if let Some(key) = args.key.as_ref().filter(|_| packed.made_certificate) {
        talk!(
            "warning: {} holds no certificate, and got one: the same each time, valid until 2056\nhint: to have your own, put \
             what 'openssl req -new -x509 -key KEY -days 10000' prints into the same file",
            files::shown(key)
        );
    }
    if args.json {
        return print_json(&json!({
            "apk": out,
            "bytes": packed.apk.bytes,
            "package": facts.package,
            "runner": facts.runner,
            "versionCode": facts.version_code,
            "versionName": facts.version_name,
            "minSdk": facts.min_sdk,
            "targetSdk": facts.target_sdk,
            "debugKey": packed.is_debug_key,
            "madeCertificate": packed.made_certificate,
            "tests": tests,
        }));
    }
    let count = if tests.len() == 1 { "1 test".to_owned() } else { format!("{} tests", tests.len()) };
    let megabytes = packed.apk.bytes as f64 / 1e6;
    let key = if packed.is_debug_key { "the debug key" } else { "your key" };
    print(&format!("{out}: {count}, {megabytes:.2} MB, package {}, signed with {key}\n", facts.package));
}
