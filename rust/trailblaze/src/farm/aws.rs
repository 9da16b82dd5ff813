//! AWS Device Farm: a test spec per shard, the calls as JSON, and a script that makes them.
//!
//! In the custom environment the spec starts our runner itself, so no dex is scanned and no number of cases is limited.

use std::path::Path;

use serde_json::{Value, json};
use trailblaze_apk::RUNNER;
use trailblaze_model::yaml;

use super::device::{self, Named};
use super::device_run::NAMES;
use super::folder::way_back;
use super::plan::{Draft, Written};
use super::script::quoted;
use super::shards::Shard;
use super::{RESULTS, reports_folder};
use crate::exit_code::Problem;

const FILE: &str = "run.sh";
const FETCH: &str = "fetch.sh";
/// Where the farm is.
const REGION: &str = "us-west-2";
/// Stand for what is known only when a file was uploaded; the script puts the right ones there.
const APP: &str = "arn:aws:devicefarm:us-west-2:000000000000:upload:app";
const TEST: &str = "arn:aws:devicefarm:us-west-2:000000000000:upload:test";
const SPEC: &str = "arn:aws:devicefarm:us-west-2:000000000000:upload:spec";

pub(super) fn write(draft: &Draft<'_>) -> Result<Written, Problem> {
    let plan = draft.options;
    let mut files = vec![
        call("upload-app.json", &upload(draft, &name_of(&plan.app), "ANDROID_APP")),
        call("upload-test.json", &upload(draft, &name_of(&plan.test), "INSTRUMENTATION_TEST_PACKAGE")),
    ];
    for (shard, number) in draft.shards.iter().zip(1..) {
        if !plan.standard {
            let spec = format!("shard-{number}.yml");
            files.push(call(
                &format!("upload-shard-{number}.json"),
                &upload(draft, &spec, "INSTRUMENTATION_TEST_SPEC"),
            ));
            files.push((spec, test_spec(draft, shard)));
        }
        files.push(call(&format!("run-shard-{number}.json"), &schedule(draft, shard, number)));
    }
    files.push((FILE.to_owned(), run_script(draft)));
    files.push((FETCH.to_owned(), fetch_script(draft)));
    let runs = quoted(&draft.path("runs.txt"));
    let notes =
        vec![format!("then, when the runs are over: sh {} {runs} {RESULTS}", quoted(&draft.path(FETCH)))];
    Ok(Written { files, command: format!("sh {}", quoted(&draft.path(FILE))), notes })
}

fn call(name: &str, value: &Value) -> (String, String) {
    (name.to_owned(), format!("{value:#}\n"))
}

fn name_of(path: &str) -> String {
    path.rsplit('/').next().unwrap_or(path).to_owned()
}

/// `aws devicefarm create-upload`
fn upload(draft: &Draft<'_>, name: &str, kind: &str) -> Value {
    json!({ "projectArn": draft.options.project, "name": name, "type": kind, "contentType": "application/octet-stream" })
}

/// `aws devicefarm schedule-run`
fn schedule(draft: &Draft<'_>, shard: &Shard, number: usize) -> Value {
    let mut test = json!({ "type": "INSTRUMENTATION", "testPackageArn": TEST });
    match draft.options.standard {
        true => {
            if let Some(names) = draft.names(shard) {
                test["filter"] = json!(names.join(","));
            }
        }
        false => test["testSpecArn"] = json!(SPEC),
    }
    let mut call = json!({
        "projectArn": draft.options.project,
        "appArn": APP,
        "name": format!("trailblaze-shard-{number}"),
        "test": test,
        "executionConfiguration": { "jobTimeoutMinutes": draft.minutes(), "videoCapture": true },
    });
    match draft.devices.as_slice() {
        [pool] if pool.is == Named::PoolArn => call["devicePoolArn"] = json!(pool.name),
        devices => {
            let of = |wanted: Named| -> Vec<&str> {
                devices
                    .iter()
                    .filter(|device| device.is == wanted)
                    .map(|device| device.name.as_str())
                    .collect()
            };
            let filter = |attribute: &str, operator: &str, values: &[&str]| json!({ "attribute": attribute, "operator": operator, "values": values });
            let mut filters = vec![filter("PLATFORM", "EQUALS", &["ANDROID"])];
            let (arns, models) = (of(Named::DeviceArn), of(Named::Id));
            if !arns.is_empty() {
                filters.push(filter("ARN", "IN", &arns));
            }
            if !models.is_empty() {
                filters.push(filter("MODEL", "IN", &models));
            }
            call["deviceSelectionConfiguration"] = json!({ "filters": filters, "maxDevices": devices.len() });
        }
    }
    call
}

/// What runs on the host beside the device. `am instrument` exits with 0 in any case, so the last command looks.
fn test_spec(draft: &Draft<'_>, shard: &Shard) -> String {
    let adb = r#"adb -s "$DEVICEFARM_DEVICE_UDID""#;
    let package = &draft.package;
    let mut options = draft.options();
    let mut before = Vec::new();
    if let Some(names) = draft.names(shard) {
        let words: Vec<String> = names.iter().map(|name| quoted(name)).collect();
        before.push(format!(r#"printf '%s\n' {} > "$DEVICEFARM_LOG_DIR/tests.txt""#, words.join(" ")));
        before.push(format!(r#"{adb} push "$DEVICEFARM_LOG_DIR/tests.txt" {NAMES}"#));
        options.push(("testFile".to_owned(), NAMES.to_owned()));
    }
    let pairs: String = options.iter().map(|(key, value)| format!("-e {key} {} ", quoted(value))).collect();
    let line = format!("am instrument -w -r {pairs}{package}/{RUNNER}");
    let results = r#""$DEVICEFARM_LOG_DIR/instrumentation.results""#;
    let test = [
        format!("{adb} shell {} > {results} 2>&1 || true", quoted(&line)),
        format!("cat {results}"),
        format!("grep -q '^INSTRUMENTATION_CODE: -1' {results}"),
        format!("! grep -Eq '^INSTRUMENTATION_STATUS_CODE: -[12]' {results}"),
    ];
    let after = [format!(r#"{adb} pull {} "$DEVICEFARM_LOG_DIR/reports" || true"#, reports_folder(package))];
    let spec = json!({
        "version": 0.1,
        "android_test_host": "amazon_linux_2",
        "phases": {
            "install": { "commands": [] },
            "pre_test": { "commands": before },
            "test": { "commands": test },
            "post_test": { "commands": after },
        },
        "artifacts": ["$DEVICEFARM_LOG_DIR"],
    });
    yaml::print(&spec)
}

/// Uploads, waits, starts a run per shard and notes their ARNs.
fn run_script(draft: &Draft<'_>) -> String {
    let plan = draft.options;
    let here = quoted(&draft.folder);
    let mut script = format!(
        r#"#!/bin/sh
# Uploads the app, the tests and a spec for each shard, and starts a run for each shard.
# Needs aws and curl. The runs that were started are listed in runs.txt.
set -eu
{back}here={here}

{farm}
# upload CALL FILE: prints the ARN of the upload when the farm has taken it
upload() {{
  made=$(farm create-upload --cli-input-json "file://$here/$1" --query 'upload.[arn,url]' --output text)
  arn=$(printf '%s' "$made" | cut -f 1)
  curl --silent --show-error --fail --header 'Content-Type: application/octet-stream' \
    --upload-file "$2" "$(printf '%s' "$made" | cut -f 2)" >&2
  while :; do
    status=$(farm get-upload --arn "$arn" --query upload.status --output text)
    case $status in
      SUCCEEDED) break ;;
      FAILED) farm get-upload --arn "$arn" --query upload.message --output text >&2; exit 1 ;;
    esac
    sleep 5
  done
  printf '%s' "$arn"
}}

# start SHARD SPEC: starts the run of a shard
start() {{
  call=$(sed -e "s|{APP}|$app|" -e "s|{TEST}|$test|" -e "s|{SPEC}|$2|" "$here/run-shard-$1.json")
  run=$(farm schedule-run --cli-input-json "$call" --query run.arn --output text)
  # Runs of an earlier try are forgotten only now.
  [ -n "$started" ] || : > "$here/runs.txt"
  started=yes
  printf 'shard-%s %s\n' "$1" "$run" >> "$here/runs.txt"
  echo "shard $1: $run"
}}

started=
app=$(upload upload-app.json {app})
test=$(upload upload-test.json {test})
"#,
        back = way_back(Path::new(&draft.folder)),
        farm = call_farm(draft),
        app = quoted(&plan.app),
        test = quoted(&plan.test),
    );
    for number in 1..=draft.shards.len() {
        script += &match plan.standard {
            true => format!("start {number} none\n"),
            false => format!(
                "spec=$(upload upload-shard-{number}.json \"$here/shard-{number}.yml\")\nstart {number} \"$spec\"\n"
            ),
        };
    }
    script
}

/// A function for calls to the farm. It is in one region only, which need not be that of the user.
fn call_farm(draft: &Draft<'_>) -> String {
    let region = draft.options.project.as_deref().and_then(device::region).unwrap_or(REGION);
    format!("farm() {{\n  aws devicefarm \"$@\" --region {}\n}}\n", quoted(region))
}

fn fetch_script(draft: &Draft<'_>) -> String {
    format!("{FETCH_HEAD}{}{FETCH_SCRIPT}", call_farm(draft))
}

const FETCH_HEAD: &str = r#"#!/bin/sh
# fetch.sh RUNS FOLDER: fetches the files of the runs that run.sh has started.
# Needs aws and curl.
set -eu
if [ $# -ne 2 ]; then
  echo "usage: sh $0 RUNS FOLDER, where RUNS is the runs.txt that run.sh wrote" >&2
  exit 2
fi
if [ ! -s "$1" ]; then
  echo "there are no runs in $1: run.sh has started none" >&2
  exit 1
fi
"#;
/// Fetches what `farm collect` reads: a folder per shard and device.
const FETCH_SCRIPT: &str = r#"
tab=$(printf '\t')
while read -r shard run; do
  # A list is made whole before it is read, so that a call that fails ends the script.
  jobs=$(farm list-jobs --arn "$run" --query 'jobs[].[arn,device.name]' --output text)
  printf '%s\n' "$jobs" |
    while IFS="$tab" read -r job device; do
      folder="$2/$shard/$device"
      mkdir -p "$folder"
      files=$(farm list-artifacts --arn "$job" --type FILE \
        --query 'artifacts[].[name,extension,url]' --output text)
      printf '%s\n' "$files" |
        while IFS="$tab" read -r name extension url; do
          case $extension in
            zip | xml | txt | log | logcat)
              file="$folder/$(printf '%s' "$name" | tr ' /' '__').$extension"
              # Several suites have files of the same name.
              number=2
              while [ -e "$file" ]; do
                file="$folder/$(printf '%s' "$name" | tr ' /' '__')-$number.$extension"
                number=$((number + 1))
              done
              curl --silent --show-error --fail --output "$file" "$url" < /dev/null
              ;;
          esac
        done
    done
done < "$1"
"#;
