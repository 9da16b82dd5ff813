//! The one checked way to call Java.
//!
//! Method ids are looked up once, on the object that Java handed over, so that no class is searched by name later:
//! on a thread that Rust attached, that would find another loader's class.

#![expect(
    unsafe_code,
    reason = "calls by id are checked against the table of signatures when the object comes"
)]

use std::fmt;

use jni::errors::Error;
use jni::objects::{JMethodID, JObject, JString, JThrowable};
use jni::refs::Global;
use jni::signature::{MethodSignature, ReturnType};
use jni::strings::JNIStr;
use jni::sys::jvalue;
use jni::{Env, JValue, JValueOwned, JavaVM, jni_sig, jni_str};
use trailblaze_model::failure::{Failure, FailureKind};

/// A failure on this side of the boundary.
#[derive(Debug)]
pub(crate) struct JavaFailure(pub(crate) Failure);

impl From<Error> for JavaFailure {
    fn from(error: Error) -> Self {
        match error {
            Error::CaughtJavaException { name, msg, stack, .. } => thrown_failure(&name, &msg, &stack),
            other => Self(Failure::new(FailureKind::Device, format!("a call into Java failed: {other}"))),
        }
    }
}

type Signature = MethodSignature<'static, 'static>;

macro_rules! methods {
    ($($method:ident $name:literal $signature:literal),* $(,)?) => {
        /// What Rust calls in Java.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Method {
            $($method),*
        }

        const TABLE: &[(Method, &JNIStr, Signature)] =
            &[$((Method::$method, jni_str!($name), jni_sig!($signature))),*];
    };
}

methods! {
    Capture "capture" "(I)Ljava/nio/ByteBuffer;",
    Screenshot "screenshot" "(I)[B",
    TakeEvents "takeEvents" "()[J",
    TakeNotices "takeNotices" "()[Ljava/lang/String;",
    Now "now" "()J",
    Display "display" "()[I",
    Perform "perform" "(IILjava/lang/String;)Z",
    Inject "inject" "([J[I[I[I[F)Z",
    Dispatch "dispatch" "([I[F[J)Z",
    Key "key" "(II)Z",
    Keys "keys" "(Ljava/lang/String;)Z",
    Commit "commit" "(Ljava/lang/String;)Z",
    Global "global" "(II)Z",
    SetClipboard "setClipboard" "(Ljava/lang/String;)V",
    SetRotation "setRotation" "(I)Z",
    AddTestProvider "addTestProvider" "(Ljava/lang/String;)V",
    SetTestLocation "setTestLocation" "(Ljava/lang/String;DD)V",
    RemoveTestProvider "removeTestProvider" "(Ljava/lang/String;)V",
    Shell "shell" "(Ljava/lang/String;)Ljava/lang/String;",
    Fetch "fetch" "([B)[B",
    Launch "launch" "(Ljava/lang/String;[Ljava/lang/String;)Z",
    Open "open" "(Ljava/lang/String;)Z",
    Installed "installed" "()[Ljava/lang/String;",
    IsServiceConnected "isServiceConnected" "()Z",
    ServiceComponent "serviceComponent" "()Ljava/lang/String;",
    Status "status" "(I[Ljava/lang/String;)V",
    Finish "finish" "(I[Ljava/lang/String;)V",
    Assets "assets" "(Ljava/lang/String;)[Ljava/lang/String;",
    Asset "asset" "(Ljava/lang/String;)[B",
    FilesDir "filesDir" "()Ljava/lang/String;",
    DescribeDevice "describeDevice" "()[Ljava/lang/String;",
    Log "log" "(ILjava/lang/String;Ljava/lang/String;)V",
    Tool "tool" "(Ljava/lang/String;)Ljava/lang/Object;",
    Describe "describe" "(Ljava/lang/Object;)Ljava/lang/String;",
    Execute "execute" "(Ljava/lang/Object;Ljava/lang/String;J)Ljava/lang/String;",
}

/// An object in Java whose methods are known.
pub(crate) struct JavaObject {
    vm: JavaVM,
    object: Global<JObject<'static>>,
    ids: Vec<(JMethodID, ReturnType)>,
}

impl fmt::Debug for JavaObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JavaObject({} methods)", self.ids.len())
    }
}

impl JavaObject {
    /// Finds all methods; one that is missing is an error now and not in the middle of a run.
    pub(crate) fn new(env: &mut Env<'_>, object: &JObject<'_>) -> Result<Self, Error> {
        let class = env.get_object_class(object)?;
        let mut ids = Vec::with_capacity(TABLE.len());
        for (_, name, signature) in TABLE {
            ids.push((env.get_method_id(&class, name, signature)?, signature.ret()));
        }
        Ok(Self { vm: env.get_java_vm()?, object: env.new_global_ref(object)?, ids })
    }

    /// Runs something with a thread that Java knows and a frame of local references of its own.
    pub(crate) fn with<T>(
        &self,
        work: impl FnOnce(&mut Env<'_>) -> Result<T, JavaFailure>,
    ) -> Result<T, Failure> {
        self.vm.attach_current_thread(work).map_err(|JavaFailure(failure)| failure)
    }

    /// Calls a method; what it throws comes back as a failure with its stack.
    pub(crate) fn call<'local>(
        &self,
        env: &mut Env<'local>,
        method: Method,
        arguments: &[jvalue],
    ) -> Result<JValueOwned<'local>, JavaFailure> {
        let (id, returns) = self.ids[method as usize];
        debug_assert_eq!(TABLE[method as usize].0, method);
        // Safety: the id was found on the object's own class with this signature, and each caller passes what the
        // signature in the table says.
        let result = unsafe { env.call_method_unchecked(&self.object, id, returns, arguments) };
        match result {
            Err(Error::JavaException) => Err(caught(env)),
            other => other.map_err(JavaFailure::from),
        }
    }
}

/// Takes the exception that was thrown.
fn caught(env: &mut Env<'_>) -> JavaFailure {
    let Some(thrown) = env.exception_occurred() else { return Error::JavaException.into() };
    env.exception_clear();
    told(env, &thrown).unwrap_or_else(|error| {
        // Its own methods may throw as well.
        env.exception_clear();
        error.into()
    })
}

/// An exception as Java prints it, with what caused it. Read frame by frame, a deep stack would take more references
/// than there is room for.
fn told(env: &mut Env<'_>, thrown: &JThrowable<'_>) -> Result<JavaFailure, Error> {
    let class = env.get_object_class(thrown)?.get_name(env)?.to_string();
    let message = thrown.get_message(env)?;
    let message = if message.is_null() { String::new() } else { message.try_to_string(env)? };
    let writer = env.new_object(jni_str!("java/io/StringWriter"), jni_sig!("()V"), &[])?;
    let to_writer = [JValue::Object(&writer)];
    let printer =
        env.new_object(jni_str!("java/io/PrintWriter"), jni_sig!("(Ljava/io/Writer;)V"), &to_writer)?;
    let print = jni_sig!("(Ljava/io/PrintWriter;)V");
    env.call_method(thrown, jni_str!("printStackTrace"), print, &[JValue::Object(&printer)])?;
    let text = env.call_method(&writer, jni_str!("toString"), jni_sig!("()Ljava/lang/String;"), &[])?.l()?;
    let stack = env.cast_local::<JString>(text)?.try_to_string(env)?;
    Ok(thrown_failure(&class, &message, &stack))
}

fn thrown_failure(class: &str, message: &str, stack: &str) -> JavaFailure {
    let short = class.rsplit('.').next().unwrap_or(class);
    let said = if message.is_empty() { String::new() } else { format!(": {message}") };
    JavaFailure(Failure::new(FailureKind::Device, format!("{short}{said}")).stack(stack.trim_end()))
}
