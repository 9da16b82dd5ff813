//! A phone that takes everything and takes no time.

use std::path::{Path, PathBuf};

use trailblaze_android::platform::{Display, Extra, Motion, Platform, Source, Stroke, UiEvent};
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::screen::{Bounds, NodeSpec, Prop, Screen, ScreenBuilder};

pub(crate) struct Paper {
    /// As Java hands it over.
    screen: Vec<u8>,
    files: PathBuf,
}

impl Paper {
    /// With a list of rows, as real screens have them.
    pub(crate) fn new(nodes: usize, files: &Path) -> Self {
        let mut builder = ScreenBuilder::new(1080, 2400, 0);
        for index in 0..nodes {
            let top = index as i32 * 4;
            let bounds = Some(Bounds::new(0, top, 1080, top + 4));
            let spec = NodeSpec { bounds, ..NodeSpec::default() }
                .with(Prop::ClassName, "android.widget.TextView")
                .with(Prop::ResourceId, format!("com.example:id/row_{}", index % 50))
                .with(Prop::Text, format!("Row {index}"));
            // The limits are far above what is made here.
            if builder.open(spec).is_ok() && index > 0 {
                builder.close();
            }
        }
        Self { screen: builder.finish().to_bytes(), files: files.to_owned() }
    }
}

fn nothing<T>() -> Result<T, Failure> {
    Err(Failure::new(FailureKind::NotSupported, "a phone of paper has no such thing"))
}

impl Platform for Paper {
    fn capture(&self, _source: Source) -> Result<Option<Screen>, Failure> {
        Ok(Screen::from_bytes(&self.screen).ok())
    }

    fn screenshot(&self, _source: Source) -> Result<Option<Vec<u8>>, Failure> {
        Ok(None)
    }

    fn take_events(&self) -> Result<Vec<UiEvent>, Failure> {
        Ok(Vec::new())
    }

    fn uptime_ms(&self) -> Result<u64, Failure> {
        Ok(0)
    }

    fn display(&self) -> Result<Display, Failure> {
        Ok(Display { width: 1080, height: 2400, rotation: 0, density: 420 })
    }

    fn perform(&self, _node: u32, _action: i32, _text: Option<&str>) -> Result<bool, Failure> {
        Ok(true)
    }

    fn inject(&self, _motions: &[Motion]) -> Result<bool, Failure> {
        Ok(true)
    }

    fn dispatch(&self, _strokes: &[Stroke]) -> Result<bool, Failure> {
        Ok(true)
    }

    fn key(&self, _code: i32) -> Result<bool, Failure> {
        Ok(true)
    }

    fn keys(&self, _text: &str) -> Result<bool, Failure> {
        Ok(true)
    }

    fn commit(&self, _text: &str) -> Result<bool, Failure> {
        Ok(true)
    }

    fn global(&self, _source: Source, _action: i32) -> Result<bool, Failure> {
        Ok(true)
    }

    fn set_clipboard(&self, _text: &str) -> Result<(), Failure> {
        Ok(())
    }

    fn set_rotation(&self, _quarter_turns: i32) -> Result<bool, Failure> {
        Ok(true)
    }

    fn add_test_provider(&self, _name: &str) -> Result<(), Failure> {
        nothing()
    }

    fn set_test_location(&self, _provider: &str, _latitude: f64, _longitude: f64) -> Result<(), Failure> {
        nothing()
    }

    fn remove_test_provider(&self, _name: &str) -> Result<(), Failure> {
        nothing()
    }

    /// Settings are as a run wants them, or not set.
    fn shell(&self, _command: &str) -> Result<String, Failure> {
        Ok(String::new())
    }

    fn fetch(&self, _request: &[u8]) -> Result<Vec<u8>, Failure> {
        nothing()
    }

    fn launch(&self, _app_id: &str, _extras: &[Extra]) -> Result<bool, Failure> {
        Ok(true)
    }

    fn open(&self, _link: &str) -> Result<bool, Failure> {
        Ok(true)
    }

    fn installed(&self) -> Result<Vec<String>, Failure> {
        Ok(Vec::new())
    }

    fn is_service_connected(&self) -> Result<bool, Failure> {
        Ok(true)
    }

    fn service_component(&self) -> Result<String, Failure> {
        Ok("dev.trailblaze.agent/.TrailblazeAccessibilityService".to_owned())
    }

    fn status(&self, _code: i32, _values: &[(&str, String)]) -> Result<(), Failure> {
        Ok(())
    }

    fn finish(&self, _code: i32, _values: &[(&str, String)]) -> Result<(), Failure> {
        Ok(())
    }

    fn assets(&self, _folder: &str) -> Result<Vec<String>, Failure> {
        Ok(Vec::new())
    }

    fn asset(&self, _path: &str) -> Result<Vec<u8>, Failure> {
        nothing()
    }

    fn files_dir(&self) -> Result<String, Failure> {
        Ok(self.files.to_string_lossy().into_owned())
    }

    fn describe_device(&self) -> Result<Vec<(String, String)>, Failure> {
        Ok(vec![("model".to_owned(), "Paper".to_owned()), ("sdk".to_owned(), "35".to_owned())])
    }

    fn log(&self, _priority: i32, _tag: &str, _message: &str) {}
}
