package androidx.test.platform.app;

import android.app.Instrumentation;
import android.os.Bundle;

/** The instrumentation that Robolectric made. */
public final class InstrumentationRegistry {
  private static volatile Instrumentation instrumentation;

  private InstrumentationRegistry() {}

  public static Instrumentation getInstrumentation() {
    if (instrumentation == null) {
      throw new IllegalStateException("Robolectric has not started");
    }
    return instrumentation;
  }

  public static Bundle getArguments() {
    return new Bundle();
  }

  public static void registerInstance(Instrumentation made, Bundle arguments) {
    instrumentation = made;
  }
}
