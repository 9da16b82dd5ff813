//! Apps on the phone.

use trailblaze_devices::adb::{ErrorKind, InstallOptions, Phone, Refusal};
use trailblaze_devices::fake_adbd::{FakePhone, Packages, Process};

use crate::lab::{Folder, Lab, limit};
use crate::talk::commands;

fn paper(packages: &Packages) -> FakePhone {
    let packages = packages.clone();
    FakePhone::new(move |process: &mut Process| packages.answer(process).unwrap_or_else(|| commands(process)))
}

fn check_installs(packages: &Packages, phone: &Phone) {
    packages.next_is("com.example.app");
    let folder = Folder::new("apks");
    let apk: Vec<u8> = (0..5_000_000u32).map(|index| (index >> 4) as u8).collect();
    std::fs::write(folder.0.join("app.apk"), &apk).unwrap();
    let options = InstallOptions { grant_permissions: true, user: Some(0), ..InstallOptions::default() };
    assert!(!phone.is_installed("com.example.app", &limit()).unwrap());
    phone.install(&folder.0.join("app.apk"), &options, &limit()).unwrap();
    assert!(packages.bytes_of("com.example.app").unwrap() == apk, "all bytes arrived");
    assert_eq!(packages.asked(), ["-r -t -g --user 0 -S 5000000"]);
    assert!(phone.is_installed("com.example.app", &limit()).unwrap());
    assert!(!phone.is_installed("com.example", &limit()).unwrap());
    assert!(phone.uninstall("com.example.app", &limit()).unwrap());
    assert!(!phone.uninstall("com.example.app", &limit()).unwrap(), "it is gone");
}

#[test]
fn an_app_is_installed_and_removed() {
    let packages = Packages::default();
    let (_lab, _adbd, phone) = Lab::with(paper(&packages));
    check_installs(&packages, &phone);
}

#[test]
fn an_app_is_installed_on_a_phone_without_abb() {
    let packages = Packages::default();
    let (_lab, _adbd, phone) = Lab::with(paper(&packages).without(&["abb_exec"]));
    check_installs(&packages, &phone);
}

#[test]
fn a_refusal_is_heard_before_all_is_sent() {
    let packages = Packages::default();
    packages.refuse(Some("INSTALL_FAILED_INSUFFICIENT_STORAGE"));
    let (_lab, _adbd, phone) = Lab::with(paper(&packages));
    let (mut endless, options) = (std::io::repeat(7), InstallOptions::default());
    let error = phone.install_from(&mut endless, u64::MAX, "app.apk", &options, &limit()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Install(Refusal::NoRoom));
    assert_eq!(
        error.to_string(),
        format!(
            "app.apk cannot be installed on {}: the phone has no room for it (INSTALL_FAILED_INSUFFICIENT_STORAGE)\nhint: make room on the phone",
            phone.serial()
        )
    );
}
