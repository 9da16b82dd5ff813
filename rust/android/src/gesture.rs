//! From a touch to what each of the two drivers needs: strokes for the service, single events for injection.

use trailblaze_model::action::Finger;

use crate::platform::{Motion, Stroke};

const DOWN: i32 = 0;
const UP: i32 = 1;
const MOVE: i32 = 2;
const POINTER_DOWN: i32 = 5;
const POINTER_UP: i32 = 6;
const POINTER_SHIFT: i32 = 8;

/// So long a finger stays down for a tap.
const TAP_MS: u64 = 50;
/// So much later the second tap of two comes.
const SECOND_TAP_MS: u64 = 150;
/// So long a finger rests on a thing before it carries it along.
pub(crate) const PICK_UP_MS: u64 = 600;
/// So far a resting finger moves.
const REST_PIXELS: f32 = 4.0;
/// Injected moves come so often.
const FRAME_MS: u64 = 16;
/// How far the two fingers of a pinch are from its middle at the nearer end, in shares of the smaller side.
const PINCH_NEAR: f64 = 0.05;
const PINCH_FAR: f64 = 0.3;
const PINCH_MS: u64 = 400;

pub(crate) fn tap(at: (i32, i32)) -> Vec<Finger> {
    vec![Finger { points: vec![at], start_ms: 0, duration_ms: TAP_MS }]
}

pub(crate) fn double_tap(at: (i32, i32)) -> Vec<Finger> {
    let second = Finger { points: vec![at], start_ms: SECOND_TAP_MS, duration_ms: TAP_MS };
    tap(at).into_iter().chain([second]).collect()
}

pub(crate) fn press(at: (i32, i32), duration_ms: u64) -> Vec<Finger> {
    vec![Finger { points: vec![at], start_ms: 0, duration_ms: duration_ms.max(1) }]
}

pub(crate) fn swipe(from: (i32, i32), to: (i32, i32), duration_ms: u64) -> Vec<Finger> {
    vec![Finger { points: vec![from, to], start_ms: 0, duration_ms: duration_ms.max(1) }]
}

/// Two fingers beside a point that move apart (above 1) or together.
pub(crate) fn pinch((x, y): (i32, i32), scale: f64, (width, height): (i32, i32)) -> Vec<Finger> {
    let side = f64::from(width.min(height));
    let (near, far) = (side * PINCH_NEAR, side * PINCH_FAR);
    // A scale that is too large for the screen ends at its edge.
    let (start, end) =
        if scale >= 1.0 { (near.max(far / scale), far) } else { (far, (far * scale).max(near)) };
    let finger = |sign: f64| {
        let point = |distance: f64| (x + (sign * distance) as i32, y);
        Finger { points: vec![point(start), point(end)], start_ms: 0, duration_ms: PINCH_MS }
    };
    vec![finger(-1.0), finger(1.0)]
}

/// The ways of all fingers. `hold_ms` is how long they rest where they went down.
pub(crate) fn strokes(fingers: &[Finger], hold_ms: u64) -> Vec<Stroke> {
    let stroke = |finger: &Finger| {
        let duration_ms = finger.duration_ms.max(1);
        let way: Vec<(f32, f32)> = finger.points.iter().map(|(x, y)| (*x as f32, *y as f32)).collect();
        let mut points = rest(&way, hold_ms as f32 / duration_ms as f32);
        points.extend(way);
        Stroke { points, start_ms: finger.start_ms, duration_ms: duration_ms + hold_ms }
    };
    fingers.iter().map(stroke).collect()
}

/// A finger goes along its stroke at one speed and cannot rest, so it goes to and fro within a few pixels, which no view
/// takes for a move. `share` is how long it rests, in times of its way.
fn rest(way: &[(f32, f32)], share: f32) -> Vec<(f32, f32)> {
    let Some((x, y)) = way.first().copied() else { return Vec::new() };
    let length: f32 = way.windows(2).map(|pair| (pair[1].0 - pair[0].0).hypot(pair[1].1 - pair[0].1)).sum();
    let turns = (length * share / (2.0 * REST_PIXELS)).round() as usize;
    (0..turns).flat_map(|_| [(x, y), (x + REST_PIXELS, y)]).collect()
}

/// Where a finger is after a time; it passes its points at equal times.
fn position(finger: &Finger, at_ms: u64) -> (f32, f32) {
    let points = &finger.points;
    let share = (at_ms.saturating_sub(finger.start_ms)) as f64 / finger.duration_ms.max(1) as f64;
    let along = share.clamp(0.0, 1.0) * (points.len().saturating_sub(1)) as f64;
    let index = (along as usize).min(points.len().saturating_sub(2));
    let (x1, y1) = points[index];
    let (x2, y2) = points.get(index + 1).copied().unwrap_or((x1, y1));
    let rest = along - index as f64;
    let between = |a: i32, b: i32| (f64::from(a) + (f64::from(b) - f64::from(a)) * rest) as f32;
    (between(x1, x2), between(y1, y2))
}

/// Every event of the touch, in the order of time. `hold_ms` is how long all fingers rest where they went down.
pub(crate) fn motions(fingers: &[Finger], hold_ms: u64) -> Vec<Motion> {
    let end_of = |finger: &Finger| finger.start_ms + hold_ms + finger.duration_ms.max(1);
    let mut times: Vec<u64> = Vec::new();
    for finger in fingers {
        let (start, end) = (finger.start_ms, end_of(finger));
        times.extend([start, end]);
        if finger.points.len() > 1 {
            times.extend((start + hold_ms..end).step_by(FRAME_MS as usize));
        }
    }
    times.sort_unstable();
    times.dedup();
    let at = |finger: &Finger, now: u64| position(finger, now.saturating_sub(hold_ms).max(finger.start_ms));
    let mut down: Vec<usize> = Vec::new();
    let mut found = Vec::new();
    let pointers = |down: &[usize], now: u64| -> Vec<(i32, f32, f32)> {
        let one = |index: &usize| {
            let (x, y) = at(&fingers[*index], now);
            (*index as i32, x, y)
        };
        down.iter().map(one).collect()
    };
    for now in times {
        // Those that stay move first, then others lift, then new ones come down.
        if down.iter().any(|index| fingers[*index].points.len() > 1 && now > fingers[*index].start_ms) {
            found.push(Motion { at_ms: now, action: MOVE, pointers: pointers(&down, now) });
        }
        while let Some(place) = down.iter().position(|index| end_of(&fingers[*index]) <= now) {
            let action = if down.len() == 1 { UP } else { POINTER_UP | (place as i32) << POINTER_SHIFT };
            found.push(Motion { at_ms: now, action, pointers: pointers(&down, now) });
            down.remove(place);
        }
        for (index, _) in fingers.iter().enumerate().filter(|(_, finger)| finger.start_ms == now) {
            down.push(index);
            let place = down.len() as i32 - 1;
            let action = if place == 0 { DOWN } else { POINTER_DOWN | place << POINTER_SHIFT };
            found.push(Motion { at_ms: now, action, pointers: pointers(&down, now) });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `time action id@x,y …`
    fn told(motions: &[Motion]) -> Vec<String> {
        let one = |motion: &Motion| {
            let pointers: Vec<String> =
                motion.pointers.iter().map(|(id, x, y)| format!("{id}@{x},{y}")).collect();
            format!("{} {} {}", motion.at_ms, motion.action, pointers.join(" "))
        };
        motions.iter().map(one).collect()
    }

    #[test]
    fn a_tap_is_down_and_up() {
        assert_eq!(told(&motions(&tap((5, 6)), 0)), ["0 0 0@5,6", "50 1 0@5,6"]);
    }

    #[test]
    fn a_double_tap_is_two_touches() {
        let expected = ["0 0 0@5,6", "50 1 0@5,6", "150 0 1@5,6", "200 1 1@5,6"];
        assert_eq!(told(&motions(&double_tap((5, 6)), 0)), expected);
    }

    #[test]
    fn a_swipe_moves_between_its_ends() {
        let expected = ["0 0 0@0,0", "16 2 0@0,40", "32 2 0@0,80", "40 2 0@0,100", "40 1 0@0,100"];
        assert_eq!(told(&motions(&swipe((0, 0), (0, 100), 40), 0)), expected);
    }

    #[test]
    fn a_drag_rests_before_it_moves() {
        let found = told(&motions(&swipe((0, 0), (0, 100), 20), 600));
        let expected = ["0 0 0@0,0", "600 2 0@0,0", "616 2 0@0,80", "620 2 0@0,100", "620 1 0@0,100"];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_stroke_rests_by_going_to_and_fro() {
        // 40 pixels in 20 ms; at that speed, 80 pixels take the 40 ms of rest.
        let found = &strokes(&swipe((0, 0), (0, 40), 20), 40)[0];
        assert_eq!(found.duration_ms, 60);
        assert_eq!(found.points.len(), 22);
        assert_eq!(found.points[..3], [(0.0, 0.0), (4.0, 0.0), (0.0, 0.0)]);
        assert_eq!(found.points[19..], [(4.0, 0.0), (0.0, 0.0), (0.0, 40.0)]);
        assert_eq!(strokes(&swipe((0, 0), (0, 40), 20), 0)[0].points.len(), 2);
    }

    #[test]
    fn two_fingers_are_told_apart() {
        let finger =
            |x: i32, start_ms: u64| Finger { points: vec![(x, 0), (x, 10)], start_ms, duration_ms: 10 };
        let found = told(&motions(&[finger(1, 0), finger(2, 5)], 0));
        let expected = [
            "0 0 0@1,0",
            "5 2 0@1,5",
            "5 261 0@1,5 1@2,0",
            "10 2 0@1,10 1@2,5",
            "10 6 0@1,10 1@2,5",
            "15 2 1@2,10",
            "15 1 1@2,10",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_pinch_ends_apart_or_together() {
        let ends = |scale: f64| {
            let fingers = pinch((500, 500), scale, (1000, 2000));
            let width = |index: usize| fingers[1].points[index].0 - fingers[0].points[index].0;
            (width(0), width(1))
        };
        assert_eq!(ends(2.0), (300, 600));
        assert_eq!(ends(0.5), (600, 300));
        assert_eq!(ends(100.0), (100, 600));
        assert_eq!(ends(0.01), (600, 100));
    }
}
