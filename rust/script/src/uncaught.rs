//! Promises that were rejected and that nobody listened to: their errors would be lost.

use std::cell::RefCell;
use std::rc::Rc;

use rquickjs::{Ctx, Function, Persistent, Runtime, Value};

use trailblaze_engine::script::ScriptError;

use crate::console::Console;
use crate::error::{self, Thrown};
use crate::turn::{Reply, Said};

/// More than a few say nothing new.
const MOST: usize = 16;

struct Rejected {
    promise: Persistent<Value<'static>>,
    reason: Persistent<Value<'static>>,
    thrown: Thrown,
}

#[derive(Clone, Default)]
pub(crate) struct Uncaught(Rc<RefCell<Vec<Rejected>>>);

pub(crate) fn watch(runtime: &Runtime) -> Uncaught {
    let uncaught = Uncaught::default();
    let noted = uncaught.clone();
    runtime.set_host_promise_rejection_tracker(Some(Box::new(move |ctx, promise, reason, handled| {
        noted.note(&ctx, promise, reason, handled);
    })));
    uncaught
}

impl Uncaught {
    fn note<'js>(&self, ctx: &Ctx<'js>, promise: Value<'js>, reason: Value<'js>, handled: bool) {
        if handled {
            self.0.borrow_mut().retain(|rejected| {
                rejected.promise.clone().restore(ctx).map_or(true, |other| other != promise)
            });
        } else if self.0.borrow().len() < MOST {
            // Reading what was thrown runs the script, which may well reject the next promise.
            let thrown = error::thrown(ctx, &reason);
            let (promise, reason) = (Persistent::save(ctx, promise), Persistent::save(ctx, reason));
            self.0.borrow_mut().push(Rejected { promise, reason, thrown });
        }
    }

    /// What a call comes to: an error that nobody listened to is an error of the call that ends then. A script may have
    /// its own way to say so in its answer. All but one are only written down.
    pub(crate) fn judge<'js>(
        &self,
        ctx: &Ctx<'js>,
        result: Reply,
        blame: Option<Function<'js>>,
        console: &Console,
    ) -> Reply {
        let mut lost = self.0.take().into_iter();
        let result = result.and_then(|answer| {
            let Some(Rejected { reason, thrown, .. }) = lost.next() else { return Ok(answer) };
            let blamed = blame.and_then(|blame| {
                let reason = reason.restore(ctx).ok()?;
                let said = blame.call::<_, String>((reason, answer.json())).ok().map(Said::Json);
                // What fails here was thrown by the script, and the error that nobody listened to is told then.
                ctx.catch();
                said
            });
            let Thrown { message, stack } = thrown;
            blamed.ok_or(ScriptError::Threw { message: format!("uncaught in a promise: {message}"), stack })
        });
        let lost = lost.map(|rejected| rejected.thrown);
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
