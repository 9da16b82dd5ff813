//! Punycode (RFC 3492): a label outside ASCII as letters, digits and hyphens.

const BASE: u32 = 36;
const T_MIN: u32 = 1;
const T_MAX: u32 = 26;
const SKEW: u32 = 38;
const DAMP: u32 = 700;
const FIRST_BIAS: u32 = 72;
const FIRST: u32 = 0x80;

fn adapt(delta: u32, points: u32, first: bool) -> u32 {
    let mut delta = if first { delta / DAMP } else { delta / 2 };
    delta += delta / points;
    let mut k = 0;
    while delta > ((BASE - T_MIN) * T_MAX) / 2 {
        delta /= BASE - T_MIN;
        k += BASE;
    }
    k + (BASE - T_MIN + 1) * delta / (delta + SKEW)
}

fn threshold(k: u32, bias: u32) -> u32 {
    k.saturating_sub(bias).clamp(T_MIN, T_MAX)
}

/// `value` is below [`BASE`].
fn digit(value: u32) -> char {
    char::from(b"abcdefghijklmnopqrstuvwxyz0123456789"[value as usize])
}

/// None when the label is too long to be one.
pub(super) fn encode(label: &str) -> Option<String> {
    let mut out: String = label.chars().filter(char::is_ascii).collect();
    let basic = u32::try_from(out.len()).ok()?;
    if basic > 0 {
        out.push('-');
    }
    let total = u32::try_from(label.chars().count()).ok()?;
    let (mut n, mut delta, mut bias, mut done) = (FIRST, 0_u32, FIRST_BIAS, basic);
    while done < total {
        let next = label.chars().map(u32::from).filter(|point| *point >= n).min()?;
        delta = delta.checked_add((next - n).checked_mul(done + 1)?)?;
        n = next;
        for point in label.chars().map(u32::from) {
            if point < n {
                delta = delta.checked_add(1)?;
            }
            if point == n {
                let (mut q, mut k) = (delta, BASE);
                loop {
                    let t = threshold(k, bias);
                    if q < t {
                        break;
                    }
                    out.push(digit(t + (q - t) % (BASE - t)));
                    q = (q - t) / (BASE - t);
                    k += BASE;
                }
                out.push(digit(q));
                bias = adapt(delta, done + 1, done == basic);
                delta = 0;
                done += 1;
            }
        }
        delta = delta.checked_add(1)?;
        n += 1;
    }
    Some(out)
}

pub(super) fn decode(text: &str) -> Option<String> {
    let (basic, rest) = text.rsplit_once('-').unwrap_or(("", text));
    let mut out: Vec<char> = basic.chars().collect();
    let (mut n, mut i, mut bias) = (FIRST, 0_u32, FIRST_BIAS);
    let mut digits = rest.chars();
    while let Some(mut char) = digits.next() {
        let (before, mut weight, mut k) = (i, 1_u32, BASE);
        loop {
            let value = match char {
                'a'..='z' => u32::from(char) - u32::from('a'),
                'A'..='Z' => u32::from(char) - u32::from('A'),
                '0'..='9' => u32::from(char) - u32::from('0') + 26,
                _ => return None,
            };
            i = i.checked_add(value.checked_mul(weight)?)?;
            let t = threshold(k, bias);
            if value < t {
                break;
            }
            weight = weight.checked_mul(BASE - t)?;
            k += BASE;
            char = digits.next()?;
        }
        let points = u32::try_from(out.len()).ok()? + 1;
        bias = adapt(i - before, points, before == 0);
        n = n.checked_add(i / points)?;
        i %= points;
        out.insert(i as usize, char::from_u32(n)?);
        i += 1;
    }
    Some(out.into_iter().collect())
}
