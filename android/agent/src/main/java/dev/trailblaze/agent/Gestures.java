package dev.trailblaze.agent;

import android.accessibilityservice.AccessibilityService.GestureResultCallback;
import android.accessibilityservice.GestureDescription;
import android.accessibilityservice.GestureDescription.StrokeDescription;
import android.graphics.Path;
import android.os.SystemClock;
import android.view.InputDevice;
import android.view.InputEvent;
import android.view.KeyCharacterMap;
import android.view.KeyEvent;
import android.view.MotionEvent;
import android.view.MotionEvent.PointerCoords;
import android.view.MotionEvent.PointerProperties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Fingers and keys, exactly as the library worked them out. */
final class Gestures {
  /** How much longer than a gesture its end may take. */
  private static final long GRACE_MS = 10_000;

  private final Seams seams;

  Gestures(Seams seams) {
    this.seams = seams;
  }

  boolean inject(long[] times, int[] actions, int[] counts, int[] pointers, float[] coordinates) {
    long start = SystemClock.uptimeMillis();
    boolean taken = true;
    for (int i = 0, first = 0; i < times.length; first += counts[i++]) {
      SystemClock.sleep(Math.max(0, start + times[i] - SystemClock.uptimeMillis()));
      MotionEvent event =
          motion(start, start + times[i], actions[i], counts[i], first, pointers, coordinates);
      taken &= inject(event);
      event.recycle();
    }
    return taken;
  }

  /** @param first where the event's fingers start in pointers and, two for each, in coordinates */
  private static MotionEvent motion(
      long start, long time, int action, int count, int first, int[] pointers, float[] coordinates) {
    PointerProperties[] fingers = new PointerProperties[count];
    PointerCoords[] places = new PointerCoords[count];
    for (int i = 0; i < count; i++) {
      fingers[i] = new PointerProperties();
      fingers[i].id = pointers[first + i];
      fingers[i].toolType = MotionEvent.TOOL_TYPE_FINGER;
      places[i] = new PointerCoords();
      places[i].x = coordinates[2 * (first + i)];
      places[i].y = coordinates[2 * (first + i) + 1];
      places[i].pressure = 1;
      places[i].size = 1;
    }
    return MotionEvent.obtain(
        start, time, action, count, fingers, places, 0, 0, 1, 1, 0, 0, InputDevice.SOURCE_TOUCHSCREEN, 0);
  }

  boolean dispatch(int[] counts, float[] coordinates, long[] times) {
    GestureDescription.Builder gesture = new GestureDescription.Builder();
    long end = 0;
    for (int i = 0, first = 0; i < counts.length; first += 2 * counts[i++]) {
      Path path = path(counts[i], first, coordinates);
      gesture.addStroke(new StrokeDescription(path, times[2 * i], times[2 * i + 1]));
      end = Math.max(end, times[2 * i] + times[2 * i + 1]);
    }
    Outcome outcome = new Outcome();
    return seams.dispatch(gesture.build(), outcome) && outcome.isCompleted(end + GRACE_MS);
  }

  private static Path path(int count, int first, float[] coordinates) {
    Path path = new Path();
    path.moveTo(coordinates[first], coordinates[first + 1]);
    for (int i = first + 2; i < first + 2 * count; i += 2) {
      path.lineTo(coordinates[i], coordinates[i + 1]);
    }
    return path;
  }

  boolean key(int code, int metaState) {
    long now = SystemClock.uptimeMillis();
    return inject(key(now, KeyEvent.ACTION_DOWN, code, metaState))
        && inject(key(now, KeyEvent.ACTION_UP, code, metaState));
  }

  private static KeyEvent key(long time, int action, int code, int metaState) {
    return new KeyEvent(
        time, time, action, code, 0, metaState, KeyCharacterMap.VIRTUAL_KEYBOARD, 0, 0,
        InputDevice.SOURCE_KEYBOARD);
  }

  boolean keys(String text) {
    KeyEvent[] events = KeyCharacterMap.load(KeyCharacterMap.VIRTUAL_KEYBOARD).getEvents(text.toCharArray());
    boolean taken = events != null;
    for (int i = 0; taken && i < events.length; i++) {
      taken = inject(KeyEvent.changeTimeRepeat(events[i], SystemClock.uptimeMillis(), 0));
    }
    return taken;
  }

  private boolean inject(InputEvent event) {
    return seams.automation().injectInputEvent(event, true);
  }

  /** How a dispatched gesture ended. */
  private static final class Outcome extends GestureResultCallback {
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean completed;

    @Override
    public void onCompleted(GestureDescription gesture) {
      completed = true;
      ended.countDown();
    }

    @Override
    public void onCancelled(GestureDescription gesture) {
      ended.countDown();
    }

    boolean isCompleted(long waitMs) {
      try {
        return ended.await(waitMs, TimeUnit.MILLISECONDS) && completed;
      } catch (InterruptedException interrupted) {
        throw new IllegalStateException(interrupted);
      }
    }
  }
}
