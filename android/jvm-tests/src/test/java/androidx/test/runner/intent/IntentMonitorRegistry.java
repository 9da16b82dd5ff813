package androidx.test.runner.intent;

/** The only IntentMonitor. */
public final class IntentMonitorRegistry {
  private static volatile IntentMonitor only;

  private IntentMonitorRegistry() {}

  public static boolean isLoaded() {
    return only != null;
  }

  public static IntentMonitor getInstance() {
    if (only == null) {
      throw new IllegalStateException("there is no IntentMonitor");
    }
    return only;
  }

  public static void registerInstance(IntentMonitor made) {
    only = made;
  }
}
