use super::*;

/// A sign-in screen with everything that can be drawn.
pub(super) const SIGN_IN: &str = "initialState: { focus: null, dialog: false },
  on: { tap: (s, e, api) => { if (e.id === 'go') api.toast('Wrong password'); return { focus: e.id, dialog: e.id === 'ask' } } },
  render: (s) => ({ keyboard: s.focus === 'user', windows: [
    { className: 'android.widget.FrameLayout', children: [
      { text: 'Sign in', isHeading: true, bounds: [60, 140, 1020, 260] },
      { text: 'Welcome back! Please enter your name.', bounds: [60, 280, 1020, 340] },
      { resourceId: 'user', hintText: 'User name', isEditable: true, isClickable: true, isFocused: s.focus === 'user', bounds: [60, 400, 1020, 530] },
      { resourceId: 'pass', text: 'secret', isEditable: true, isPassword: true, isClickable: true, isFocused: s.focus === 'pass', bounds: [60, 570, 1020, 700] },
      { text: 'Stay signed in', className: 'android.widget.CheckBox', isCheckable: true, isChecked: true, isClickable: true, bounds: [60, 730, 700, 830] },
      { text: 'Newsletter', className: 'android.widget.Switch', isCheckable: true, isClickable: true, bounds: [60, 840, 1020, 940] },
      { resourceId: 'go', text: 'Sign in', className: 'android.widget.Button', isClickable: true, bounds: [60, 980, 1020, 1120] },
      { text: 'Not yet', className: 'android.widget.Button', isClickable: true, isEnabled: false, bounds: [60, 1150, 520, 1270] },
      { resourceId: 'ask', text: 'Delete', className: 'android.widget.Button', isClickable: true, bounds: [560, 1150, 1020, 1270] },
      ...[0, 1].map((i) => ({ isClickable: true, bounds: [60, 1320 + i * 200, 1020, 1500 + i * 200], children: [
        { className: 'android.widget.ImageView', contentDescription: 'photo', bounds: [80, 1340 + i * 200, 220, 1480 + i * 200] },
        { text: 'Entry number ' + i, bounds: [250, 1340 + i * 200, 1000, 1410 + i * 200] },
        { text: 'Größe: 12 MB', bounds: [250, 1420 + i * 200, 1000, 1480 + i * 200] }] })),
      { className: 'android.widget.ProgressBar', bounds: [60, 1740, 1020, 1800] },
      { text: 'A longer text, such as one that explains what happens to your data, stands on several lines.', bounds: [60, 1820, 1020, 2000] },
    ] },
    s.dialog && { window: 'dialog', bounds: [90, 900, 990, 1400], children: [
      { text: 'Delete the account?', isHeading: true, bounds: [150, 950, 930, 1050] },
      { text: 'This cannot be undone.', bounds: [150, 1070, 930, 1140] },
      { text: 'Cancel', isClickable: true, bounds: [150, 1220, 500, 1340] },
      { text: 'Delete', isClickable: true, bounds: [580, 1220, 930, 1340] }] },
  ] })";

#[test]
fn a_screenshot_is_a_picture_of_half_the_size() {
    let sim = Sim::app(SIGN_IN);
    let shot = |name: &str| {
        let file = sim.device.screenshot().unwrap();
        // To look at: SIM_PICTURES=/tmp cargo test -p trailblaze-devices picture
        if let Ok(folder) = std::env::var("SIM_PICTURES") {
            std::fs::write(format!("{folder}/{name}.png"), &file).unwrap();
        }
        assert!(file.starts_with(b"\x89PNG\r\n\x1a\n"));
        assert_eq!(file[16..24], [0, 0, 2, 28, 0, 0, 4, 176]);
        assert!(file.len() < 100_000, "{}", file.len());
        file
    };
    let plain = shot("plain");
    assert_eq!(plain, shot("plain"));
    sim.act(tap(500, 450));
    let keyboard = shot("keyboard");
    sim.act(tap(500, 1050));
    let toast = shot("toast");
    sim.act(tap(800, 1200));
    let dialog = shot("dialog");
    sim.act(Action::Home);
    let home = shot("home");
    for (i, a) in [&plain, &keyboard, &toast, &dialog, &home].into_iter().enumerate() {
        for b in [&plain, &keyboard, &toast, &dialog, &home].into_iter().skip(i + 1) {
            assert!(a != b);
        }
    }
}
