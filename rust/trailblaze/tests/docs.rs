//! Runs the examples of the README and the guides in `docs/`, each page in a folder of its own.
//!
//! What a fenced block is for stands behind its language, where readers do not see it:
//!
//! | block | what happens |
//! |---|---|
//! | `yaml file=trails/a.trail.yaml`, `ts file=tools/a.ts`, … | the text is written into that file |
//! | `console`, `console exit=1` | lines `$ trailblaze …` run, and what they print must be what stands below them |
//! | `… needs=packages` | the same, where TRAILBLAZE_SDK_PACKAGES names a folder with the packages in its `node_modules` |
//! | `… needs=python` | the same, where TRAILBLAZE_PYTHON names a Python with the packages |
//! | `… needs=kotlin` | the same, where TRAILBLAZE_MAVEN names a Maven that has our package for Kotlin in its repository |
//! | `… needs=curl` | the same, where there is a curl |
//! | everything else | nothing |
//!
//! In expected output a line `…` stands for any lines, and a `…` within a line for any text. `$ cat FILE` prints
//! a file. `$ NAME=value trailblaze …` sets a variable. `exit=` is the exit code of the last command of the block; the
//! others must exit with 0. Copies of `examples/` and `tests/captures/` lie in the folder of every page, and a small
//! stand-in for the agent's APK in a cache of its own. On Linux, a phone of paper is on the cable of the page about laptops;
//! elsewhere the page is left out.
//!
//! `$ trailblaze serve … &` goes on until `$ kill %1` or the end of the page; what it prints first must be what stands below
//! it. Its port may be taken on this machine, so the one that it has stands in for 52525 in what comes after it.

use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader, PipeReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

#[path = "../../apk/tests/apk/template.rs"]
#[expect(clippy::unwrap_used, reason = "this serves tests only")]
mod template;

#[cfg(target_os = "linux")]
#[path = "phone"]
#[expect(dead_code, clippy::unwrap_used, reason = "this serves tests only, and other tests use more of it")]
mod phone {
    pub(crate) mod adb;
    pub(crate) mod lab;
    pub(crate) mod paper;
}
#[cfg(target_os = "linux")]
use phone::{lab, paper};

/// The page about phones, and what its commands find adb's server by.
const ABOUT_PHONES: &str = "laptop";
static ADB: OnceLock<String> = OnceLock::new();

/// A fenced block of a page.
#[derive(Debug, Default)]
struct Block {
    /// The line of the opening fence, counted from 1.
    line: usize,
    info: String,
    lines: Vec<String>,
}

impl Block {
    fn language(&self) -> &str {
        self.info.split_whitespace().next().unwrap_or_default()
    }

    /// The value of `key=value` behind the language.
    fn value(&self, key: &str) -> Option<&str> {
        let mut words = self.info.split_whitespace().skip(1);
        words.find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
    }
}

fn blocks(page: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut fence = None;
    for (index, line) in page.lines().enumerate() {
        let ticks = line.len() - line.trim_start_matches('`').len();
        match fence {
            None if ticks >= 3 => {
                fence = Some(ticks);
                let info = line[ticks..].trim().to_owned();
                blocks.push(Block { line: index + 1, info, lines: Vec::new() });
            }
            Some(open) if ticks >= open && line.trim_matches('`').is_empty() => fence = None,
            Some(_) => blocks.last_mut().expect("an open fence").lines.push(line.to_owned()),
            None => {}
        }
    }
    blocks
}

/// A command of a console block with what it must print.
#[derive(Debug, Default)]
struct Example {
    line: usize,
    command: String,
    expected: Vec<String>,
    exit: i32,
}

fn examples(block: &Block) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    for (index, line) in block.lines.iter().enumerate() {
        match (line.strip_prefix("$ "), examples.last_mut()) {
            (Some(command), _) => {
                let command = command.to_owned();
                examples.push(Example { line: block.line + 1 + index, command, ..Example::default() });
            }
            (None, Some(last)) => last.expected.push(line.clone()),
            (None, None) => {}
        }
    }
    if let Some(last) = examples.last_mut() {
        last.exit = block.value("exit").map_or(0, |exit| exit.parse().expect("exit=NUMBER"));
    }
    examples
}

/// The words of a command line; quotes keep spaces together.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut quote, mut inside) = (Vec::new(), None, false);
    for c in command.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '\'' || c == '"' => quote = Some(c),
            None if c == ' ' => inside = false,
            _ => {
                if !inside {
                    words.push(String::new());
                }
                inside = true;
                words.last_mut().expect("a word").push(c);
            }
        }
    }
    words
}

/// The user's caches, in the folder of a page.
const CACHES: &str = ".trailblaze/caches";

/// Programs that may be run besides our own.
const OTHERS: [&str; 4] = ["cp", "curl", "mvn", "python3"];

/// What a command prints, stdout and stderr as they come, and its exit code.
fn run(command: &str, folder: &Path) -> Result<(String, i32), String> {
    if let Some(files) = command.strip_prefix("cat ") {
        let read =
            |name: &String| fs::read_to_string(folder.join(name)).map_err(|why| format!("{name}: {why}"));
        return Ok((words(files).iter().map(read).collect::<Result<_, _>>()?, 0));
    }
    let (mut child, mut reader) = start(command, folder)?;
    let mut output = String::new();
    reader.read_to_string(&mut output).map_err(|why| why.to_string())?;
    let status = child.wait().map_err(|why| why.to_string())?;
    Ok((output, status.code().unwrap_or(-1)))
}

/// Starts a command; stdout and stderr come as one.
fn start(command: &str, folder: &Path) -> Result<(Child, PipeReader), String> {
    let words = words(command.strip_prefix("cargo run --release --").map_or(command, |rest| rest.trim()));
    let is_variable = |word: &&String| word.split_once('=').is_some_and(|(name, _)| is_name(name));
    let (variables, words) = words.split_at(words.iter().take_while(is_variable).count());
    let ours = env!("CARGO_BIN_EXE_trailblaze");
    let (name, args) = match words.split_first() {
        _ if command.starts_with("cargo run") => (ours, words),
        Some((name, args)) if name == "trailblaze" => (ours, args),
        Some((name, args)) if OTHERS.contains(&name.as_str()) => (name.as_str(), args),
        _ => {
            return Err(format!(
                "only 'trailblaze', 'cargo run --release --', 'cat' and {OTHERS:?} can be run"
            ));
        }
    };
    let (reader, writer) = std::io::pipe().map_err(|why| why.to_string())?;
    let both = writer.try_clone().map_err(|why| why.to_string())?;
    let mut program = Command::new(name);
    program.args(args).current_dir(folder).env("COLUMNS", "100").env("NO_COLOR", "1");
    program.env("TRAILBLAZE_SCRIPT_RUNTIME", "quickjs").env("PATH", path(folder));
    program.env("XDG_CACHE_HOME", folder.join(CACHES));
    program.env("PYTHONPATH", root().join("sdks/python/src")).env("PYTHONDONTWRITEBYTECODE", "1");
    if let Some(adb) = ADB.get().filter(|_| folder.ends_with(ABOUT_PHONES)) {
        program.env("ADB_SERVER_SOCKET", adb);
    }
    program.envs(variables.iter().filter_map(|variable| variable.split_once('=')));
    let child =
        program.stdin(Stdio::null()).stdout(writer).stderr(both).spawn().map_err(|why| why.to_string())?;
    Ok((child, reader))
}

/// A server that is ended when this is dropped.
struct Served {
    child: Child,
    /// Where it listens.
    port: String,
    /// Open, so that it may go on talking.
    _reader: BufReader<PipeReader>,
}

impl Served {
    /// Starts it, and reads as many lines as it is expected to begin with.
    fn start(command: &str, folder: &Path, lines: usize) -> Result<(Self, String), String> {
        let (child, reader) = start(command, folder)?;
        let mut reader = BufReader::new(reader);
        let mut output = String::new();
        for _ in 0..lines.max(1) {
            reader.read_line(&mut output).map_err(|why| why.to_string())?;
        }
        let port =
            output.lines().next().and_then(|url| url.rsplit(':').next()).unwrap_or_default().to_owned();
        let served = Self { child, port, _reader: reader };
        match served.port.parse::<u16>() {
            Ok(_) => Ok((served, output)),
            Err(_) => Err(format!("it does not say where it listens:\n{output}")),
        }
    }

    /// A text of the page as it holds on this machine.
    fn here(served: Option<&Self>, text: &str) -> String {
        text.replace(PORT, served.map_or(PORT, |served| &served.port))
    }

    /// What is printed here as the page has it.
    fn there(served: Option<&Self>, text: &str) -> String {
        text.replace(served.map_or(PORT, |served| &served.port), PORT)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Where pages say that a server listens.
const PORT: &str = "52525";

/// The name of a variable, as they are called here.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// PATH with the programs of the packages, with the Python that has packages as `python3`, and with Maven.
fn path(folder: &Path) -> OsString {
    let mut folders = vec![folder.join("node_modules/.bin")];
    let programs = ["TRAILBLAZE_PYTHON", "TRAILBLAZE_MAVEN"].into_iter().filter_map(named);
    folders.extend(programs.filter_map(|program| Some(program.parent()?.to_owned())));
    folders.extend(std::env::var_os("PATH").iter().flat_map(std::env::split_paths));
    std::env::join_paths(folders).expect("folders without a colon")
}

/// The program that a variable names.
fn named(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from)
}

/// Why a block cannot be run on this machine.
fn lacks(block: &Block, folder: &Path) -> Option<&'static str> {
    match block.value("needs")? {
        "packages" if !folder.join("node_modules").exists() => Some("TRAILBLAZE_SDK_PACKAGES is not set"),
        "python" if named("TRAILBLAZE_PYTHON").is_none() => Some("TRAILBLAZE_PYTHON is not set"),
        "kotlin" if named("TRAILBLAZE_MAVEN").is_none() => Some("TRAILBLAZE_MAVEN is not set"),
        "curl" if !std::env::split_paths(&path(folder)).any(|folder| folder.join("curl").exists()) => {
            Some("there is no curl")
        }
        _ => None,
    }
}

/// Whether lines fit, where `…` alone stands for any lines.
fn fit(expected: &[String], actual: &[&str]) -> bool {
    match (expected, actual) {
        ([], rest) => rest.is_empty(),
        ([any, more @ ..], rest) if any.trim() == "…" => {
            (0..=rest.len()).any(|skip| fit(more, &rest[skip..]))
        }
        ([line, more @ ..], [first, rest @ ..]) => {
            line_fits(line.trim_end(), first.trim_end()) && fit(more, rest)
        }
        (_, []) => false,
    }
}

fn line_fits(expected: &str, actual: &str) -> bool {
    let Some((before, after)) = expected.split_once('…') else { return expected == actual };
    let Some(rest) = actual.strip_prefix(before) else { return false };
    rest.char_indices().map(|(at, _)| at).chain([rest.len()]).any(|at| line_fits(after, &rest[at..]))
}

/// Runs the blocks of a page in order; what is wrong, each with its place.
fn check_page(path: &Path, shown: &str, folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).expect("a page that can be read");
    let mut wrong = Vec::new();
    let mut served: Option<Served> = None;
    for block in blocks(&text) {
        if let Some(why) = lacks(&block, folder) {
            eprintln!("{shown}:{}: left out: {why}", block.line);
            continue;
        }
        if let Some(name) = block.value("file") {
            let file = folder.join(name);
            fs::create_dir_all(file.parent().expect("a folder")).expect("a folder for the example");
            let text = Served::here(served.as_ref(), &(block.lines.join("\n") + "\n"));
            fs::write(file, text).expect("a file of the example");
        }
        if block.language() != "console" {
            continue;
        }
        let examples = examples(&block);
        if examples.is_empty() {
            wrong.push(format!("{shown}:{}: a console block needs a line that begins with '$ '", block.line));
        }
        for example in examples {
            let place = format!("{shown}:{}: {}", example.line, example.command);
            let command = Served::here(served.as_ref(), &example.command);
            let ran = match (command.strip_suffix(" &"), command.as_str()) {
                (Some(command), _) => {
                    Served::start(command, folder, example.expected.len()).map(|(begun, output)| {
                        served = Some(begun);
                        (output, 0)
                    })
                }
                (None, "kill %1") => {
                    served = None;
                    Ok((String::new(), 0))
                }
                // Whoever has that port is not ours.
                (None, command) if command.contains(PORT) && served.is_none() => {
                    Err("no server was started before this".to_owned())
                }
                (None, command) => run(command, folder),
            };
            let (output, exit) = match ran {
                Ok((output, exit)) => (Served::there(served.as_ref(), &output), exit),
                Err(why) => {
                    wrong.push(format!("{place}\n{why}"));
                    continue;
                }
            };
            let actual: Vec<&str> = output.trim_end().lines().collect();
            let expected: Vec<String> =
                example.expected.join("\n").trim_end().lines().map(str::to_owned).collect();
            if exit != example.exit {
                wrong.push(format!("{place}\nexits with {exit}, not {}\n{output}", example.exit));
            } else if !fit(&expected, &actual) {
                let expected = expected.join("\n");
                wrong.push(format!("{place}\n--- expected\n{expected}\n--- printed\n{}", actual.join("\n")));
            }
        }
    }
    wrong
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder for the copy");
    for entry in fs::read_dir(from).expect("a folder to copy").map(|entry| entry.expect("an entry")) {
        let (name, path) = (entry.file_name(), entry.path());
        match path.is_dir() {
            // Reports of earlier runs, and what was built or installed.
            true if [".trailblaze", ".venv", "node_modules", "target"].iter().any(|made| name == *made) => {}
            true => copy(&path, &to.join(name)),
            false => drop(fs::copy(&path, to.join(name)).expect("a copy")),
        }
    }
}

/// Every package as if it were installed here, and our client, whose own packages are looked for beside it.
#[cfg(unix)]
fn install(packages: &Path, to: &Path) {
    copy(&root().join("sdks/typescript/client"), &to.join("@trailblaze/client"));
    for entry in fs::read_dir(packages).expect("the packages").map(|entry| entry.expect("an entry")) {
        std::os::unix::fs::symlink(entry.path(), to.join(entry.file_name())).expect("a link to a package");
    }
}

#[test]
fn the_examples_of_the_docs_hold() {
    let root = root();
    let mut pages: Vec<PathBuf> = vec![root.join("README.md")];
    let entries = fs::read_dir(root.join("docs")).expect("docs/");
    pages.extend(
        entries
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.extension().is_some_and(|e| e == "md")),
    );
    pages.sort();
    let all = Path::new(env!("CARGO_TARGET_TMPDIR")).join("docs");
    if all.exists() {
        fs::remove_dir_all(&all).expect("the folder of the last run can go");
    }
    #[cfg(target_os = "linux")]
    let desk = phone::adb::Desk::like_a_real_one();
    #[cfg(target_os = "linux")]
    ADB.set(desk.socket()).expect("set once");
    if ADB.get().is_none() {
        eprintln!("docs/{ABOUT_PHONES}.md: left out: there is no phone of paper on this system");
        pages.retain(|page| !page.ends_with(format!("docs/{ABOUT_PHONES}.md")));
    }
    let mut wrong = Vec::new();
    for page in pages {
        let shown = page.strip_prefix(&root).expect("a page of the repo").display().to_string();
        let folder = all.join(page.file_stem().expect("a name"));
        for name in ["examples", "tests/captures"] {
            copy(&root.join(name), &folder.join(name));
        }
        let caches = folder.join(CACHES).join("trailblaze");
        fs::create_dir_all(&caches).expect("a folder for caches");
        fs::write(caches.join("trailblaze-agent.apk"), template::with(&[]))
            .expect("a stand-in for the agent");
        #[cfg(unix)]
        if let Some(packages) = named("TRAILBLAZE_SDK_PACKAGES") {
            install(&packages.join("node_modules"), &folder.join("node_modules"));
        }
        wrong.extend(check_page(&page, &shown, &folder));
    }
    assert!(wrong.is_empty(), "these do not hold:\n\n{}\n", wrong.join("\n\n"));
}

#[test]
fn dots_stand_for_anything() {
    let fits = |expected: &str, actual: &str| {
        let expected: Vec<String> = expected.lines().map(str::to_owned).collect();
        fit(&expected, &actual.lines().collect::<Vec<_>>())
    };
    assert!(fits("a\n…\nd", "a\nb\nc\nd") && fits("a\n…\nd", "a\nd") && fits("…", ""));
    assert!(fits("report: …/summary.md", "report: runs/1/summary.md") && !fits("a…c", "ab"));
    assert!(!fits("a\n…", "b\na") && !fits("a", "a\nb") && !fits("a\nb", "a"));
    assert_eq!(words("run 'a b' --secret x=\"y z\"  c"), ["run", "a b", "--secret", "x=y z", "c"]);
}
