//! The library in a plain desktop JVM: our Java without Android over the real JNI, with `-Xcheck:jni` looking on.
//!
//! The same scenarios run over the host's library and, with the kit's shim, over the one for phones. Controls make
//! mistakes on purpose first: where the JVM has nothing to say about those, its silence proves nothing.

mod jdk;
mod output;
mod scenario;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::build_folder::BuildFolder;
use crate::place::Place;
use crate::process::{Cmd, Ended, Talk};
use crate::temp_folder::TempFolder;

pub(crate) use jdk::{Jdk, find as find_jdk};
pub(crate) use output::Growth;
use scenario::{COPIES, LEAK, MANY, MISTAKES, Mistake, PANIC, SCENARIOS, Scenario};

const TESTS: &str = "android/jvm-tests";
/// The Java of the agent that knows nothing of Android.
const AGENT: [&str; 2] =
    ["android/agent/src/main/java/dev/trailblaze/agent", "android/agent/src/main/java/dev/trailblaze/tool"];

/// Nothing takes a tenth of it, save for the many upcalls.
const LIMIT: Duration = Duration::from_secs(60);
const LIMIT_OF_MANY: Duration = Duration::from_secs(600);

/// So that what grows is what native code left behind: a heap of one size, touched at once, and the simplest of what the
/// JVM can choose from for the rest.
const STILL: [&str; 5] =
    ["-Xms32m", "-Xmx32m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"];
const UPCALLS: i64 = 100_000;
/// Memory is never quite still; 40 bytes that are kept per upcall would be above this.
pub(crate) const NOISE_KB: i64 = 4_000;

/// The library and how a JVM gets at it.
#[derive(Debug)]
pub(crate) enum Library {
    /// Built for this machine.
    Host(PathBuf),
    /// Built for a phone with a processor like this machine's, over the shim of the kit.
    Android { file: PathBuf, kit: PathBuf },
}

impl Library {
    fn file(&self) -> &Path {
        match self {
            Self::Host(file) | Self::Android { file, .. } => file,
        }
    }

    /// A JVM that checks, and can load the library and its copies.
    fn java(&self, place: &Place, jdk: &Jdk, copies: &[PathBuf]) -> Cmd {
        match self {
            Self::Host(file) => {
                let mut path = std::ffi::OsString::from("-Djava.library.path=");
                path.push(file.parent().unwrap_or(file));
                jdk.java(&place.root).arg("-Xcheck:jni").arg(path)
            }
            Self::Android { file, kit } => {
                let script = Cmd::new(place.root.join("android/kit/run-jvm.sh"), &place.root);
                let java = jdk.set(script).env("ANDROID_KIT", kit).arg(file);
                let agent = kit.join("shim/x86_64/agent.so");
                java.args(
                    copies.iter().map(|copy| format!("-agentpath:{}={}", agent.display(), copy.display())),
                )
            }
        }
    }
}

/// The library that the build of the workspace leaves.
pub(crate) fn host_library(folder: &BuildFolder, profile: &str) -> PathBuf {
    let name = format!("{}trailblaze{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    folder.path().join(profile).join(name)
}

/// Runs everything; the text says how it went.
pub(crate) fn test(
    place: &Place,
    folder: &BuildFolder,
    jdk: &Jdk,
    library: Library,
) -> Result<String, String> {
    let lab = Lab::new(place, folder, jdk, library)?;
    let mut failed = Vec::new();
    let mut count = 0;
    let mut step = |name: &str, work: &dyn Fn() -> Result<String, String>| {
        count += 1;
        let start = Instant::now();
        let result = work();
        let took = start.elapsed().as_secs_f64();
        match &result {
            Ok(figure) if figure.is_empty() => eprintln!("ok      {took:>5.1} s  {name}"),
            Ok(figure) => eprintln!("ok      {took:>5.1} s  {name}: {figure}"),
            Err(message) => {
                eprintln!("FAILED  {took:>5.1} s  {name}: {message}");
                failed.push(name.to_owned());
            }
        }
        result.unwrap_or_default()
    };
    for mistake in MISTAKES {
        step(&format!("control: '{}' is noticed", mistake.method), &|| lab.mistake(mistake));
    }
    step("control: what stays behind is noticed", &|| lab.leak());
    for scenario in SCENARIOS {
        step(scenario.name, &|| lab.run(scenario, LIMIT, &[]).map(|_| String::new()));
    }
    step(PANIC.name, &|| lab.panic());
    let figure = step(MANY.name, &|| lab.many());
    match failed.as_slice() {
        [] => Ok(format!("{count} scenarios; {figure}")),
        failed => Err(format!("{} of {count} scenarios: {}", failed.len(), failed.join("; "))),
    }
}

/// What many upcalls leave behind, for the bench.
pub(crate) fn growth(
    place: &Place,
    folder: &BuildFolder,
    jdk: &Jdk,
    library: Library,
) -> Result<Growth, String> {
    Lab::new(place, folder, jdk, library)?.growth()
}

/// `101041 upcalls left 0 references, 0 threads, 212 kB`
fn shown(growth: Growth) -> String {
    let Growth { upcalls, references, threads, kilobytes } = growth;
    format!("{upcalls} upcalls left {references} references, {threads} threads, {kilobytes} kB")
}

/// Everything that the scenarios need.
struct Lab<'a> {
    place: &'a Place,
    jdk: &'a Jdk,
    library: Library,
    classes: PathBuf,
    control: PathBuf,
    copies: Vec<PathBuf>,
    work: TempFolder,
}

impl<'a> Lab<'a> {
    fn new(place: &'a Place, folder: &BuildFolder, jdk: &'a Jdk, library: Library) -> Result<Self, String> {
        let work = TempFolder::new("jvm")?;
        let classes = folder.path().join("plain-java");
        compile(place, jdk, &classes)?;
        let control = compile_control(place, jdk, &folder.path().join("control"))?;
        let name = library.file().file_name().ok_or("the library has no name")?;
        let mut copies = Vec::new();
        for loader in ["first", "second"] {
            let copy = work.path.join("copies").join(loader);
            fs::create_dir_all(&copy).map_err(|error| format!("{}: {error}", copy.display()))?;
            let copy = copy.join(name);
            fs::copy(library.file(), &copy)
                .map_err(|error| format!("{}: {error}", library.file().display()))?;
            copies.push(copy);
        }
        Ok(Self { place, jdk, library, classes, control, copies, work })
    }

    fn java(&self, options: &[&str], copies: &[PathBuf]) -> Cmd {
        // A mistake may end the JVM: nobody wants its core.
        let java =
            self.library.java(self.place, self.jdk, copies).arg("-XX:-CreateCoredumpOnCrash").args(options);
        java.arg("-cp").arg(&self.classes)
    }

    fn run(&self, scenario: &Scenario, limit: Duration, options: &[&str]) -> Result<Ended, String> {
        let copies = if scenario.properties.contains(&COPIES) { self.copies.as_slice() } else { &[] };
        self.run_with(copies, scenario, limit, options)
    }

    /// With these libraries beside the one that is tested.
    fn run_with(
        &self,
        copies: &[PathBuf],
        scenario: &Scenario,
        limit: Duration,
        options: &[&str],
    ) -> Result<Ended, String> {
        let files = self.work.path.join("files");
        let defaults = [
            format!("plain.assets={}", self.place.root.join(TESTS).join("plain/assets").display()),
            format!("plain.files={}", files.display()),
        ];
        let given = scenario.properties.iter();
        let given = given.map(|property| property.replace("[work]", &self.work.path.to_string_lossy()));
        // The last one counts.
        let properties = defaults.into_iter().chain(given).map(|property| format!("-D{property}"));
        let command = self.java(options, copies).args(properties);
        let command = command.arg("dev.trailblaze.agent.PlainMain").args(scenario.arguments);
        let shown = command.shown();
        let ended = command.within(limit, Talk::Kept)?;
        // Reports of one run have no place in those of the next; what stays is only room on the disk.
        let _ = fs::remove_dir_all(files);
        match trouble(scenario, &ended) {
            None => Ok(ended),
            Some(trouble) => {
                eprintln!("$ {shown}\n{}", ended.told);
                Err(trouble)
            }
        }
    }

    fn many(&self) -> Result<String, String> {
        let growth = self.growth()?;
        if is_still(growth) { Ok(shown(growth)) } else { Err(shown(growth)) }
    }

    fn growth(&self) -> Result<Growth, String> {
        let ended = self.run(&MANY, LIMIT_OF_MANY, &STILL)?;
        let growth = output::growth(&ended.told).ok_or("nothing was measured")?;
        if growth.upcalls < UPCALLS { Err(format!("only {} upcalls", growth.upcalls)) } else { Ok(growth) }
    }

    /// With an example of `rust/android` under the library's name.
    fn panic(&self) -> Result<String, String> {
        let library = self.library.file();
        let name = library.file_name().unwrap_or_default();
        let panics =
            library.with_file_name("examples").join(name.to_string_lossy().replace("trailblaze", "panics"));
        let folder = self.work.path.join("panics");
        let copy = folder.join(name);
        fs::create_dir_all(&folder)
            .and_then(|()| fs::copy(&panics, &copy))
            .map_err(|error| format!("{}: {error}", panics.display()))?;
        self.run_with(&[copy], &PANIC, LIMIT, &[]).map(|_| String::new())
    }

    fn control(&self, mistake: &str, options: &[&str]) -> Result<Ended, String> {
        let command = self.java(options, &[]).arg(format!("-Dcontrol={}", self.control.display()));
        command.args(["dev.trailblaze.agent.Control", mistake]).within(LIMIT, Talk::Kept)
    }

    fn mistake(&self, mistake: &Mistake) -> Result<String, String> {
        let ended = self.control(mistake.method, &[])?;
        if output::complaints(&ended.told).any(|line| line.starts_with(mistake.complaint)) {
            return Ok(String::new());
        }
        eprintln!("{}", ended.told);
        Err("-Xcheck:jni says nothing to it, so that its silence elsewhere proves nothing".to_owned())
    }

    fn leak(&self) -> Result<String, String> {
        let ended = self.control(LEAK, &STILL)?;
        let growth = output::growth(&ended.told).ok_or_else(|| ended.told.clone())?;
        if growth.references >= growth.upcalls && growth.kilobytes > NOISE_KB {
            Ok(shown(growth))
        } else {
            Err(format!("a leak does not show: {}", shown(growth)))
        }
    }
}

fn is_still(growth: Growth) -> bool {
    growth.references <= 0 && growth.threads <= 0 && growth.kilobytes <= NOISE_KB
}

/// What is wrong with a run.
fn trouble(scenario: &Scenario, ended: &Ended) -> Option<String> {
    let Some(status) = ended.status else { return Some("it hangs".to_owned()) };
    if let Some(complaint) = output::complaints(&ended.told).next() {
        return Some(format!("the JVM complains: {complaint}"));
    }
    if !status.success() {
        return Some(format!("the JVM ended with {status}"));
    }
    if let Some(part) = output::missing(&ended.told, scenario.says) {
        return Some(format!("'{part}' is missing"));
    }
    if let Some(part) = scenario.never.iter().find(|part| ended.told.contains(**part)) {
        return Some(format!("'{part}' must not be there"));
    }
    output::unpaired(&ended.told)
}

fn compile(place: &Place, jdk: &Jdk, out: &Path) -> Result<(), String> {
    // Classes of files that are gone would still be found.
    let _ = fs::remove_dir_all(out);
    let mut sources = java_files(&place.root.join(TESTS).join("plain"))?;
    sources.extend(java_files(&place.root.join(TESTS).join("control"))?);
    for folder in AGENT {
        let is_plain = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            folder.ends_with("tool") || name.starts_with("Native") || name == "Web.java"
        };
        sources.extend(java_files(&place.root.join(folder))?.into_iter().filter(is_plain));
    }
    jdk.javac(&place.root).args(["-Werror", "-Xlint:all", "-d"]).arg(out).args(sources).run()
}

fn java_files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let trouble = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(trouble)? {
        let path = entry.map_err(trouble)?.path();
        if path.is_dir() {
            files.extend(java_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "java") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn compile_control(place: &Place, jdk: &Jdk, out: &Path) -> Result<PathBuf, String> {
    fs::create_dir_all(out).map_err(|error| format!("{}: {error}", out.display()))?;
    let file = out.join(format!("{}control{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX));
    let headers = jdk.headers().into_iter().map(|folder| format!("-I{}", folder.display()));
    // The compiler that Rust links with.
    let cc = Cmd::new("cc", &place.root).args(["-shared", "-fPIC", "-Wall"]).args(headers);
    cc.arg(place.root.join(TESTS).join("control/control.c")).arg("-o").arg(&file).run()?;
    Ok(file)
}
