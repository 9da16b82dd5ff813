//! The phone behind JNI: every method is one call of Java's `Bridge`.

#![expect(unsafe_code, reason = "the bytes of a captured screen are read where Java wrote them")]

use std::sync::Arc;

use jni::objects::{
    JByteArray, JByteBuffer, JFloatArray, JIntArray, JLongArray, JObject, JObjectArray, JString,
};
use jni::refs::Global;
use jni::{Env, JValue};
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::screen::Screen;

use crate::call::{JavaFailure, JavaObject, Method};
use crate::platform::{ClassCode, Display, Extra, Motion, Notice, Platform, Source, Stroke, UiEvent};

/// Java's `Bridge`.
#[derive(Clone, Debug)]
pub struct Java(Arc<JavaObject>);

/// An object in Java that is a tool.
struct JavaTool {
    bridge: Arc<JavaObject>,
    tool: Global<JObject<'static>>,
}

impl ClassCode for JavaTool {
    fn describe(&self) -> Result<String, Failure> {
        self.bridge.with(|env| {
            let tool = JValue::Object(&self.tool).as_jni();
            let answer = self.bridge.call(env, Method::Describe, &[tool])?.l()?;
            Ok(read_string(env, answer)?.unwrap_or_default())
        })
    }

    fn execute(&self, arguments: &str, commands: u64) -> Result<String, Failure> {
        self.bridge.with(|env| {
            let values = [
                JValue::Object(&self.tool).as_jni(),
                string(env, arguments)?,
                JValue::Long(commands as i64).as_jni(),
            ];
            let answer = self.bridge.call(env, Method::Execute, &values)?.l()?;
            Ok(read_string(env, answer)?.unwrap_or_else(|| "null".to_owned()))
        })
    }
}

type Here<T> = Result<T, JavaFailure>;

impl Java {
    /// Takes the object that Java handed over.
    pub fn new(env: &mut Env<'_>, bridge: &JObject<'_>) -> Result<Self, jni::errors::Error> {
        Ok(Self(Arc::new(JavaObject::new(env, bridge)?)))
    }

    fn flag(
        &self,
        method: Method,
        arguments: impl FnOnce(&mut Env<'_>) -> Here<Vec<jni::sys::jvalue>>,
    ) -> Result<bool, Failure> {
        self.0.with(|env| {
            let arguments = arguments(env)?;
            Ok(self.0.call(env, method, &arguments)?.z()?)
        })
    }

    fn nothing(
        &self,
        method: Method,
        arguments: impl FnOnce(&mut Env<'_>) -> Here<Vec<jni::sys::jvalue>>,
    ) -> Result<(), Failure> {
        self.0.with(|env| {
            let arguments = arguments(env)?;
            self.0.call(env, method, &arguments)?;
            Ok(())
        })
    }

    fn text(&self, method: Method, argument: Option<&str>) -> Result<Option<String>, Failure> {
        self.0.with(|env| {
            let arguments = match argument {
                Some(text) => vec![string(env, text)?],
                None => Vec::new(),
            };
            let answer = self.0.call(env, method, &arguments)?.l()?;
            read_string(env, answer)
        })
    }

    fn texts(&self, method: Method, argument: Option<&str>) -> Result<Vec<String>, Failure> {
        self.0.with(|env| {
            let arguments = match argument {
                Some(text) => vec![string(env, text)?],
                None => Vec::new(),
            };
            let answer = self.0.call(env, method, &arguments)?.l()?;
            if answer.is_null() {
                return Ok(Vec::new());
            }
            let array = env.cast_local::<JObjectArray<'_, JString<'_>>>(answer)?;
            let mut found = Vec::new();
            for index in 0..array.len(env)? {
                let element = array.get_element(env, index)?;
                found.push(element.try_to_string(env)?);
            }
            Ok(found)
        })
    }

    fn bytes(
        &self,
        method: Method,
        argument: impl FnOnce(&mut Env<'_>) -> Here<jni::sys::jvalue>,
    ) -> Result<Option<Vec<u8>>, Failure> {
        self.0.with(|env| {
            let argument = argument(env)?;
            let answer = self.0.call(env, method, &[argument])?.l()?;
            if answer.is_null() {
                return Ok(None);
            }
            let array = env.cast_local::<JByteArray<'_>>(answer)?;
            Ok(Some(env.convert_byte_array(&array)?))
        })
    }
}

fn int(value: i32) -> jni::sys::jvalue {
    JValue::Int(value).as_jni()
}

/// The reference lives as long as the frame of the call.
fn string(env: &mut Env<'_>, text: &str) -> Here<jni::sys::jvalue> {
    let text = env.new_string(text)?;
    Ok(JValue::Object(&text).as_jni())
}

fn strings<'a>(env: &mut Env<'_>, texts: impl ExactSizeIterator<Item = &'a str>) -> Here<jni::sys::jvalue> {
    let array = JObjectArray::<JString<'_>>::new(env, texts.len(), JString::null())?;
    for (index, text) in texts.enumerate() {
        let text = env.new_string(text)?;
        array.set_element(env, index, &text)?;
        env.delete_local_ref(text);
    }
    Ok(JValue::Object(&array).as_jni())
}

fn read_string(env: &mut Env<'_>, object: JObject<'_>) -> Here<Option<String>> {
    if object.is_null() {
        return Ok(None);
    }
    let text = env.cast_local::<JString<'_>>(object)?;
    Ok(Some(text.try_to_string(env)?))
}

fn ints(env: &mut Env<'_>, values: &[i32]) -> Here<jni::sys::jvalue> {
    let array = JIntArray::new(env, values.len())?;
    array.set_region(env, 0, values)?;
    Ok(JValue::Object(&array).as_jni())
}

fn longs(env: &mut Env<'_>, values: &[i64]) -> Here<jni::sys::jvalue> {
    let array = JLongArray::new(env, values.len())?;
    array.set_region(env, 0, values)?;
    Ok(JValue::Object(&array).as_jni())
}

fn floats(env: &mut Env<'_>, values: &[f32]) -> Here<jni::sys::jvalue> {
    let array = JFloatArray::new(env, values.len())?;
    array.set_region(env, 0, values)?;
    Ok(JValue::Object(&array).as_jni())
}

/// Keys and values in turn.
fn pairs(env: &mut Env<'_>, values: &[(&str, String)]) -> Here<jni::sys::jvalue> {
    let flat: Vec<&str> = values.iter().flat_map(|(key, value)| [*key, value.as_str()]).collect();
    strings(env, flat.into_iter())
}

impl Platform for Java {
    fn capture(&self, source: Source) -> Result<Option<Screen>, Failure> {
        self.0.with(|env| {
            let answer = self.0.call(env, Method::Capture, &[int(source as i32)])?.l()?;
            if answer.is_null() {
                return Ok(None);
            }
            let buffer = env.cast_local::<JByteBuffer<'_>>(answer)?;
            let address = env.get_direct_buffer_address(&buffer)?;
            let length = env.get_direct_buffer_capacity(&buffer)?;
            // Safety: Java writes the buffer before it hands it over, keeps it, and writes it again only in the next
            // call, which cannot come before this one has returned.
            let bytes = unsafe { std::slice::from_raw_parts(address, length) };
            let screen = Screen::from_bytes(bytes).map_err(|error| {
                let message = format!("the captured screen cannot be read: {error}");
                JavaFailure(Failure::new(FailureKind::Device, message))
            })?;
            Ok(Some(screen))
        })
    }

    fn screenshot(&self, source: Source) -> Result<Option<Vec<u8>>, Failure> {
        self.bytes(Method::Screenshot, |_| Ok(int(source as i32)))
    }

    fn take_events(&self) -> Result<Vec<UiEvent>, Failure> {
        self.0.with(|env| {
            let answer = self.0.call(env, Method::TakeEvents, &[])?.l()?;
            let array = env.cast_local::<JLongArray<'_>>(answer)?;
            let mut values = vec![0; array.len(env)?];
            array.get_region(env, 0, &mut values)?;
            let event = |triplet: &[i64]| UiEvent {
                uptime_ms: triplet[0].max(0) as u64,
                kind: triplet[1] as i32,
                changes: triplet[2] as i32,
            };
            Ok(values.chunks_exact(3).map(event).collect())
        })
    }

    fn take_notices(&self) -> Result<Vec<Notice>, Failure> {
        let flat = self.texts(Method::TakeNotices, None)?;
        let notice = |four: &[String]| Notice {
            uptime_ms: four[0].parse().unwrap_or_default(),
            app_id: four[1].clone(),
            class: four[2].clone(),
            text: four[3].clone(),
        };
        Ok(flat.chunks_exact(4).map(notice).collect())
    }

    fn uptime_ms(&self) -> Result<u64, Failure> {
        self.0.with(|env| Ok(self.0.call(env, Method::Now, &[])?.j()?.max(0) as u64))
    }

    fn display(&self) -> Result<Display, Failure> {
        self.0.with(|env| {
            let answer = self.0.call(env, Method::Display, &[])?.l()?;
            let array = env.cast_local::<JIntArray<'_>>(answer)?;
            let mut values = [0; 4];
            array.get_region(env, 0, &mut values)?;
            let [width, height, rotation, density] = values;
            Ok(Display { width, height, rotation, density })
        })
    }

    fn perform(&self, node: u32, action: i32, text: Option<&str>) -> Result<bool, Failure> {
        self.flag(Method::Perform, |env| {
            let text = match text {
                Some(text) => string(env, text)?,
                None => JValue::Object(&JObject::null()).as_jni(),
            };
            Ok(vec![int(node as i32), int(action), text])
        })
    }

    fn inject(&self, motions: &[Motion]) -> Result<bool, Failure> {
        self.flag(Method::Inject, |env| {
            let pointers = || motions.iter().flat_map(|motion| &motion.pointers);
            let times: Vec<i64> = motions.iter().map(|motion| motion.at_ms as i64).collect();
            let actions: Vec<i32> = motions.iter().map(|motion| motion.action).collect();
            let counts: Vec<i32> = motions.iter().map(|motion| motion.pointers.len() as i32).collect();
            let ids: Vec<i32> = pointers().map(|(id, ..)| *id).collect();
            let places: Vec<f32> = pointers().flat_map(|(_, x, y)| [*x, *y]).collect();
            Ok(vec![
                longs(env, &times)?,
                ints(env, &actions)?,
                ints(env, &counts)?,
                ints(env, &ids)?,
                floats(env, &places)?,
            ])
        })
    }

    fn dispatch(&self, strokes: &[Stroke]) -> Result<bool, Failure> {
        self.flag(Method::Dispatch, |env| {
            let counts: Vec<i32> = strokes.iter().map(|stroke| stroke.points.len() as i32).collect();
            let points = strokes.iter().flat_map(|stroke| &stroke.points);
            let places: Vec<f32> = points.flat_map(|(x, y)| [*x, *y]).collect();
            let times = strokes.iter().flat_map(|stroke| [stroke.start_ms as i64, stroke.duration_ms as i64]);
            Ok(vec![ints(env, &counts)?, floats(env, &places)?, longs(env, &times.collect::<Vec<_>>())?])
        })
    }

    fn key(&self, code: i32) -> Result<bool, Failure> {
        self.flag(Method::Key, |_| Ok(vec![int(code), int(0)]))
    }

    fn keys(&self, text: &str) -> Result<bool, Failure> {
        self.flag(Method::Keys, |env| Ok(vec![string(env, text)?]))
    }

    fn commit(&self, text: &str) -> Result<bool, Failure> {
        self.flag(Method::Commit, |env| Ok(vec![string(env, text)?]))
    }

    fn global(&self, source: Source, action: i32) -> Result<bool, Failure> {
        self.flag(Method::Global, |_| Ok(vec![int(source as i32), int(action)]))
    }

    fn set_clipboard(&self, text: &str) -> Result<(), Failure> {
        self.nothing(Method::SetClipboard, |env| Ok(vec![string(env, text)?]))
    }

    fn set_rotation(&self, quarter_turns: i32) -> Result<bool, Failure> {
        self.flag(Method::SetRotation, |_| Ok(vec![int(quarter_turns)]))
    }

    fn add_test_provider(&self, name: &str) -> Result<(), Failure> {
        self.nothing(Method::AddTestProvider, |env| Ok(vec![string(env, name)?]))
    }

    fn set_test_location(&self, provider: &str, latitude: f64, longitude: f64) -> Result<(), Failure> {
        self.nothing(Method::SetTestLocation, |env| {
            let degrees = |value| JValue::Double(value).as_jni();
            Ok(vec![string(env, provider)?, degrees(latitude), degrees(longitude)])
        })
    }

    fn remove_test_provider(&self, name: &str) -> Result<(), Failure> {
        self.nothing(Method::RemoveTestProvider, |env| Ok(vec![string(env, name)?]))
    }

    fn shell(&self, command: &str) -> Result<String, Failure> {
        Ok(self.text(Method::Shell, Some(command))?.unwrap_or_default())
    }

    fn fetch(&self, request: &[u8]) -> Result<Vec<u8>, Failure> {
        let answer = self.bytes(Method::Fetch, |env| {
            let request = env.byte_array_from_slice(request)?;
            Ok(JValue::Object(&request).as_jni())
        })?;
        Ok(answer.unwrap_or_default())
    }

    fn launch(&self, app_id: &str, extras: &[Extra]) -> Result<bool, Failure> {
        self.flag(Method::Launch, |env| {
            let flat: Vec<&str> = extras
                .iter()
                .flat_map(|extra| [extra.key.as_str(), extra.kind, extra.value.as_str()])
                .collect();
            Ok(vec![string(env, app_id)?, strings(env, flat.into_iter())?])
        })
    }

    fn open(&self, link: &str) -> Result<bool, Failure> {
        self.flag(Method::Open, |env| Ok(vec![string(env, link)?]))
    }

    fn installed(&self) -> Result<Vec<String>, Failure> {
        self.texts(Method::Installed, None)
    }

    fn is_service_connected(&self) -> Result<bool, Failure> {
        self.flag(Method::IsServiceConnected, |_| Ok(Vec::new()))
    }

    fn service_component(&self) -> Result<String, Failure> {
        Ok(self.text(Method::ServiceComponent, None)?.unwrap_or_default())
    }

    fn status(&self, code: i32, values: &[(&str, String)]) -> Result<(), Failure> {
        self.nothing(Method::Status, |env| Ok(vec![int(code), pairs(env, values)?]))
    }

    fn finish(&self, code: i32, values: &[(&str, String)]) -> Result<(), Failure> {
        self.nothing(Method::Finish, |env| Ok(vec![int(code), pairs(env, values)?]))
    }

    fn assets(&self, folder: &str) -> Result<Vec<String>, Failure> {
        self.texts(Method::Assets, Some(folder))
    }

    fn asset(&self, path: &str) -> Result<Vec<u8>, Failure> {
        let bytes = self.bytes(Method::Asset, |env| string(env, path))?;
        bytes.ok_or_else(|| Failure::new(FailureKind::Device, format!("the APK has no asset '{path}'")))
    }

    fn files_dir(&self) -> Result<String, Failure> {
        Ok(self.text(Method::FilesDir, None)?.unwrap_or_default())
    }

    fn describe_device(&self) -> Result<Vec<(String, String)>, Failure> {
        let flat = self.texts(Method::DescribeDevice, None)?;
        Ok(flat.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect())
    }

    fn class_code(&self, class: &str) -> Result<Arc<dyn ClassCode>, Failure> {
        self.0.with(|env| {
            let name = string(env, class)?;
            let tool = self.0.call(env, Method::Tool, &[name])?.l()?;
            let tool = env.new_global_ref(tool)?;
            Ok(Arc::new(JavaTool { bridge: self.0.clone(), tool }) as Arc<dyn ClassCode>)
        })
    }

    fn log(&self, priority: i32, tag: &str, message: &str) {
        // A line that cannot be logged has nowhere else to go.
        let _ = self
            .nothing(Method::Log, |env| Ok(vec![int(priority), string(env, tag)?, string(env, message)?]));
    }
}
