//! What a model reads of a screen.

use trailblaze_engine::matching::refs;
use trailblaze_engine::outline::{LIMIT, is_actionable, lines, outline};
use trailblaze_model::screen::Flag;

use crate::common::captures;

/// Whatever a person could do something with stands in it, under the name that tools take.
#[test]
fn every_element_that_can_be_acted_on_has_a_line() {
    let acts = [Flag::Clickable, Flag::Editable, Flag::Scrollable, Flag::Checkable];
    for (name, capture) in captures() {
        for screen in [capture.screen, capture.legacy].into_iter().flatten() {
            let (lines, text, refs) = (lines(&screen), outline(&screen), refs::refs(&screen));
            assert!(text.chars().count() <= LIMIT, "{name}: {}\n{text}", text.chars().count());
            for node in screen
                .nodes()
                .filter(|node| node.has(Flag::VisibleToUser) && acts.iter().any(|flag| node.has(*flag)))
            {
                assert!(is_actionable(node));
                let line = lines.iter().find(|line| line.node == node.id());
                let line = line.unwrap_or_else(|| panic!("{name}: {node:?} is missing in\n{text}"));
                let Some((_, known)) = refs.iter().find(|(id, _)| *id == node.id()) else { continue };
                assert!(line.text.starts_with(&format!("[{known}]")), "{name}: {}", line.text);
                assert!(text.contains(&format!("[{known}]")), "{name}: [{known}] is missing in\n{text}");
            }
        }
    }
}

#[test]
fn decoration_is_left_out_and_ids_are_short() {
    let (_, capture) = captures()
        .into_iter()
        .find(|(name, _)| name.starts_with("calendar_android_time_picker_text_mode"))
        .unwrap();
    let expected = r#"screen 1080x2400 com.google.android.calendar
"Set time"
"Type in time"
[y862] EditText "1" #input_hour edit
":"
[k932] EditText "00" #input_minute edit
"hour"
"minute"
[e360] Spinner #am_pm_spinner tap hold scroll
 [x656] CheckedTextView "PM" #text1 unchecked
[z628] ImageButton "Switch to clock mode for the time input." #toggle_mode tap
[o954] Button "Cancel" #button2 tap
[p426] Button "OK" #button1 tap
"#;
    assert_eq!(outline(&capture.screen.unwrap()), expected);
}
