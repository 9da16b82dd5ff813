//! Who listens to a run.

use trailblaze_model::event::Event;

/// A reader of the event stream. Called in the order of the events of a trail.
pub trait Observer: Send + Sync {
    fn event(&self, event: &Event);
}

impl<T: Observer + ?Sized> Observer for std::sync::Arc<T> {
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

impl std::fmt::Debug for Observers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Observers({})", self.0.len())
    }
}
