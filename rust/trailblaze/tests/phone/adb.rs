//! A laptop with adb's server, and the phone of paper on its cable.

mod server;

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use trailblaze::phone;
use trailblaze_android::platform::Platform;
use trailblaze_apk::manifest::{Changes, Manifest};
use trailblaze_devices::fake_adbd::{FakePhone, Files, Node, Packages, Process};
use trailblaze_engine::host::Cancel;

use self::server::serve;
use crate::lab::Lab;
use crate::paper::PaperPhone;
use crate::template;

pub(crate) const SERIAL: &str = "R5CT1234ABC";
pub(crate) const OTHER: &str = "Q7ZZ9876XYZ";
const AGENT: &str = "dev.trailblaze.agent";

/// Something that happens meanwhile; it is given the command or the path.
pub(crate) type Hook = Box<dyn FnMut(&str) + Send>;

/// What the phone does with the agent, and what it was asked.
pub(crate) struct World {
    /// Where the phone's files are on this machine.
    pub root: PathBuf,
    pub paper: Arc<PaperPhone>,
    pub cancel: Cancel,
    /// Ends the agent that runs, and what the phone was like then.
    killed: Mutex<(Cancel, Option<Left>)>,
    pub packages: Packages,
    /// The version of the agent that is there.
    pub version: Mutex<Option<String>>,
    /// Every command of the shell.
    pub commands: Mutex<Vec<String>>,
    /// Runs before each of them.
    pub on_command: Mutex<Option<Hook>>,
    /// Runs when a file is pushed, or a folder listed, with this in its path.
    pub on_file: Mutex<Option<(&'static str, Hook)>>,
    /// The next agent takes calls and answers none.
    pub is_odd: AtomicBool,
    pub is_running: AtomicBool,
    /// Whether its cable is out.
    pub is_away: AtomicBool,
    /// How often somebody began to wait for a change of the list of phones.
    pub watches: AtomicUsize,
    /// What `am instrument` says instead of running anything.
    pub says: Mutex<Option<String>>,
    /// The events that it writes before that.
    pub writes: Mutex<Option<String>>,
    /// Beginnings of commands, and what they print.
    pub answers: Mutex<BTreeMap<String, String>>,
    /// Beginnings of commands that fail, and what they say.
    refuses: Mutex<BTreeMap<String, String>>,
    /// The mode of the file with secrets, and what stood in it.
    pub handed: Mutex<Option<(u32, String)>>,
    /// Files of the workspace that the agent, another user, could not read.
    pub unreadable: Mutex<Vec<PathBuf>>,
    /// How many bytes fit.
    room: Mutex<Option<usize>>,
    connections: Mutex<Vec<TcpStream>>,
    /// Those of them that lead to the agent.
    streams: Mutex<Vec<TcpStream>>,
}

impl World {
    /// A path of the phone on this machine.
    pub(crate) fn here(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }

    fn mapped(&self, text: &str) -> String {
        let root = self.root.display();
        ["/data/local/tmp", "/sdcard"]
            .iter()
            .fold(text.to_owned(), |text, place| text.replace(place, &format!("{root}{place}")))
    }

    /// Every file that lies where runs put them.
    pub(crate) fn left(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![self.here("/data/local/tmp"), self.here("/sdcard")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                found.push(path.strip_prefix(&self.root).unwrap().to_string_lossy().into_owned());
                if path.is_dir() {
                    folders.push(path);
                }
            }
        }
        found.retain(|path| path.contains("trailblaze-run"));
        found
    }

    /// Ends all connections, as a pulled cable does.
    pub(crate) fn unplug(&self) {
        for socket in self.connections.lock().unwrap().drain(..) {
            let _ = socket.shutdown(Shutdown::Both);
        }
    }

    fn answer(self: &Arc<Self>, process: &mut Process) -> io::Result<u8> {
        let line = process.line.clone();
        self.commands.lock().unwrap().push(line.clone());
        let hook = self.on_command.lock().unwrap().take();
        if let Some(mut hook) = hook {
            hook(&line);
            self.on_command.lock().unwrap().get_or_insert(hook);
        }
        if let Some(answered) = self.packages.answer(process) {
            if answered.is_ok() && line.contains("package install") && self.packages.bytes_of(AGENT).is_some()
            {
                *self.version.lock().unwrap() = Some(env!("CARGO_PKG_VERSION").to_owned());
            }
            return answered;
        }
        let answers = self.answers.lock().unwrap().clone();
        if let Some((_, answer)) = answers.iter().find(|(start, _)| line.starts_with(*start)) {
            process.out(answer)?;
            return Ok(0);
        }
        let refuses = self.refuses.lock().unwrap().clone();
        if let Some((_, why)) = refuses.iter().find(|(start, _)| line.starts_with(*start)) {
            process.err(format!("{why}\n"))?;
            return Ok(255);
        }
        let started = line.strip_prefix("trap '' HUP; ").unwrap_or(&line);
        let words: Vec<&str> = started.split_whitespace().collect();
        match words.as_slice() {
            ["am", "instrument", ..] => self.instrument(&words, process),
            ["am", "force-stop", AGENT] => {
                self.kill();
                Ok(0)
            }
            ["pidof", AGENT] if self.is_running.load(Ordering::SeqCst) => {
                process.out("4242\n")?;
                Ok(0)
            }
            ["pidof", _] => Ok(1),
            ["dumpsys", "package", AGENT] => {
                let version = self.version.lock().unwrap().clone();
                process
                    .out(version.map(|version| format!("    versionName={version}\n")).unwrap_or_default())?;
                Ok(0)
            }
            _ => self.shell(&line, process),
        }
    }

    fn touched(&self, path: &str) {
        let hook = self.on_file.lock().unwrap().take_if(|(part, _)| path.contains(*part));
        if let Some((_, mut hook)) = hook {
            hook(path);
        }
    }

    /// An agent that hangs up on everybody, until it is killed.
    fn hang_up(&self, session: &str, process: &mut Process) -> io::Result<u8> {
        use std::os::linux::net::SocketAddrExt;
        use std::os::unix::net::{SocketAddr, UnixListener};
        let kill = Cancel::default();
        *self.killed.lock().unwrap() = (kill.clone(), None);
        self.is_running.store(true, Ordering::SeqCst);
        let at = SocketAddr::from_abstract_name(format!("trailblaze-{session}"))?;
        let listener = UnixListener::bind_addr(&at)?;
        listener.set_nonblocking(true)?;
        while !kill.is_cancelled() {
            drop(listener.accept());
            thread::yield_now();
        }
        drop(listener);
        self.is_running.store(false, Ordering::SeqCst);
        process.out("INSTRUMENTATION_CODE: 0\n")?;
        Ok(0)
    }

    /// The file in which an agent keeps what it changed.
    fn kept(&self) -> PathBuf {
        PathBuf::from(self.paper.files_dir().unwrap()).join("settings-before")
    }

    /// Ends the agent, as Android does where memory is short.
    pub(crate) fn kill(&self) {
        let mut killed = self.killed.lock().unwrap();
        if self.is_running.load(Ordering::SeqCst) {
            let settings = self.paper.state().settings.clone();
            killed.1 = Some(Left { settings, kept: fs::read_to_string(self.kept()).ok() });
            killed.0.cancel();
        }
        drop(killed);
        while self.is_running.load(Ordering::SeqCst) {
            thread::yield_now();
        }
        for socket in self.streams.lock().unwrap().drain(..) {
            let _ = socket.shutdown(Shutdown::Both);
        }
    }

    /// What `/proc/net/unix` of the phone shows while an agent serves: its socket, and a connection of it.
    pub(crate) fn show_socket(&self, session: &str) {
        let line = |state: &str| {
            format!("0000000000000000: 00000002 00000000 00010000 0001 {state} 1 @trailblaze-{session}\n")
        };
        let other = "0000000000000000: 00000003 00000000 00000000 0001 03 7 /dev/socket/logdr\n";
        let text =
            format!("Num RefCount Protocol Flags Type St Inode Path\n{}{other}{}", line("01"), line("03"));
        self.answers.lock().unwrap().insert("cat /proc/net/unix".to_owned(), text);
    }

    /// A shell of this machine stands for that of the phone.
    fn shell(&self, line: &str, process: &mut Process) -> io::Result<u8> {
        let mut child = Command::new("sh")
            .args(["-c", &self.mapped(line)])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let mut from = std::mem::replace(&mut process.stdin, Box::new(io::empty()));
        let mut to = child.stdin.take().unwrap();
        // A command that does not read need not; one that does sees the end of who started it.
        thread::spawn(move || io::copy(&mut from, &mut to));
        let (mut out, mut bytes) = (child.stdout.take().unwrap(), [0; 4096]);
        loop {
            match out.read(&mut bytes)? {
                0 => break,
                count => process.out(&bytes[..count])?,
            }
        }
        let output = child.wait_with_output()?;
        process.err(output.stderr)?;
        Ok(u8::try_from(output.status.code().unwrap_or(255)).unwrap_or(255))
    }

    /// The agent, on a thread of this process.
    fn instrument(self: &Arc<Self>, words: &[&str], process: &mut Process) -> io::Result<u8> {
        use std::os::unix::fs::PermissionsExt;
        let pairs: Vec<(String, String)> = words
            .windows(3)
            .filter(|three| three[0] == "-e")
            .map(|three| (three[1].to_owned(), self.mapped(three[2])))
            .collect();
        if self.is_odd.swap(false, Ordering::SeqCst) {
            let session = pairs.iter().find(|(key, _)| key == "session").unwrap();
            return self.hang_up(&session.1, process);
        }
        if let Some(says) = self.says.lock().unwrap().clone() {
            let output = pairs.iter().find(|(key, _)| key == "additionalTestOutputDir");
            if let (Some(events), Some((_, output))) = (self.writes.lock().unwrap().clone(), output) {
                let reports = Path::new(output).join("trailblaze");
                fs::create_dir_all(&reports)?;
                fs::write(reports.join("events.jsonl"), events)?;
            }
            process.out(says)?;
            return Ok(0);
        }
        if let Some((_, file)) = pairs.iter().find(|(key, _)| key == "argumentsFile") {
            let mode = fs::metadata(file)?.permissions().mode() & 0o777;
            *self.handed.lock().unwrap() = Some((mode, fs::read_to_string(file)?));
        }
        let mut folders: Vec<PathBuf> =
            pairs.iter().filter(|(key, _)| key == "workspace").map(|(_, folder)| folder.into()).collect();
        while let Some(folder) = folders.pop() {
            for path in fs::read_dir(folder)?.map(|entry| entry.unwrap().path()) {
                let wanted = if path.is_dir() { 0o005 } else { 0o004 };
                if fs::metadata(&path)?.permissions().mode() & wanted != wanted {
                    self.unreadable.lock().unwrap().push(path.clone());
                }
                if path.is_dir() {
                    folders.push(path);
                }
            }
        }
        // An app has one process, and so has the agent.
        self.kill();
        self.is_running.store(true, Ordering::SeqCst);
        self.paper.state().is_disconnected = false;
        let kill = Cancel::default();
        *self.killed.lock().unwrap() = (kill.clone(), None);
        phone::run_by(self.paper.clock.clone(), self.paper.clone(), pairs, &self.cancel.or(&[kill]));
        // Who is killed puts nothing back.
        if let Some(left) = self.killed.lock().unwrap().1.take() {
            self.paper.state().settings = left.settings;
            left.kept.into_iter().for_each(|text| fs::write(self.kept(), text).unwrap());
        }
        self.is_running.store(false, Ordering::SeqCst);
        let finished = self.paper.state().finished.pop().expect("a run is finished");
        for (key, value) in &finished.values {
            process.out(format!("INSTRUMENTATION_RESULT: {key}={value}\n"))?;
        }
        process.out(format!("INSTRUMENTATION_CODE: {}\n", finished.code))?;
        Ok(0)
    }
}

/// What an agent leaves that is killed.
struct Left {
    settings: BTreeMap<String, String>,
    kept: Option<String>,
}

/// The phone's files, on a disk that may be full.
struct Disk(Arc<World>);

struct Written(Box<dyn Write + Send>, Arc<World>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(room) = &mut *self.1.room.lock().unwrap() {
            *room = room.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Files for Disk {
    fn stat(&self, path: &str, follows_links: bool) -> io::Result<Node> {
        self.0.root.stat(path, follows_links)
    }
    fn list(&self, path: &str) -> io::Result<Vec<(String, Node)>> {
        self.0.touched(path);
        self.0.root.list(path)
    }
    fn read(&self, path: &str) -> io::Result<Box<dyn Read + Send>> {
        self.0.root.read(path)
    }
    fn create(&self, path: &str) -> io::Result<Box<dyn Write + Send>> {
        self.0.touched(path);
        Ok(Box::new(Written(self.0.root.create(path)?, self.0.clone())))
    }
    fn finish(&self, path: &str, permissions: u32, mtime: u32) -> io::Result<()> {
        self.0.root.finish(path, permissions, mtime)
    }
    fn remove(&self, path: &str) {
        self.0.root.remove(path);
    }
}

/// A laptop, a cable and a phone.
pub(crate) struct Desk {
    pub lab: Lab,
    pub world: Arc<World>,
    port: u16,
}

impl Desk {
    /// A phone with the agent on it.
    pub(crate) fn new() -> Self {
        Self::listing(&[(SERIAL, "device")])
    }

    /// A phone with another serial.
    pub(crate) fn called(serial: &'static str) -> Self {
        let (lab, world, phone) = Self::phone();
        let port = serve(vec![(serial, phone, world.clone())], &[(serial, "device")]);
        Self { lab, world, port }
    }

    /// With other phones beside it, or in other states.
    pub(crate) fn listing(devices: &[(&str, &str)]) -> Self {
        let (lab, world, phone) = Self::phone();
        let port = serve(vec![(SERIAL, phone, world.clone())], devices);
        Self { lab, world, port }
    }

    /// Two phones on one laptop.
    pub(crate) fn two() -> [Self; 2] {
        let [(lab, world, phone), (other_lab, other_world, other)] = [Self::phone(), Self::phone()];
        let phones = vec![(SERIAL, phone, world.clone()), (OTHER, other, other_world.clone())];
        let port = serve(phones, &[(SERIAL, "device"), (OTHER, "device")]);
        [Self { lab, world, port }, Self { lab: other_lab, world: other_world, port }]
    }

    fn phone() -> (Lab, Arc<World>, Arc<FakePhone>) {
        let lab = Lab::bare();
        let root = lab.root.join("phone");
        for folder in ["data/local/tmp", "sdcard"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        let world = Arc::new(World {
            root,
            paper: lab.phone.clone(),
            cancel: lab.cancel.clone(),
            killed: Mutex::default(),
            packages: Packages::default(),
            version: Mutex::new(Some(env!("CARGO_PKG_VERSION").to_owned())),
            commands: Mutex::default(),
            on_command: Mutex::default(),
            on_file: Mutex::default(),
            is_odd: AtomicBool::new(false),
            is_running: AtomicBool::new(false),
            is_away: AtomicBool::new(false),
            watches: AtomicUsize::new(0),
            says: Mutex::default(),
            writes: Mutex::default(),
            // Other tests have sockets on this machine.
            answers: Mutex::new([("cat /proc/net/unix".to_owned(), "Num RefCount\n".to_owned())].into()),
            refuses: Mutex::default(),
            handed: Mutex::default(),
            unreadable: Mutex::default(),
            room: Mutex::default(),
            connections: Mutex::default(),
            streams: Mutex::default(),
        });
        world.packages.next_is(AGENT);
        let answering = world.clone();
        let phone = FakePhone::new(move |process| answering.answer(process)).files(Disk(world.clone()));
        (lab, world, Arc::new(phone))
    }

    /// A phone that answers what a real one does.
    pub(crate) fn like_a_real_one() -> Self {
        let desk = Self::new();
        for (command, answer) in [
            (
                "getprop",
                "[ro.build.version.release]: [14]\n[ro.build.version.sdk]: [34]\n[ro.product.cpu.abi]: [arm64-v8a]\n[ro.product.manufacturer]: [Acme]\n[ro.product.model]: [Paper 9]\n[persist.sys.owner]: [Eve Adams]\n",
            ),
            ("wm size", "Physical size: 1080x2400\n"),
            ("wm density", "Physical density: 420\nOverride density: 440\n"),
            (
                "df -k /data",
                "Filesystem 1K-blocks Used Available Use% Mounted on\n/dev/x 9000000 4000000 5000000 45% /data\n",
            ),
            ("getenforce", "Enforcing\n"),
            ("settings put secure trailblaze_doctor 1", "Deleted 1 rows\n"),
        ] {
            desk.answers(command, answer);
        }
        desk
    }

    /// Where adb's server listens.
    pub(crate) fn socket(&self) -> String {
        format!("tcp:127.0.0.1:{}", self.port)
    }

    /// Puts an agent's APK of a version where it is looked for, and gives its bytes.
    pub(crate) fn keep_agent(&self, version: &str) -> Vec<u8> {
        let mut manifest = Manifest::read(template::MANIFEST).unwrap();
        manifest.change(&Changes { version_name: Some(version.to_owned()), ..Changes::default() }).unwrap();
        let apk = template::with(&[("AndroidManifest.xml", &manifest.print())]);
        let folder = self.lab.root.join("home/.cache/trailblaze");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("trailblaze-agent.apk"), &apk).unwrap();
        apk
    }

    /// So many bytes fit on the phone.
    pub(crate) fn with_room(self, bytes: usize) -> Self {
        *self.world.room.lock().unwrap() = Some(bytes);
        self
    }

    /// A workspace with these trails, which is the current folder of commands.
    pub(crate) fn workspace(&self, trails: &[(&str, &str)]) {
        self.lab.write("shop/trailblaze.yaml", "target: lab\n");
        self.lab.write(
            "shop/trailblaze-config/targets/lab.yaml",
            "id: lab\ndisplay_name: Lab\nplatforms:\n  android:\n    app_ids: [com.example.lab]\n",
        );
        for (name, text) in trails {
            self.lab.write(&format!("shop/trails/{name}.trail.yaml"), text);
        }
    }

    /// Lets commands that begin like this print something.
    pub(crate) fn answers(&self, start: &str, text: &str) {
        self.world.answers.lock().unwrap().insert(start.to_owned(), text.to_owned());
    }

    /// Lets commands that begin like this fail.
    pub(crate) fn refuses(&self, start: &str, why: &str) {
        self.world.refuses.lock().unwrap().insert(start.to_owned(), why.to_owned());
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let shop = self.lab.root.join("shop");
        fs::create_dir_all(&shop).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_trailblaze"));
        command.args(args).current_dir(shop).stdin(Stdio::null());
        command.env_remove("COLUMNS").env("NO_COLOR", "1").env("USER", "eve");
        command.env("HOME", self.lab.root.join("home")).env_remove("XDG_CACHE_HOME").env("PATH", "");
        command.env_remove("ANDROID_HOME").env_remove("ANDROID_SDK_ROOT");
        command.env("ADB_SERVER_SOCKET", self.socket());
        command.env("TRAILBLAZE_SCRIPT_RUNTIME", "quickjs");
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Said {
        self.said(self.command(args).output().unwrap())
    }

    pub(crate) fn start(&self, args: &[&str]) -> Child {
        self.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    pub(crate) fn said(&self, output: Output) -> Said {
        let text = |bytes: Vec<u8>| {
            String::from_utf8(bytes).unwrap().replace(&*self.lab.root.to_string_lossy(), "[root]")
        };
        Said { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// Every command that the phone was given.
    pub(crate) fn commands(&self) -> String {
        self.world.commands.lock().unwrap().join("\n")
    }

    /// The folder of the only run.
    pub(crate) fn report(&self) -> PathBuf {
        self.lab.root.join("shop/.trailblaze/runs/latest").canonicalize().unwrap()
    }

    /// Nothing of the run is left on the phone, and the phone is as it was.
    #[track_caller]
    pub(crate) fn is_clean(&self) {
        assert_eq!(self.world.left(), <[String; 0]>::default());
        assert!(!self.world.is_running.load(Ordering::SeqCst));
        let settings = self.lab.phone.state().settings.clone();
        assert_eq!(settings["global window_animation_scale"], "1.0");
        assert!(!settings.values().any(|value| value.contains("trailblaze")), "{settings:?}");
    }
}

/// What a command said.
#[derive(Debug)]
pub(crate) struct Said {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Said {
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}\n{}", self.out, self.err);
        self
    }
}

pub(crate) fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}
