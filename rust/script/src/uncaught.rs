//! Promises that were rejected and that nobody listened to: their errors would be lost.

use std::cell::RefCell;
use std::rc::Rc;

use rquickjs::{Ctx, Persistent, Runtime, Value};

use trailblaze_engine::script::ScriptError;

use crate::console::Console;
use crate::error::{self, Thrown};
use crate::turn::Reply;

/// More than a few say nothing new.
const MOST: usize = 16;

type Rejected = (Persistent<Value<'static>>, Thrown);

#[derive(Clone, Default)]
pub(crate) struct Uncaught(Rc<RefCell<Vec<Rejected>>>);

pub(crate) fn watch(runtime: &Runtime) -> Uncaught {
    let uncaught = Uncaught::default();
    let noted = uncaught.clone();
    runtime.set_host_promise_rejection_tracker(Some(Box::new(move |ctx, promise, reason, handled| {
        noted.note(&ctx, promise, &reason, handled);
    })));
    uncaught
}

impl Uncaught {
    fn note<'js>(&self, ctx: &Ctx<'js>, promise: Value<'js>, reason: &Value<'js>, handled: bool) {
        if handled {
            self.0
                .borrow_mut()
                .retain(|(other, _)| other.clone().restore(ctx).map_or(true, |other| other != promise));
        } else if self.0.borrow().len() < MOST {
            // Reading what was thrown runs the script, which may well reject the next promise.
            let thrown = error::thrown(ctx, reason);
            self.0.borrow_mut().push((Persistent::save(ctx, promise), thrown));
        }
    }

    /// What a call comes to: an error that nobody listened to is an error of the call that ends then. All but one are
    /// only written down.
    pub(crate) fn judge(&self, result: Reply, console: &Console) -> Reply {
        let mut lost = self.0.take().into_iter().map(|(_, thrown)| thrown);
        let result = result.and_then(|value| match lost.next() {
            Some(Thrown { message, stack }) => {
                Err(ScriptError::Threw { message: format!("uncaught in a promise: {message}"), stack })
            }
            None => Ok(value),
        });
        // The promise of the call itself was rejected with what the call failed with.
        let told = |thrown: &Thrown| matches!(&result, Err(ScriptError::Threw { message, .. }) if *message == thrown.message);
        for thrown in lost.filter(|thrown| !told(thrown)) {
            console.write("error", format!("uncaught in a promise: {}", thrown.message));
        }
        result
    }

    /// Lets go of every JavaScript value.
    pub(crate) fn clear(&self) {
        drop(self.0.take());
    }
}
