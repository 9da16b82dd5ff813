//! An adb server of our own, on its own port and with its own home.

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use trailblaze_devices::adb::{Address, Error, Limit, Phone, Program, Server};
use trailblaze_devices::fake_adbd::{Adbd, FakePhone};
use trailblaze_engine::host::Cancel;

pub(crate) struct Lab {
    pub(crate) server: Server,
    program: Program,
    home: PathBuf,
}

pub(crate) fn limit() -> Limit {
    Limit::within(Duration::from_secs(20), &Cancel::default())
}

impl Lab {
    pub(crate) fn new() -> Self {
        let path = std::env::var_os("TRAILBLAZE_ADB")
            .expect("TRAILBLAZE_ADB names a real adb: run this by 'cargo xtask test --only adb'");
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let home = std::env::temp_dir().join(format!("trailblaze-adb-{}-{free}", std::process::id()));
        std::fs::create_dir_all(&home).unwrap();
        let mut program = Program::from(path);
        for name in ["HOME", "TMPDIR"] {
            program.env.push((name.into(), home.clone().into()));
        }
        let address = Address { port: free, ..Address::default() };
        Self { server: Server::new(address, Some(program.clone())), program, home }
    }

    /// The real command line, for this phone.
    pub(crate) fn adb(&self, phone: &Phone) -> Command {
        let mut command = Command::new(&self.program.path);
        command.envs(self.program.env.iter().map(|(name, value)| (name, value)));
        command.args(["-P", &self.server.address().port.to_string(), "-s", phone.serial()]);
        command
    }

    /// A lab whose server has this phone, which is ready.
    pub(crate) fn with(phone: FakePhone) -> (Self, Adbd, Phone) {
        let lab = Self::new();
        let (adbd, phone) = lab.connect(phone).unwrap();
        (lab, adbd, phone)
    }

    pub(crate) fn connect(&self, phone: FakePhone) -> Result<(Adbd, Phone), Error> {
        let adbd = Adbd::start(phone, 0).unwrap();
        self.server.ensure_running(&limit())?;
        self.server.connect_to(&adbd.serial(), &limit())?;
        self.server.wait_until_ready(&adbd.serial(), &limit())?;
        let phone = self.server.phone(adbd.serial());
        Ok((adbd, phone))
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        // One that was never started cannot be ended.
        let _ = self.server.kill(&limit());
        let _ = std::fs::remove_dir_all(&self.home);
    }
}

/// A folder of a test, which is removed with it.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("trailblaze-{name}-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.0.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
