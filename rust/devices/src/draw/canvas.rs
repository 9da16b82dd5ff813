//! Pixels: rectangles and bitmap text, clipped to the picture.

use font8x8::{
    BASIC_FONTS, BLOCK_FONTS, BOX_FONTS, GREEK_FONTS, HIRAGANA_FONTS, LATIN_FONTS, MISC_FONTS, UnicodeFonts,
};
use trailblaze_model::screen::Bounds;

pub(super) type Color = [u8; 3];

/// A glyph is eight rows of eight columns, times the scale.
const GLYPH: i32 = 8;
/// Shown for characters that the font lacks.
const UNKNOWN: [u8; 8] = [0x3c, 0x42, 0x42, 0x42, 0x42, 0x42, 0x3c, 0x00];

pub(super) struct Canvas {
    width: i32,
    height: i32,
    pixels: Vec<Color>,
}

impl Canvas {
    pub(super) fn new(width: i32, height: i32, color: Color) -> Self {
        Self { width, height, pixels: vec![color; width as usize * height as usize] }
    }

    pub(super) fn size(&self) -> (i32, i32) {
        (self.width, self.height)
    }

    #[cfg(test)]
    pub(super) fn at(&self, x: i32, y: i32) -> Color {
        self.pixels[y as usize * self.width as usize + x as usize]
    }

    /// The part of a rectangle that lies on the canvas; none when that is empty.
    fn clip(&self, bounds: Bounds) -> Option<Bounds> {
        let clipped = bounds.intersect(Bounds::new(0, 0, self.width, self.height));
        (clipped.left < clipped.right && clipped.top < clipped.bottom).then_some(clipped)
    }

    fn row(&mut self, y: i32, left: i32, right: i32) -> &mut [Color] {
        let start = y as usize * self.width as usize;
        &mut self.pixels[start + left as usize..start + right as usize]
    }

    pub(super) fn fill(&mut self, bounds: Bounds, color: Color) {
        let Some(part) = self.clip(bounds) else { return };
        for y in part.top..part.bottom {
            self.row(y, part.left, part.right).fill(color);
        }
    }

    /// Everything so far becomes darker.
    pub(super) fn dim(&mut self) {
        for channel in self.pixels.iter_mut().flatten() {
            *channel = (u16::from(*channel) * 5 / 9) as u8;
        }
    }

    pub(super) fn round_rect(&mut self, bounds: Bounds, radius: i32, color: Color) {
        let Some(part) = self.clip(bounds) else { return };
        let radius = radius.min(bounds.width() / 2).min(bounds.height() / 2).max(0);
        for y in part.top..part.bottom {
            let from_edge = (y - bounds.top).min(bounds.bottom - 1 - y);
            let rise = (radius - from_edge).max(0);
            // How far the arc is from the side at this height.
            let inset = radius - (radius * radius - rise * rise).max(0).isqrt();
            let left = (bounds.left + inset).max(part.left);
            let right = (bounds.right - inset).min(part.right);
            if left < right {
                self.row(y, left, right).fill(color);
            }
        }
    }

    /// A rounded rectangle with a border.
    pub(super) fn outlined(&mut self, bounds: Bounds, radius: i32, border: (i32, Color), inside: Color) {
        let (thickness, color) = border;
        self.round_rect(bounds, radius, color);
        self.round_rect(inset(bounds, thickness), radius - thickness, inside);
    }

    /// One line from the left, cut off at the right edge of `bounds`.
    pub(super) fn text(&mut self, bounds: Bounds, scale: i32, color: Color, text: &str) {
        let Some(part) = self.clip(bounds) else { return };
        let top = bounds.center().1 - GLYPH * scale / 2;
        let mut left = bounds.left;
        for character in text.chars() {
            let (rows, first, columns) = glyph(character);
            if left >= part.right {
                return;
            }
            for (y, row) in rows.iter().enumerate() {
                for x in 0..columns {
                    if row >> (first + x) & 1 == 1 {
                        let (x, y) = (left + x * scale, top + y as i32 * scale);
                        self.fill(Bounds::new(x, y, x + scale, y + scale).intersect(part), color);
                    }
                }
            }
            left += (columns + 1) * scale;
        }
    }

    /// Breaks lines between words when one is not enough and there is room for more. A single line stands in the
    /// middle; many are made smaller until they fit.
    pub(super) fn paragraph(&mut self, bounds: Bounds, largest: i32, color: Color, text: &str) {
        let step = |scale: i32| GLYPH * scale * 3 / 2;
        let fits =
            |scale: &i32| lines(text, bounds.width(), *scale).len() as i32 * step(*scale) <= bounds.height();
        let scale = (3..=largest).rev().find(fits).unwrap_or(3);
        let lines = lines(text, bounds.width(), scale);
        if lines.len() == 1 || bounds.height() < 2 * step(scale) {
            return self.text(bounds, scale, color, text);
        }
        for (top, line) in (bounds.top..bounds.bottom).step_by(step(scale) as usize).zip(&lines) {
            let bottom = (top + step(scale)).min(bounds.bottom);
            self.text(Bounds { top, bottom, ..bounds }, scale, color, line);
        }
    }

    pub(super) fn text_centered(&mut self, bounds: Bounds, scale: i32, color: Color, text: &str) {
        let spare = bounds.width() - text_width(text, scale);
        let left = bounds.left + spare.max(0) / 2;
        self.text(Bounds { left, ..bounds }, scale, color, text);
    }

    /// Width, height and RGB bytes after each square of `by` pixels became one.
    pub(super) fn shrunk(&self, by: usize) -> (u32, u32, Vec<u8>) {
        let (full, width, height) =
            (self.width as usize, self.width as usize / by, self.height as usize / by);
        let mut out = Vec::with_capacity(width * height * 3);
        for y in 0..height {
            for x in 0..width {
                let mut sum = [0_usize; 3];
                for dy in 0..by {
                    let start = (y * by + dy) * full + x * by;
                    for pixel in &self.pixels[start..start + by] {
                        for (total, channel) in sum.iter_mut().zip(pixel) {
                            *total += usize::from(*channel);
                        }
                    }
                }
                out.extend(sum.map(|total| (total / (by * by)) as u8));
            }
        }
        (width as u32, height as u32, out)
    }
}

pub(super) fn inset(bounds: Bounds, by: i32) -> Bounds {
    Bounds::new(bounds.left + by, bounds.top + by, bounds.right - by, bounds.bottom - by)
}

pub(super) fn text_width(text: &str, scale: i32) -> i32 {
    text.chars().fold(0_i32, |width, character| width.saturating_add((glyph(character).2 + 1) * scale))
}

fn lines(text: &str, width: i32, scale: i32) -> Vec<String> {
    let mut lines = Vec::new();
    for part in text.lines() {
        let mut line = String::new();
        for word in part.split(' ') {
            let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
            if line.is_empty() || text_width(&longer, scale) <= width {
                line = longer;
            } else {
                lines.push(std::mem::replace(&mut line, word.to_owned()));
            }
        }
        lines.push(line);
    }
    lines
}

/// The rows of a character, its first used column and how many it uses: the font is monospaced, but words read
/// better when an `i` is narrower than an `m`.
fn glyph(character: char) -> ([u8; 8], i32, i32) {
    let rows = BASIC_FONTS
        .get(character)
        .or_else(|| LATIN_FONTS.get(character))
        .or_else(|| GREEK_FONTS.get(character))
        .or_else(|| HIRAGANA_FONTS.get(character))
        .or_else(|| BOX_FONTS.get(character))
        .or_else(|| BLOCK_FONTS.get(character))
        .or_else(|| MISC_FONTS.get(character))
        .unwrap_or_else(|| lookalike(character).and_then(|plain| BASIC_FONTS.get(plain)).unwrap_or(UNKNOWN));
    let used = rows.iter().fold(0, |all, row| all | row);
    if used == 0 {
        return (rows, 0, 3);
    }
    let first = used.trailing_zeros() as i32;
    (rows, first, GLYPH - used.leading_zeros() as i32 - first)
}

/// Typographic characters that texts of apps are full of.
fn lookalike(character: char) -> Option<char> {
    Some(match character {
        '‘' | '’' => '\'',
        '“' | '”' => '"',
        '–' | '—' | '−' => '-',
        '•' | '●' => '*',
        '…' => '_',
        '\u{a0}' => ' ',
        _ => return None,
    })
}
