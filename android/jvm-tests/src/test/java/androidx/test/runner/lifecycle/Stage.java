package androidx.test.runner.lifecycle;

/** Where an activity is in its life; Robolectric counts on this order. */
public enum Stage {
  PRE_ON_CREATE,
  CREATED,
  STARTED,
  RESUMED,
  PAUSED,
  STOPPED,
  RESTARTED,
  DESTROYED
}
