package dev.trailblaze.agent;

import android.accessibilityservice.AccessibilityService;
import android.accessibilityservice.AccessibilityService.GestureResultCallback;
import android.accessibilityservice.GestureDescription;
import android.accessibilityservice.GestureDescription.GestureStep;
import android.accessibilityservice.GestureDescription.MotionEventGenerator;
import android.accessibilityservice.GestureDescription.TouchPoint;
import android.app.Instrumentation;
import android.app.UiAutomation;
import android.app.UiAutomation.OnAccessibilityEventListener;
import android.graphics.Bitmap;
import android.graphics.Rect;
import android.os.Bundle;
import android.view.KeyEvent;
import android.view.MotionEvent;
import android.view.View;
import android.view.WindowManagerGlobal;
import android.view.accessibility.AccessibilityNodeInfo;
import android.view.accessibility.AccessibilityWindowInfo;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.robolectric.shadow.api.Shadow;

/** Each stands in for one thing that Robolectric does not have. */
final class PhoneSeams extends Seams {
  private static final int SAMPLE_MS = 10;

  private final Phone phone;

  PhoneSeams(Instrumentation instrumentation, Phone phone) {
    super(instrumentation);
    this.phone = phone;
  }

  /** For the list of windows: the decor views, with the framework's own node code behind them. */
  @Override
  protected List<Root> roots(int source) {
    phone.looks.incrementAndGet();
    if (phone.isDisconnected.getAsBoolean()) {
      // Robolectric connects none, and the framework's own check says so.
      Shadow.directlyOn(automation(), UiAutomation.class, "throwIfNotConnectedLocked");
    }
    List<View> views = new ArrayList<>(WindowManagerGlobal.getInstance().getWindowViews());
    List<Root> roots = new ArrayList<>();
    for (View view : views) {
      if (view.isAttachedToWindow() && view.isShown() && phone.isRunning()) {
        roots.add(new Root(root(view), AccessibilityWindowInfo.TYPE_APPLICATION));
      }
    }
    if (roots.isEmpty() && phone.home) {
      roots.add(new Root(home(), AccessibilityWindowInfo.TYPE_APPLICATION));
    }
    return roots;
  }

  private static AccessibilityNodeInfo home() {
    AccessibilityNodeInfo node = new AccessibilityNodeInfo();
    node.setPackageName("com.android.launcher");
    node.setClassName("android.widget.FrameLayout");
    node.setContentDescription("Home");
    node.setBoundsInScreen(new Rect(0, 0, 1080, 2400));
    node.setVisibleToUser(true);
    node.setEnabled(true);
    node.setSealed(true);
    return node;
  }

  private static AccessibilityNodeInfo root(View view) {
    AccessibilityNodeInfo node = view.createAccessibilityNodeInfo();
    node.setQueryFromAppProcessEnabled(view, true);
    node.refresh(); // now also with views that are not important
    return node;
  }

  /** For the system's event stream: what the app sends to its accessibility manager. */
  @Override
  protected void listen(OnAccessibilityEventListener listener) {
    phone.listen(listener);
  }

  /** For the shell user. */
  @Override
  protected InputStream shell(String command) {
    return new ByteArrayInputStream(phone.shell.run(command).getBytes(StandardCharsets.UTF_8));
  }

  /** For the system's gesture player: the framework's own steps, injected. */
  @Override
  protected boolean dispatch(GestureDescription gesture, GestureResultCallback callback) {
    service();
    Touches touches = new Touches();
    for (GestureStep step : MotionEventGenerator.getGestureStepsFromGestureDescription(gesture, SAMPLE_MS)) {
      touches.add(step);
    }
    boolean played = touches.play(new Gestures(this));
    new Thread(() -> {
      if (played) {
        callback.onCompleted(gesture);
      } else {
        callback.onCancelled(gesture);
      }
    }).start();
    return true;
  }

  /** For the service's screenshot. UiAutomation's is Robolectric's own. */
  @Override
  protected Bitmap screenshot(int source) {
    if (source == SERVICE) {
      service();
    }
    return phone.secure ? null : automation().takeScreenshot();
  }

  /** For the system's back; others are taken and do nothing. */
  @Override
  protected boolean global(int source, int action) {
    return action != AccessibilityService.GLOBAL_ACTION_BACK
        || new Gestures(this).key(KeyEvent.KEYCODE_BACK, 0);
  }

  /** For a library that cannot be loaded. */
  @Override
  protected void run(Bridge bridge, String[] arguments) {
    if (phone.library == null) {
      super.run(bridge, arguments);
    } else {
      phone.library.run();
    }
  }

  /** For the end of the process. */
  @Override
  protected void finish(int code, Bundle results) {
    phone.finish(code, results);
  }

  /** Touches as the library would hand them over. */
  private static final class Touches {
    private final List<Long> times = new ArrayList<>();
    private final List<Integer> actions = new ArrayList<>();
    private final List<Integer> counts = new ArrayList<>();
    private final List<Integer> pointers = new ArrayList<>();
    private final List<Float> coordinates = new ArrayList<>();
    private final List<TouchPoint> down = new ArrayList<>();

    void add(GestureStep step) {
      boolean moved = false;
      for (int i = 0; i < step.numTouchPoints; i++) {
        int at = indexOf(step.touchPoints[i]);
        moved |= at >= 0;
        if (at >= 0) {
          down.set(at, new TouchPoint(step.touchPoints[i]));
        }
      }
      if (moved) {
        event(step, MotionEvent.ACTION_MOVE, 0);
      }
      for (int i = 0; i < step.numTouchPoints; i++) {
        TouchPoint point = new TouchPoint(step.touchPoints[i]);
        if (point.mIsStartOfPath) {
          down.add(point);
          boolean first = down.size() == 1;
          event(step, first ? MotionEvent.ACTION_DOWN : MotionEvent.ACTION_POINTER_DOWN, down.size() - 1);
        }
        if (point.mIsEndOfPath) {
          boolean last = down.size() == 1;
          event(step, last ? MotionEvent.ACTION_UP : MotionEvent.ACTION_POINTER_UP, indexOf(point));
          down.remove(indexOf(point));
        }
      }
    }

    private int indexOf(TouchPoint point) {
      for (int i = 0; i < down.size(); i++) {
        if (down.get(i).mStrokeId == point.mStrokeId) {
          return i;
        }
      }
      return -1;
    }

    private void event(GestureStep step, int action, int index) {
      times.add(step.timeSinceGestureStart);
      actions.add(action | index << MotionEvent.ACTION_POINTER_INDEX_SHIFT);
      counts.add(down.size());
      for (TouchPoint point : down) {
        pointers.add(point.mStrokeId);
        coordinates.add(point.mX);
        coordinates.add(point.mY);
      }
    }

    boolean play(Gestures gestures) {
      float[] places = new float[coordinates.size()];
      for (int i = 0; i < places.length; i++) {
        places[i] = coordinates.get(i);
      }
      return gestures.inject(
          times.stream().mapToLong(Long::longValue).toArray(), ints(actions), ints(counts), ints(pointers), places);
    }

    private static int[] ints(List<Integer> numbers) {
      return numbers.stream().mapToInt(Integer::intValue).toArray();
    }
  }
}
