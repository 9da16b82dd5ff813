//! The one guard around every native method.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use jni::errors::{Error, ErrorPolicy};
use jni::{Env, EnvUnowned};

/// Runs the body of a native method. An error or a panic becomes a `RuntimeException`, and the value that Java
/// does not look at then is `null` or 0.
pub(crate) fn guard<'local, T: Default>(
    mut env: EnvUnowned<'local>,
    body: impl FnOnce(&mut Env<'local>) -> Result<T, Error>,
) -> T {
    env.with_env(body).resolve::<Throw>()
}

/// Throws what went wrong. The library's own policy loses the text of a formatted panic.
struct Throw;

impl<T: Default> ErrorPolicy<T, Error> for Throw {
    type Captures<'unowned_env_local: 'native_method, 'native_method> = ();

    fn on_error<'unowned_env_local: 'native_method, 'native_method>(
        env: &mut Env<'unowned_env_local>,
        (): &mut (),
        error: Error,
    ) -> Result<T, Error> {
        Ok(throw(env, &error.to_string()))
    }

    fn on_panic<'unowned_env_local: 'native_method, 'native_method>(
        env: &mut Env<'unowned_env_local>,
        (): &mut (),
        payload: Box<dyn Any + Send>,
    ) -> Result<T, Error> {
        Ok(throw(env, &format!("a bug in Trailblaze: {}", text_of(payload))))
    }
}

/// An exception that Java itself threw on the way is the better one.
fn throw<T: Default>(env: &mut Env, message: &str) -> T {
    if !env.exception_check() {
        // Throwing is reported as an error too, which is what is wanted here.
        let _ = env.throw(message);
    }
    T::default()
}

/// What a panic said.
fn text_of(payload: Box<dyn Any + Send>) -> String {
    let text = match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => (*text).to_owned(),
        (_, Some(text)) => text.clone(),
        _ => "a panic without a text".to_owned(),
    };
    // A payload may panic when it is dropped; then it is leaked.
    if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(second);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(body: impl FnOnce(), expected: &str) {
        let payload = catch_unwind(AssertUnwindSafe(body)).unwrap_err();
        assert_eq!(text_of(payload), expected);
    }

    /// Panics when it is dropped.
    struct Bomb;

    impl Drop for Bomb {
        fn drop(&mut self) {
            std::panic::panic_any(7);
        }
    }

    #[test]
    fn the_text_of_a_panic_is_kept() {
        let number = 5;
        check(|| panic!("plain"), "plain");
        check(|| panic!("number {number}"), "number 5");
        check(|| std::panic::panic_any(5), "a panic without a text");
        check(|| std::panic::panic_any(Bomb), "a panic without a text");
    }
}
