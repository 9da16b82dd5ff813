//! Lists as adb's server has written them, in several versions.

use super::*;

#[track_caller]
fn check(list: &str, expected: &[&str]) {
    let found: Vec<String> = read(list)
        .unwrap()
        .iter()
        .map(|device| {
            let Listed { serial, state, product, model, device, usb, transport_id } = device;
            let words = [("product", product), ("model", model), ("device", device), ("usb", usb)];
            let mut text = format!("{serial} = {state}");
            for (key, value) in words.into_iter().filter_map(|(key, value)| Some((key, value.as_ref()?))) {
                text.push_str(&format!(" {key}:{value}"));
            }
            transport_id.iter().for_each(|id| text.push_str(&format!(" #{id}")));
            text
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn lines_of_the_list() {
    check("", &[]);
    check("\n \n", &[]);
    check(
        "R5CT1234567            device usb:1-4 product:panther model:Pixel_7 device:panther transport_id:3\n\
         127.0.0.1:5555         device product:sdk model:sdk device:x transport_id:12\n",
        &[
            "R5CT1234567 = device product:panther model:Pixel_7 device:panther usb:1-4 #3",
            "127.0.0.1:5555 = device product:sdk model:sdk device:x #12",
        ],
    );
    check("emulator-5554\tdevice\n", &["emulator-5554 = device"]);
    check("abc                    unauthorized usb:1-4 transport_id:4", &["abc = unauthorized usb:1-4 #4"]);
    check("abc                    authorizing transport_id:4", &["abc = connecting #4"]);
    check("abc                    recovery transport_id:x", &["abc = recovery"]);
    check(
        "????????????           no permissions (user in plugdev group; are your udev rules wrong?); see [http://developer.android.com/tools/device.html] usb:1-2 transport_id:9",
        &["???????????? = no permissions usb:1-2 #9"],
    );
    check("(no serial number)     offline transport_id:9", &["(no serial number) = offline #9"]);
    assert_eq!(read("a device\nalone\n").unwrap_err(), "'alone'");
}

#[track_caller]
fn check_choice(list: &str, serial: Option<&str>, expected: &str) {
    let found = match choose(&read(list).unwrap(), serial) {
        Ok(device) => device.name(),
        Err(error) => format!("{:?}: {error}", error.kind),
    };
    assert_eq!(found, expected);
}

#[test]
fn the_one_that_is_meant() {
    let two = "a device model:Pixel_9\nb device\n";
    check_choice("a device model:Pixel_9", None, "Pixel 9 (a)");
    check_choice(two, Some("b"), "b");
    check_choice("a offline\nb device", None, "b");
    check_choice(
        two,
        None,
        "SeveralDevices: 2 phones are connected: Pixel 9 (a), b\nhint: name one with '--device SERIAL'",
    );
    check_choice(two, Some("c"), "NoDevice: there is no phone 'c'\nhint: there is Pixel 9 (a), b");
    check_choice(
        "",
        None,
        "NoDevice: no phone is connected\nhint: connect a phone with USB debugging switched on, or start an emulator; 'adb devices' lists what is there",
    );
    check_choice(
        "",
        Some("c"),
        "NoDevice: there is no phone 'c': none is connected\nhint: connect a phone with USB debugging switched on, or start an emulator; 'adb devices' lists what is there",
    );
}

#[test]
fn one_that_is_not_ready_says_what_to_do() {
    check_choice(
        "a unauthorized",
        None,
        "Unauthorized: a has not agreed to be debugged from this laptop\nhint: accept the question 'Allow USB debugging?' on the phone",
    );
    check_choice(
        "a offline",
        None,
        "Offline: a is offline\nhint: replug the phone, or switch USB debugging off and on again",
    );
    check_choice(
        "a connecting",
        None,
        "Offline: a is being connected\nhint: wait a moment; look at the phone for a question",
    );
    check_choice(
        "a bootloader",
        None,
        "WrongState: a is in the state 'bootloader'\nhint: start Android on it: 'adb reboot'",
    );
    check_choice(
        "a no permissions (missing udev rules? user is in the plugdev group) usb:1-2",
        None,
        "NoPermissions: a cannot be opened: no permissions (missing udev rules? user is in the plugdev group)\nhint: this user may not open the phone: on Linux it needs udev rules, as the package 'android-sdk-platform-tools-common' has them",
    );
}
