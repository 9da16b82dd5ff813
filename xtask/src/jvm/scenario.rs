//! What is done with the library in a JVM, and what has to come of it.

/// One start of a JVM.
#[derive(Debug)]
pub(super) struct Scenario {
    pub(super) name: &'static str,
    /// As `name=value`; `[work]` is an empty folder. `PlainMain` says what they mean.
    pub(super) properties: &'static [&'static str],
    /// The arguments of the run: key, value, key, value.
    pub(super) arguments: &'static [&'static str],
    /// What is printed, in this order.
    pub(super) says: &'static [&'static str],
    /// What is printed nowhere.
    pub(super) never: &'static [&'static str],
}

/// Where the library lies twice more.
pub(super) const COPIES: &str = "plain.copies=[work]/copies";

/// Every exception of the bridge has one.
const CAUSE: &str = "Caused by: java.io.IOException: the cause of it";

const UI_AUTOMATION: [&str; 2] = ["driver", "android-ondevice-instrumentation"];

/// A run of one trail in which a method of the bridge throws.
const fn broken(
    name: &'static str,
    properties: &'static [&'static str],
    says: &'static [&'static str],
) -> Scenario {
    Scenario {
        name,
        properties,
        arguments: &[UI_AUTOMATION[0], UI_AUTOMATION[1], "tags", "short"],
        says,
        never: &["thrown "],
    }
}

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario {
        name: "trails pass and fail, by instrumentation",
        properties: &[],
        arguments: &[UI_AUTOMATION[0], UI_AUTOMATION[1], "tags", "verdicts"],
        says: &[
            "status 1 class|dev.trailblaze.trails.Trails|test|fails|",
            "stack|no element with text 'Nowhere' within 200 ms",
            "status 0 class|dev.trailblaze.trails.Trails|test|passes|",
            "stack|ToolFailure: 'one' is not equal to 'two'",
            "at dev.trailblaze.agent.Native.command(Native Method)",
            "finish -1 stream|\\n\\n1 passed, 2 failed",
            "inject=2",
        ],
        never: &["thrown ", "dispatch="],
    },
    Scenario {
        name: "trails pass and fail, by the service",
        properties: &[],
        arguments: &["tags", "verdicts"],
        says: &[
            "status -2 class|dev.trailblaze.trails.Trails|test|fails|",
            "status 0 class|dev.trailblaze.trails.Trails|test|passes|",
            "finish -1 stream|\\n\\n1 passed, 2 failed",
        ],
        never: &["thrown ", "inject="],
    },
    Scenario {
        name: "a look is one crossing",
        properties: &[],
        arguments: &[UI_AUTOMATION[0], UI_AUTOMATION[1], "tags", "crosses"],
        // Each is a call of a tool as well, which the log tells.
        says: &["100 looks are {capture=100, log=100}", "finish -1 stream|\\n\\n1 passed"],
        never: &["thrown "],
    },
    broken(
        "capture throws",
        &["plain.broken=capture"],
        &[
            "status -1 ",
            "stack|IllegalStateException: capture is broken",
            "at dev.trailblaze.agent.PlainBridge.capture(",
            CAUSE,
            "finish -1 stream|\\n\\n0 passed, 1 failed",
        ],
    ),
    broken(
        "shell throws",
        &["plain.broken=shell"],
        &[
            "finish 0 shortMsg|IllegalStateException: shell is broken|longMsg|",
            "at dev.trailblaze.agent.PlainBridge.shell(",
            CAUSE,
        ],
    ),
    broken(
        "display throws",
        &["plain.broken=display"],
        &[
            "finish 0 shortMsg|IllegalStateException: display is broken|longMsg|",
            "at dev.trailblaze.agent.PlainBridge.display(",
            CAUSE,
        ],
    ),
    broken(
        "asset throws",
        &["plain.broken=asset"],
        &[
            "finish 0 shortMsg|IllegalStateException: asset is broken|longMsg|",
            "at dev.trailblaze.agent.PlainBridge.asset(",
            CAUSE,
        ],
    ),
    broken(
        "status throws",
        &["plain.broken=status"],
        &[
            "trailblaze 6: a status could not be sent: IllegalStateException: status is broken",
            "finish -1 stream|\\n\\n1 passed, 0 failed",
        ],
    ),
    broken(
        "finish throws",
        &["plain.broken=finish"],
        &["trailblaze 6: the instrumentation could not be finished: IllegalStateException: finish is broken"],
    ),
    Scenario {
        name: "log throws as well as what it tells of",
        properties: &["plain.broken=log"],
        arguments: &["numShards", "many"],
        says: &["finish 0 shortMsg|the argument 'numShards' must be", "log=1"],
        never: &["thrown "],
    },
    Scenario {
        name: "another thread cancels",
        properties: &["plain.cancelAfterMs=500"],
        arguments: &[UI_AUTOMATION[0], UI_AUTOMATION[1], "tags", "waits"],
        says: &["stack|the run was interrupted", "finish -1 stream|\\n\\n0 passed, 1 failed"],
        never: &["thrown "],
    },
    Scenario {
        name: "two class loaders, each with its own library",
        properties: &[COPIES, "plain.times=2"],
        arguments: &[UI_AUTOMATION[0], UI_AUTOMATION[1], "tags", "short"],
        says: &[
            "loader first",
            "finish -1 stream|\\n\\n1 passed",
            "finish -1 stream|\\n\\n1 passed",
            "loader second",
            "finish -1 stream|\\n\\n1 passed",
            "finish -1 stream|\\n\\n1 passed",
        ],
        never: &["thrown "],
    },
    Scenario {
        name: "an argument that cannot be read",
        properties: &[],
        arguments: &["numShards", "many"],
        says: &["finish 0 shortMsg|the argument 'numShards' must be a whole number, not 'many'|"],
        never: &["thrown ", "status 1 "],
    },
    Scenario {
        name: "a key without a value",
        properties: &[],
        arguments: &[UI_AUTOMATION[0], UI_AUTOMATION[1], "tags", "short", "class"],
        says: &["finish -1 stream|\\n\\n1 passed, 0 failed"],
        never: &["thrown "],
    },
    Scenario {
        name: "an APK without trails",
        properties: &["plain.assets=[work]"],
        arguments: &UI_AUTOMATION,
        says: &["finish 0 shortMsg|the APK holds no trails|"],
        never: &["thrown ", "status 1 "],
    },
    Scenario {
        name: "nowhere to write",
        properties: &["plain.files=/proc/none"],
        arguments: &UI_AUTOMATION,
        says: &[
            "status -1 class|dev.trailblaze.trails.Trails|test|fails|",
            "stack|/proc/none/workspace",
            "finish 0 shortMsg|/proc/none/workspace",
            "calls ",
        ],
        never: &["thrown ", "status 0 "],
    },
];

/// Runs that are measured: many upcalls, of which the first runs only make everything ready.
pub(super) const MANY: Scenario = Scenario {
    name: "100,000 upcalls leave nothing behind",
    properties: &["plain.times=26", "plain.warmUp=6"],
    arguments: &[UI_AUTOMATION[0], UI_AUTOMATION[1], "tags", "looks"],
    says: &["finish -1 stream|\\n\\n1 passed", "upcalls="],
    never: &["thrown ", "status -"],
};

/// A library like ours, whose run always panics, in place of ours.
pub(super) const PANIC: Scenario = Scenario {
    name: "a panic is an exception, and the next call works",
    properties: &["java.library.path=[work]/panics", "plain.times=2"],
    arguments: &UI_AUTOMATION,
    says: &[
        "thrown java.lang.RuntimeException: a bug in Trailblaze: 1 arguments were given, and this one always panics",
        "thrown java.lang.RuntimeException: a bug in Trailblaze: 1 arguments were given, and this one always panics",
    ],
    never: &["finish "],
};

/// A mistake that is made on purpose, and what the JVM has to say to it.
#[derive(Debug)]
pub(super) struct Mistake {
    /// A method of `Control`.
    pub(super) method: &'static str,
    pub(super) complaint: &'static str,
}

pub(super) const MISTAKES: &[Mistake] = &[
    Mistake {
        method: "pending",
        complaint: "WARNING in native method: JNI call made with exception pending",
    },
    Mistake { method: "locals", complaint: "WARNING: JNI local refs: 33, exceeds capacity: 32" },
    Mistake {
        method: "deleted",
        complaint: "FATAL ERROR in native method: Bad global or local ref passed to JNI",
    },
];

/// The mistake that only shows when what stays behind is measured.
pub(super) const LEAK: &str = "leak";
