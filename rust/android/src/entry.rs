//! The native methods of `dev.trailblaze.agent.Native`. Each is one call of the guard.

use std::sync::{Arc, Mutex, PoisonError};

use jni::objects::{JObject, JObjectArray, JString};
use jni::strings::JNIString;
use jni::sys::jlong;
use jni::{EnvUnowned, jni_str};
use trailblaze_engine::host::Cancel;

use crate::class_tool;
use crate::guard::guard;
use crate::java::Java;
use crate::platform::Platform;

/// What a run does with a phone and the arguments of the instrumentation.
pub type Run = fn(Arc<dyn Platform>, Vec<(String, String)>, &Cancel);

/// How the run that is under way can be ended.
static RUNNING: Mutex<Option<Cancel>> = Mutex::new(None);

/// Exports the native methods from the library that this stands in; the argument is a [`Run`].
#[macro_export]
macro_rules! entries {
    ($run:path) => {
        /// `static native String version()`
        #[unsafe(no_mangle)]
        pub extern "system" fn Java_dev_trailblaze_agent_Native_version<'local>(
            env: $crate::jni::EnvUnowned<'local>,
            _class: $crate::jni::objects::JClass<'local>,
        ) -> $crate::jni::objects::JString<'local> {
            $crate::entry::version(env)
        }

        /// `static native void run(Object bridge, String[] arguments)`
        #[unsafe(no_mangle)]
        pub extern "system" fn Java_dev_trailblaze_agent_Native_run<'local>(
            env: $crate::jni::EnvUnowned<'local>,
            _class: $crate::jni::objects::JClass<'local>,
            bridge: $crate::jni::objects::JObject<'local>,
            arguments: $crate::jni::objects::JObjectArray<'local, $crate::jni::objects::JString<'local>>,
        ) {
            $crate::entry::run(env, bridge, arguments, $run)
        }

        /// `static native String command(long commands, String call)`
        #[unsafe(no_mangle)]
        pub extern "system" fn Java_dev_trailblaze_agent_Native_command<'local>(
            env: $crate::jni::EnvUnowned<'local>,
            _class: $crate::jni::objects::JClass<'local>,
            commands: $crate::jni::sys::jlong,
            call: $crate::jni::objects::JString<'local>,
        ) -> $crate::jni::objects::JString<'local> {
            $crate::entry::command(env, commands, call)
        }

        /// `static native void cancel()`
        #[unsafe(no_mangle)]
        pub extern "system" fn Java_dev_trailblaze_agent_Native_cancel<'local>(
            env: $crate::jni::EnvUnowned<'local>,
            _class: $crate::jni::objects::JClass<'local>,
        ) {
            $crate::entry::cancel(env)
        }
    };
}

pub fn version<'local>(env: EnvUnowned<'local>) -> JString<'local> {
    guard(env, |env| JString::from_str(env, env!("CARGO_PKG_VERSION")))
}

pub fn run<'local>(
    env: EnvUnowned<'local>,
    bridge: JObject<'local>,
    arguments: JObjectArray<'local, JString<'local>>,
    run: Run,
) {
    guard(env, |env| {
        let mut texts = Vec::new();
        for index in 0..arguments.len(env)? {
            let text = arguments.get_element(env, index)?;
            texts.push(text.try_to_string(env)?);
            env.delete_local_ref(text);
        }
        let pairs = texts.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect();
        let phone: Arc<dyn Platform> = Arc::new(Java::new(env, &bridge)?);
        let cancel = Cancel::default();
        *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) = Some(cancel.clone());
        run(phone, pairs, &cancel);
        *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(())
    })
}

pub fn command<'local>(env: EnvUnowned<'local>, commands: jlong, call: JString<'local>) -> JString<'local> {
    guard(env, |env| {
        let call = call.try_to_string(env)?;
        match class_tool::command(commands as u64, &call) {
            Ok(answer) => JString::from_str(env, answer),
            Err(failure) => {
                let _ = env
                    .throw_new(jni_str!("dev/trailblaze/tool/ToolFailure"), JNIString::new(failure.message));
                Err(jni::errors::Error::JavaException)
            }
        }
    })
}

pub fn cancel(env: EnvUnowned<'_>) {
    guard(env, |_| {
        if let Some(cancel) = &*RUNNING.lock().unwrap_or_else(PoisonError::into_inner) {
            cancel.cancel();
        }
        Ok(())
    })
}
