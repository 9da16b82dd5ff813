//! Who listens to a run.

use std::sync::Arc;

use trailblaze_model::event::Event;

/// A reader of the event stream. Called in the order of the events of a trail.
pub trait Observer: Send + Sync {
    fn event(&self, event: &Event);
}

impl<T: Observer + ?Sized> Observer for Arc<T> {
    fn event(&self, event: &Event) {
        (**self).event(event);
    }
}

/// Passes every event on to several readers.
pub struct Observers(pub Vec<Box<dyn Observer>>);

impl Observer for Observers {
    fn event(&self, event: &Event) {
        for observer in &self.0 {
            observer.event(event);
        }
    }
}

/// Passes on what happens on one of several devices.
pub struct OnDevice {
    device: Arc<str>,
    reader: Arc<dyn Observer>,
}

impl OnDevice {
    pub fn new(device: Arc<str>, reader: Arc<dyn Observer>) -> Self {
        Self { device, reader }
    }
}

impl Observer for OnDevice {
    fn event(&self, event: &Event) {
        self.reader.event(&Event { device: Some(self.device.clone()), ..event.clone() });
    }
}

impl std::fmt::Debug for OnDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "OnDevice({})", self.device)
    }
}

impl std::fmt::Debug for Observers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Observers({})", self.0.len())
    }
}
