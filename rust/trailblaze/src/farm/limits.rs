//! What the farms allow. Each number is a fact of its vendor, and the comment says where it stands: `[C]` in the vendor's
//! documentation or in the help of its tool, `[U]` nowhere yet.

use super::Farm;
use super::device::Kind;

/// `gcloud firebase test android run --timeout`: the most on a physical device [C].
const FIREBASE_PHYSICAL_MINUTES: u64 = 45;
/// The same on a virtual one [C].
const FIREBASE_VIRTUAL_MINUTES: u64 = 60;
/// `--test-targets-for-shard`: the most shards on physical devices [C].
const FIREBASE_PHYSICAL_SHARDS: usize = 50;
/// On virtual devices with Arm [C].
const FIREBASE_ARM_SHARDS: usize = 200;
/// On virtual devices with x86 [C].
const FIREBASE_X86_SHARDS: usize = 500;
/// `--num-flaky-test-attempts`: the most [C]; Device Run names no limit [U].
pub(super) const RETRIES: u32 = 10;

/// `--instrumentation-timeout` of Device Run: unless somebody asks for more, that of Test Lab, which older versions of
/// gcloud take as well.
const DEVICE_RUN_PHYSICAL_MINUTES: u64 = FIREBASE_PHYSICAL_MINUTES;
const DEVICE_RUN_VIRTUAL_MINUTES: u64 = FIREBASE_VIRTUAL_MINUTES;
/// The most of it, since version 580 of gcloud [C].
const DEVICE_RUN_MOST_MINUTES: u64 = 180;
/// `--uniform-sharding-count` on physical devices [C]; we take no more sessions for one plan either.
const DEVICE_RUN_PHYSICAL_SHARDS: usize = 20;
/// On virtual devices [C].
const DEVICE_RUN_VIRTUAL_SHARDS: usize = 200;
/// `--additional-test-options`: how many there may be [C].
const DEVICE_RUN_OPTIONS: usize = 32;
/// The longest name of one [C].
const DEVICE_RUN_KEY_BYTES: usize = 64;
/// The longest value of one [C].
const DEVICE_RUN_VALUE_BYTES: usize = 1_024;

/// The hard limit of one run on one device of AWS [C].
const AWS_MINUTES: u64 = 150;
/// Jobs that may be under way at a time [C]; every shard is one on every device.
pub(super) const AWS_JOBS: usize = 250;
/// The most test cases in the standard environment; more may be skipped [C]. A custom one has no such limit.
const AWS_STANDARD_CASES: usize = 250;
/// The largest app [C].
pub(super) const AWS_APP_BYTES: u64 = 4 << 30;
/// `filter` of a test, in the service's model [C].
const AWS_FILTER_BYTES: usize = 8_192;

/// The time that is kept for our own end: reports are written before the farm ends the process.
pub(super) const RESERVE_MINUTES: u64 = 1;

/// What one plan may ask for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub minutes: u64,
    /// What may be asked for; more than what is taken where nothing is asked.
    pub most_minutes: u64,
    pub shards: usize,
    /// The trails of one shard.
    pub cases: Option<usize>,
    /// The bytes that name the tests of one shard, where they cannot stand in a file.
    pub names: Option<usize>,
    pub options: Option<OptionLimits>,
}

/// What `-e key value` may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct OptionLimits {
    pub count: usize,
    pub key: usize,
    pub value: usize,
}

/// Several kinds of devices in one plan: the lowest limits of all hold.
pub(super) fn of(farm: Farm, kinds: &[Kind], standard: bool) -> Limits {
    let lowest = |of_kind: fn(Kind) -> (u64, usize)| {
        let all = || kinds.iter().copied().map(of_kind);
        let minutes = all().map(|(minutes, _)| minutes).min().unwrap_or(0);
        (minutes, all().map(|(_, shards)| shards).min().unwrap_or(0))
    };
    let none = Limits { minutes: 0, most_minutes: 0, shards: 0, cases: None, names: None, options: None };
    match farm {
        Farm::Firebase => {
            let (minutes, shards) = lowest(|kind| match kind {
                Kind::Physical => (FIREBASE_PHYSICAL_MINUTES, FIREBASE_PHYSICAL_SHARDS),
                Kind::Arm => (FIREBASE_VIRTUAL_MINUTES, FIREBASE_ARM_SHARDS),
                Kind::X86 => (FIREBASE_VIRTUAL_MINUTES, FIREBASE_X86_SHARDS),
            });
            Limits { minutes, most_minutes: minutes, shards, ..none }
        }
        Farm::DeviceRun => {
            let (minutes, shards) = lowest(|kind| match kind {
                Kind::Physical => (DEVICE_RUN_PHYSICAL_MINUTES, DEVICE_RUN_PHYSICAL_SHARDS),
                Kind::Arm | Kind::X86 => (DEVICE_RUN_VIRTUAL_MINUTES, DEVICE_RUN_VIRTUAL_SHARDS),
            });
            let options = OptionLimits {
                count: DEVICE_RUN_OPTIONS,
                key: DEVICE_RUN_KEY_BYTES,
                value: DEVICE_RUN_VALUE_BYTES,
            };
            let most_minutes = DEVICE_RUN_MOST_MINUTES;
            Limits { minutes, most_minutes, shards, options: Some(options), ..none }
        }
        Farm::Aws => Limits {
            minutes: AWS_MINUTES,
            most_minutes: AWS_MINUTES,
            shards: AWS_JOBS / kinds.len().max(1),
            cases: standard.then_some(AWS_STANDARD_CASES),
            names: standard.then_some(AWS_FILTER_BYTES),
            options: None,
        },
    }
}
