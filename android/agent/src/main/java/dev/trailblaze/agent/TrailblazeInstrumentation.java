package dev.trailblaze.agent;

import android.app.Activity;
import android.app.Instrumentation;
import android.os.Build;
import android.os.Bundle;
import android.util.Log;
import java.util.Arrays;

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
      seams.run(new Bridge(seams), Pairs.of(arguments));
    } catch (UnsatisfiedLinkError missing) {
      String[] abis = Build.SUPPORTED_ABIS;
      String hint =
          "hint: this phone takes " + Arrays.toString(abis) + "; look whether the APK holds lib/" + abis[0]
              + "/libtrailblaze.so ('cargo xtask android' builds it for arm64-v8a and x86_64)\n";
      giveUp(seams, "the library of Trailblaze cannot be used: " + missing.getMessage(), hint, missing);
    } catch (Throwable broken) {
      // The library tells about everything else itself: its entry refused.
      giveUp(seams, broken.toString(), "", broken);
    }
  }

  private static void giveUp(Seams seams, String why, String hint, Throwable broken) {
    String all = why + "\n" + hint + Log.getStackTraceString(broken);
    String[] result = {"shortMsg", why, "longMsg", all, "stream", all};
    seams.finish(Activity.RESULT_CANCELED, Pairs.bundle(result));
  }

  /** How the run reaches the platform. */
  protected Seams seams() {
    return new Seams(this);
  }
}
