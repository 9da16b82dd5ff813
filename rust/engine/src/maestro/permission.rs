//! Maestro's short names of permissions.

/// The permissions of Android that a name stands for. `all` stays as it is: only the device knows what an
/// app asks for.
pub(super) fn names(name: &str) -> Vec<String> {
    let short = SHORT_NAMES.iter().find(|(short, _)| *short == name);
    match short {
        Some((_, permissions)) => {
            permissions.iter().map(|name| format!("android.permission.{name}")).collect()
        }
        None => vec![name.chars().filter(|c| c.is_ascii_alphanumeric() || "._".contains(*c)).collect()],
    }
}

const SHORT_NAMES: &[(&str, &[&str])] = &[
    ("bluetooth", &["BLUETOOTH_CONNECT", "BLUETOOTH_SCAN"]),
    ("calendar", &["READ_CALENDAR", "WRITE_CALENDAR"]),
    ("camera", &["CAMERA"]),
    ("contacts", &["READ_CONTACTS", "WRITE_CONTACTS"]),
    ("location", &["ACCESS_FINE_LOCATION", "ACCESS_COARSE_LOCATION"]),
    (
        "medialibrary",
        &[
            "READ_EXTERNAL_STORAGE",
            "WRITE_EXTERNAL_STORAGE",
            "READ_MEDIA_AUDIO",
            "READ_MEDIA_IMAGES",
            "READ_MEDIA_VIDEO",
        ],
    ),
    ("microphone", &["RECORD_AUDIO"]),
    ("notifications", &["POST_NOTIFICATIONS"]),
    ("phone", &["CALL_PHONE", "ANSWER_PHONE_CALLS"]),
    ("sms", &["READ_SMS", "RECEIVE_SMS", "SEND_SMS"]),
    ("storage", &["READ_EXTERNAL_STORAGE", "WRITE_EXTERNAL_STORAGE"]),
];
