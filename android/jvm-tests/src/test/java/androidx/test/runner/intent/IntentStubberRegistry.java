package androidx.test.runner.intent;

/** The only IntentStubber. */
public final class IntentStubberRegistry {
  private static volatile IntentStubber only;

  private IntentStubberRegistry() {}

  public static boolean isLoaded() {
    return only != null;
  }

  public static IntentStubber getInstance() {
    if (only == null) {
      throw new IllegalStateException("there is no IntentStubber");
    }
    return only;
  }

  public static void registerInstance(IntentStubber made) {
    only = made;
  }
}
