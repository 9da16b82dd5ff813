package dev.trailblaze.agent;

import android.app.Activity;
import android.app.Instrumentation;
import android.os.Bundle;
import android.util.Log;

/** Where a run starts: {@code am instrument}, a farm or Gradle. */
public class TrailblazeInstrumentation extends Instrumentation {
  private Bundle arguments;

  @Override
  public void onCreate(Bundle arguments) {
    super.onCreate(arguments);
    this.arguments = arguments;
    start();
  }

  @Override
  public void onStart() {
    super.onStart();
    Seams seams = seams();
    try {
      Native.run(new Bridge(seams), Pairs.of(arguments));
    } catch (Throwable broken) {
      // The library tells about everything else itself: it could not be loaded, or its entry refused.
      String stack = Log.getStackTraceString(broken);
      String[] result = {"shortMsg", broken.toString(), "longMsg", stack, "stream", stack};
      seams.finish(Activity.RESULT_CANCELED, Pairs.bundle(result));
    }
  }

  /** How the run reaches the platform. */
  protected Seams seams() {
    return new Seams(this);
  }
}
