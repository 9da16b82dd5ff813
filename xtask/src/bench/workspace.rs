//! The workspace that `check` is measured on: built-in tools, own tools and Maestro commands in turn.

use std::fmt::Write;
use std::fs;
use std::path::Path;

const WORKSPACE: &str = "target: shop\nplatform: android\n";

const TARGET: &str = "\
id: shop
display_name: Shop
platforms:
  android:
    app_ids: [com.example.shop]
sim: { app: ./app.js }
";

const SEARCH: &str = "\
id: shop_search
description: Types a query into the search field and submits it
parameters:
  - { name: query, type: string, required: true, description: Text to search for }
tools:
  - tapOnElementWithText: { text: Search }
  - inputText: { text: \"{{query}}\" }
  - pressKey: { keyCode: ENTER }
";

const APP: &str = "\
export const app = {
  id: 'com.example.shop',
  initialState: {},
  render: () => ({ className: 'android.widget.FrameLayout', bounds: [0, 0, 1080, 2400], children: [] }),
  on: {},
};
";

pub(super) fn write(folder: &Path, trails: usize, steps: usize) -> Result<(), String> {
    let mut files = vec![
        ("trailblaze.yaml".to_owned(), WORKSPACE.to_owned()),
        ("trailblaze-config/targets/shop.yaml".to_owned(), TARGET.to_owned()),
        ("trailblaze-config/tools/shop_search.yaml".to_owned(), SEARCH.to_owned()),
        ("app.js".to_owned(), APP.to_owned()),
    ];
    files.extend((0..trails).map(|number| {
        let path = format!("trails/part{:02}/case{number:03}.trail.yaml", number / 20);
        (path, trail(number, steps))
    }));
    for (path, text) in files {
        let path = folder.join(path);
        let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, text));
        written.map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

fn trail(number: usize, steps: usize) -> String {
    let mut text = format!(
        "config:\n  id: bench/case{number:03}\n  title: Case {number}\n  target: shop\n  tags: [bench]\n  memory: {{ name: Ann }}\n\
         trailhead:\n  step: Open the shop\n  recording:\n    android: {{ launchApp: {{ appId: com.example.shop }} }}\n\
         trail:\n"
    );
    for step in 0..steps {
        let call = match step % 6 {
            0 => format!("tapOnElementWithText: {{ text: Item {step} }}"),
            1 => format!("inputText: {{ text: \"{{{{memory.name}}}} number {number}\" }}"),
            2 => format!("assertVisibleWithText: {{ text: \"Item [0-9]+ of {steps}\", index: 0 }}"),
            3 => format!("shop_search: {{ query: Thing {number} }}"),
            4 => "maestro: { commands: [ { tapOn: { text: Buy } }, back ] }".to_owned(),
            _ => "swipe: { direction: UP }".to_owned(),
        };
        let kind = if step % 6 == 2 { "verify" } else { "step" };
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "  - {kind}: Do thing {step} of case {number}\n    recording:\n      android:\n        - {call}\n"
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trail_has_its_steps() {
        let text = trail(7, 20);
        assert!(text.contains("id: bench/case007"));
        assert_eq!(text.matches("\n    recording:").count(), 20);
        assert!(text.contains("{{memory.name}} number 7"));
    }
}
