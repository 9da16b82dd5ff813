//! The fuzz targets on stable: mutated documents, the same ones in every run.

use trailblaze_model::fuzzing;

const TRAILS: &[&str] = &[
    "config:\n  id: shop/login\n  title: \"Sign in\"\n  devices: { android: ANDROID_ONDEVICE_ACCESSIBILITY }\n  tags: [smoke, 007]\n  skip: { ios: not there }\n  memory: { user: demo, n: 5 }\n  args: { who: string, n: { type: integer, default: 3 } }\ntrailhead:\n  step: Open the app\n  recording:\n    android: { launchApp: { appId: com.example.app } }\ntrail:\n  - step: Open the page # a comment\n    recording:\n      android:\n        - tapOn: { text: 'Sign in', index: 1.5 }\n      ios: []\n  - verify: |\n      The field\n      is shown\n    maxRetries: 6\n  - step: Dismiss\n    recordable: false\n",
    "- config: { id: a, platform: android, driver: IOS_HOST, skip: later, source: { type: HANDWRITTEN, reason: x } }\n- trailhead: launchApp\n- prompts:\n    - step: Open\n      recording: { tools: [ { tap: { text: A } } ] }\n    - verify: Shown\n- tools:\n    - pressBack: {}\n- maestro:\n    - tapOn: { id: b }\n    - back\n",
    "trail:\n- &s { step: a, recording: { android: [] } }\n- *s\n- step: >-\n    folded\n\n    text\n  recording: &r\n    android: [{ a: { b: [null, ~, 1e5, .5, -0, 0x1f] } }]\n- step: x\n  recording: *r\n",
];
const TOOLS: &[&str] = &[
    "id: shop_search\ndescription: Types a query\nparameters:\n  - { name: query, type: string, required: true, description: Text }\n  - { name: repeat, type: integer, required: false, default: 1 }\n  - { name: exact, type: boolean, default: null }\ntools:\n  - inputText: { text: \"{{query}}\" }\n  - pressKey: { keyCode: ENTER }\nsurface_to_llm: false\nsupported_platforms: [android]\nsupported_drivers: [android, compose]\ntoolset: shop\ngroups: [b, a]\n",
    "id: a\ndescription: b\nparameters: []\nscript:\n  source: |\n    export default 1\n\n    // end\n",
    "id: a\nclass: com.example.Tool\nis_verification: true\nrequires_host: true\n",
];
const TOOLSETS: &[&str] = &[
    "id: shop\ndescription: Tools of the shop\nplatforms: [android, WEB]\ndrivers: [all, ios-host]\nalways_enabled: true\ntools:\n- tap # the first\n- 'b'\n",
];
const TARGETS: &[&str] = &[
    "id: shop\ndisplay_name: Shop\nmcp_servers:\n  - script: ./tools/login.ts\n  - { command: python, args: [a.py, 1], env: { A: b } }\n  - { command: [python, b.py] }\nplatforms:\n  android:\n    app_ids: [com.example.shop.debug, com.example.shop]\n    tool_sets: [core_interaction]\n    tools: [a]\n    excluded_tools: [tapOnPoint]\n    drivers: [revyl-android, android-ondevice-accessibility]\n    min_build_version: 1.10\n  ios-host:\nsim: { app: ./app.js }\nscript_hosts: [example.com]\nhas_custom_ios_driver: false\n",
    "id: shop\ntarget:\n  display_name: Shop\n  platforms: { android: { app_ids: [a] } }\n",
];
const WORKSPACES: &[&str] = &[
    "target: shop\nplatform: android\ntrailsDir: ./trails\nmcpServers:\n  - name: tools\n    command: python\n    args: [./server.py]\n    workingDir: ./tools\n    env: { STAGE: test }\n  - { name: shared, transport: http, url: 'http://tools.internal:8080' }\n",
    "mcp_servers: { a: { command: b }, c: { script: d.ts } }\ndefaults: { target: t, llm: m }\ntools: [x]\n",
    "# nothing\n",
];
const COMMANDS: &[&str] = &[
    "- tapOn: Sign in\n- tapOn: { id: a, index: -1, point: '50%,20%', repeat: 2 }\n- back\n- hide keyboard\n- swipe: { direction: up, from: { text: x } }\n- swipe: { start: '1,2', end: \"3,4\" }\n- eraseText: 5\n- extendedWaitUntil: { visible: a, timeout: 5_000 }\n- scrollUntilVisible: { element: { text: b }, speed: 40 }\n- pressKey: volume up\n- launchApp: { appId: a, permissions: { all: deny }, arguments: { x: 1 } }\n- openLink: { link: 'a://b' }\n- copyTextFrom: { below: x }\n- runFlow: a.yaml\n",
];
const PATTERNS: &[&str] =
    &["Sign in", "\\Qa.b\\E\\d+|(x)", "(?x) a # b", "a)(b", "[^a-z]{2,5}$", "(?-i)Wörter.*"];
const BUNDLES: &[&str] = &[
    "//! trailblaze-bundle {\"format\":1,\"engine\":\"0.1.0\",\"source_hash\":\"00ff00ff00ff00ff\",\"name\":\"tools/a.ts\",\"bundler\":\"own\",\"requires_host\":false,\"inputs\":[\"tools/a.ts\"]}\nexport const a = 1;\n",
    "{\"version\":3,\"sources\":[\"a.ts\",\"b.ts\"],\"names\":[],\"mappings\":\"AAAA,IAAI,CAAC,GAAG;;ACAN,MAAM,CAAC,MAAM,CAAC,GAAG,CAAC,CAAC;AACnB,gB\"}",
];

/// As many cases as take a debug build about a second.
const CASES: u64 = 3_000;

#[track_caller]
fn check(seeds: &[&str], target: fn(&[u8])) {
    for seed in seeds {
        target(seed.as_bytes());
    }
    for case in 0..CASES {
        let mut random = Random::new(case);
        let mut data = seeds[random.below(seeds.len())].as_bytes().to_vec();
        for _ in 0..=random.below(4) {
            mutate(&mut data, seeds, &mut random);
        }
        let shown = String::from_utf8_lossy(&data).into_owned();
        if let Err(panic) = std::panic::catch_unwind(|| target(&data)) {
            eprintln!("case {case}:\n{shown}\n{shown:?}");
            std::panic::resume_unwind(panic);
        }
    }
}

/// Xorshift; a case is its seed, so one that fails can be run again.
struct Random(u64);

impl Random {
    fn new(case: u64) -> Self {
        Self(case.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

/// What YAML reads in a special way.
const PIECES: &[&str] = &[
    "- ",
    ": ",
    "\n",
    "\r\n",
    "\t",
    "  ",
    "#",
    " # c",
    "'",
    "\"",
    "|",
    ">-",
    "|+\n",
    "[",
    "]",
    "{",
    "}",
    "[]",
    "{}",
    ",",
    "&s ",
    "*s",
    "!!str ",
    "!x ",
    "~",
    "null",
    "true",
    "0",
    "-1",
    "1.0",
    "\u{feff}",
    "ä",
    "\u{2028}",
    "\\",
    "? ",
    "---\n",
    "...",
    "<<: *s\n",
    "%",
    "\0",
    "{{x}}",
    "${x}",
    "step",
    "recording:",
    "android",
    "id",
    "tools:",
    "name",
    "\u{85}",
    "\r",
];

fn mutate(data: &mut Vec<u8>, seeds: &[&str], random: &mut Random) {
    let at = random.below(data.len() + 1);
    let end = (at + random.below(12)).min(data.len());
    match random.below(9) {
        0 => {
            if let Some(byte) = data.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
        1 => data.truncate(at),
        2 => drop(data.drain(at..end)),
        3 | 4 => drop(data.splice(at..at, PIECES[random.below(PIECES.len())].bytes())),
        5 => drop(data.splice(at..end, PIECES[random.below(PIECES.len())].bytes())),
        6 => {
            let other = seeds[random.below(seeds.len())].as_bytes();
            let from = random.below(other.len());
            data.truncate(at);
            data.extend(&other[from..]);
        }
        // A line again, somewhere.
        7 => {
            let lines: Vec<&[u8]> = data.split_inclusive(|byte| *byte == b'\n').collect();
            let line = lines.get(random.below(lines.len())).map(|line| line.to_vec()).unwrap_or_default();
            let start = data[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |index| index + 1);
            drop(data.splice(start..start, line));
        }
        // A line gone.
        _ => {
            let start = data[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |index| index + 1);
            let stop =
                data[at..].iter().position(|byte| *byte == b'\n').map_or(data.len(), |index| at + index + 1);
            drop(data.drain(start..stop));
        }
    }
}

#[test]
fn trails() {
    check(TRAILS, fuzzing::trail);
}

#[test]
fn tools() {
    check(TOOLS, fuzzing::tool);
}

#[test]
fn toolsets() {
    check(TOOLSETS, fuzzing::toolset);
}

#[test]
fn targets() {
    check(TARGETS, fuzzing::target);
}

#[test]
fn workspaces() {
    check(WORKSPACES, fuzzing::workspace);
}

#[test]
fn maestro_commands() {
    check(COMMANDS, fuzzing::maestro);
}

#[test]
fn patterns() {
    check(PATTERNS, fuzzing::pattern);
}

#[test]
fn bundles_and_source_maps() {
    check(BUNDLES, fuzzing::bundle);
}
