//! Draws a screen from its tree, so that a person sees what the test saw. It need not be pretty, but a button must
//! look like a button and text must be readable.

mod canvas;
mod look;

use trailblaze_model::screen::{Bounds, Screen, WindowKind};

use canvas::{Canvas, Color};
use look::Look;

const PAPER: Color = [243, 244, 248];
const CARD: Color = [255, 255, 255];
const KEYS: Color = [206, 210, 217];
const TOAST: Color = [50, 52, 58];
const INK: Color = [28, 30, 36];

/// The picture is half as wide and half as high as the screen: files stay small, and edges become soft.
const SHRINK: usize = 2;

/// Larger screens would only be a mistake in somebody's numbers.
const MAX_SIDE: i32 = 8_192;

/// The screen as a PNG of half its size.
pub fn png(screen: &Screen) -> Result<Vec<u8>, png::EncodingError> {
    let canvas = draw(screen);
    let (width, height, pixels) = canvas.shrunk(SHRINK);
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels)?;
    writer.finish()?;
    Ok(file)
}

fn draw(screen: &Screen) -> Canvas {
    let side = |length: i32| length.clamp(SHRINK as i32, MAX_SIDE);
    let mut canvas = Canvas::new(side(screen.width), side(screen.height), PAPER);
    for window in screen.windows() {
        let root = screen.node(window.root);
        let bounds = near(root.bounds().unwrap_or_else(|| screen.bounds()));
        match window.kind {
            WindowKind::Application => {}
            WindowKind::System => canvas.fill(bounds, PAPER),
            WindowKind::Dialog => {
                canvas.dim();
                canvas.round_rect(bounds, 36, CARD);
            }
            WindowKind::Keyboard => keyboard(&mut canvas, bounds),
            WindowKind::Toast => canvas.round_rect(bounds, bounds.height() / 2, TOAST),
        }
        let look = Look {
            on_dark: window.kind == WindowKind::Toast,
            root_is_drawn: window.kind != WindowKind::Application,
        };
        look.node(&mut canvas, root, true);
        for node in root.descendants() {
            look.node(&mut canvas, node, false);
        }
    }
    gesture_bar(&mut canvas);
    canvas
}

/// Cuts off what is far outside, so that nothing that is computed from bounds overflows.
fn near(bounds: Bounds) -> Bounds {
    let side = |at: i32| at.clamp(-2 * MAX_SIDE, 2 * MAX_SIDE);
    Bounds::new(side(bounds.left), side(bounds.top), side(bounds.right), side(bounds.bottom))
}

/// Three rows of letters and one with the space bar.
fn keyboard(canvas: &mut Canvas, bounds: Bounds) {
    canvas.fill(bounds, KEYS);
    let gap = bounds.width() / 90;
    let row_height = bounds.height() / 5;
    for (row, letters) in ["qwertyuiop", "asdfghjkl", "zxcvbnm"].into_iter().enumerate() {
        let key_width = bounds.width() / 10;
        let count = letters.len() as i32;
        let left = bounds.left + (bounds.width() - count * key_width) / 2;
        let top = bounds.top + row_height / 4 + row as i32 * row_height;
        for (column, letter) in letters.chars().enumerate() {
            let left = left + column as i32 * key_width;
            let key = Bounds::new(left + gap, top + gap, left + key_width - gap, top + row_height - gap);
            canvas.round_rect(key, 14, CARD);
            canvas.text_centered(key, 4, INK, &letter.to_string());
        }
    }
    let top = bounds.top + row_height / 4 + 3 * row_height;
    let quarter = bounds.width() / 4;
    let space = Bounds::new(bounds.left + quarter, top + gap, bounds.right - quarter, top + row_height - gap);
    canvas.round_rect(space, 14, CARD);
}

/// The little bar at the lower edge that says "this is a phone".
fn gesture_bar(canvas: &mut Canvas) {
    let (width, height) = canvas.size();
    canvas.round_rect(
        Bounds::new(width * 3 / 8, height - 22, width * 5 / 8, height - 12),
        5,
        [120, 124, 132],
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use trailblaze_model::screen::{Flag, NodeSpec, Prop, ScreenBuilder};

    fn spec(class: &str, text: &str, bounds: [i32; 4], flags: &[Flag]) -> NodeSpec {
        let [l, t, r, b] = bounds;
        let mut spec = NodeSpec::default().with(Prop::ClassName, class).with(Prop::Text, text);
        spec.bounds = Some(Bounds::new(l, t, r, b));
        for flag in flags {
            spec.flags.set(*flag, true);
        }
        spec
    }

    #[test]
    fn a_button_has_a_filled_face_and_text_of_another_colour() {
        let mut builder = ScreenBuilder::new(400, 400, 0);
        builder.open(NodeSpec::default()).unwrap();
        builder.open(spec("android.widget.Button", "OK", [100, 100, 300, 200], &[Flag::Clickable])).unwrap();
        let canvas = draw(&builder.finish());
        assert_eq!(canvas.at(50, 50), PAPER);
        let face = canvas.at(110, 150);
        assert_ne!(face, PAPER);
        let inside = (100..300).flat_map(|x| (100..200).map(move |y| (x, y)));
        assert!(inside.filter(|(x, y)| canvas.at(*x, *y) == [255, 255, 255]).count() > 100);
        assert_eq!(canvas.at(100, 100), PAPER, "the corner is round");
    }

    #[test]
    fn a_dialog_dims_what_is_below() {
        let mut builder = ScreenBuilder::new(400, 400, 0);
        builder.window(WindowKind::Application);
        builder.open(NodeSpec::default()).unwrap();
        builder.close();
        builder.window(WindowKind::Dialog);
        builder.open(spec("", "", [100, 100, 300, 300], &[])).unwrap();
        let canvas = draw(&builder.finish());
        assert!(canvas.at(10, 10)[0] < 160);
        assert_eq!(canvas.at(200, 200), CARD);
    }

    #[test]
    fn bounds_outside_the_screen_and_odd_sizes_do_no_harm() {
        let huge = [i32::MIN, i32::MIN, i32::MAX, i32::MAX];
        for (width, height) in [(0, 0), (1, 1), (33, 7), (i32::MAX, 3)] {
            let mut builder = ScreenBuilder::new(width, height, 0);
            for kind in [WindowKind::Application, WindowKind::Dialog, WindowKind::Keyboard, WindowKind::Toast]
            {
                builder.window(kind);
                builder.open(spec("Button", "😀é\u{7}", huge, &[Flag::Clickable])).unwrap();
                builder.open(spec("CheckBox", "x", [50, 50, -50, -50], &[Flag::Checkable])).unwrap();
                builder.close();
                builder.close();
            }
            assert!(png(&builder.finish()).unwrap().starts_with(b"\x89PNG"));
        }
    }

    #[test]
    fn a_password_is_not_drawn() {
        let picture = |text: &str| {
            let mut builder = ScreenBuilder::new(400, 200, 0);
            builder
                .open(spec("EditText", text, [0, 0, 400, 150], &[Flag::Editable, Flag::Password]))
                .unwrap();
            png(&builder.finish()).unwrap()
        };
        assert_eq!(picture("secret"), picture("abcdef"));
        assert_ne!(picture("secret"), picture("abc"));
    }
}
