package dev.trailblaze.agent;

import android.os.SystemClock;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowPausedSystemClock;

/**
 * Robolectric moves its clock at once where somebody sleeps, so that a view has no time to notice how long a finger
 * stays down. On a phone time passes for all.
 */
@Implements(SystemClock.class)
public class ClockShadow extends ShadowPausedSystemClock {
  @Implementation
  protected static void sleep(long millis) {
    long end = uptimeMillis() + millis;
    // A phone that is switched off has no time: then this sleeps twice as long and ends all the same.
    for (long left = 2 * millis + 100; left > 0 && uptimeMillis() < end; left--) {
      try {
        Thread.sleep(1);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }
}
