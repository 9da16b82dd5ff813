package androidx.test.runner.lifecycle;

/** The only ApplicationLifecycleMonitor. */
public final class ApplicationLifecycleMonitorRegistry {
  private static volatile ApplicationLifecycleMonitor only;

  private ApplicationLifecycleMonitorRegistry() {}

  public static boolean isLoaded() {
    return only != null;
  }

  public static ApplicationLifecycleMonitor getInstance() {
    if (only == null) {
      throw new IllegalStateException("there is no ApplicationLifecycleMonitor");
    }
    return only;
  }

  public static void registerInstance(ApplicationLifecycleMonitor made) {
    only = made;
  }
}
