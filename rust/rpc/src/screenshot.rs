//! A picture in pieces, so that none of them is near the limit of a message.

use serde_json::{Map, Value, json};
use trailblaze_model::base64;

use crate::backend::{Backend, Call};
use crate::refusal::Refusal;

const USUAL: u64 = 64 * 1024;
const FEWEST: u64 = 1024;
const MOST: u64 = 1024 * 1024;

/// All pieces of a picture that is taken now, each as a `trailblaze.v1.ScreenshotPiece`.
pub(crate) fn pieces(
    backend: &dyn Backend,
    call: &Call,
    args: &Map<String, Value>,
) -> Result<Vec<Value>, Refusal> {
    let size = args.get("pieceBytes").and_then(Value::as_u64).unwrap_or(USUAL);
    if !(FEWEST..=MOST).contains(&size) {
        return Err(Refusal::Invalid(format!("'pieceBytes' must be from {FEWEST} to {MOST}, it is {size}")));
    }
    let picture = backend.screenshot(call)?;
    let piece = |data: &[u8]| json!({ "data": base64::encode(data), "totalBytes": picture.len(), "mediaType": "image/png" });
    Ok(picture.chunks(usize::try_from(size).unwrap_or(usize::MAX)).map(piece).collect())
}
