package androidx.test.runner.lifecycle;

/** The only ActivityLifecycleMonitor. */
public final class ActivityLifecycleMonitorRegistry {
  private static volatile ActivityLifecycleMonitor only;

  private ActivityLifecycleMonitorRegistry() {}

  public static boolean isLoaded() {
    return only != null;
  }

  public static ActivityLifecycleMonitor getInstance() {
    if (only == null) {
      throw new IllegalStateException("there is no ActivityLifecycleMonitor");
    }
    return only;
  }

  public static void registerInstance(ActivityLifecycleMonitor made) {
    only = made;
  }
}
