package dev.trailblaze.agent;

import android.accessibilityservice.AccessibilityService.GestureResultCallback;
import android.accessibilityservice.AccessibilityServiceInfo;
import android.accessibilityservice.GestureDescription;
import android.app.Instrumentation;
import android.app.UiAutomation;
import android.app.UiAutomation.OnAccessibilityEventListener;
import android.graphics.Bitmap;
import android.os.Build;
import android.os.Bundle;
import android.os.ParcelFileDescriptor.AutoCloseInputStream;
import android.os.SystemClock;
import android.view.accessibility.AccessibilityNodeInfo;
import android.view.accessibility.AccessibilityWindowInfo;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/** Where the run meets the platform. A desktop JVM has no such platform, so tests replace these and nothing else. */
public class Seams {
  /** Who sees the screen and acts on it. */
  public static final int SERVICE = 0;
  public static final int UI_AUTOMATION = 1;

  private static final int FLAGS =
      AccessibilityServiceInfo.FLAG_REPORT_VIEW_IDS
          | AccessibilityServiceInfo.FLAG_RETRIEVE_INTERACTIVE_WINDOWS
          | AccessibilityServiceInfo.FLAG_INCLUDE_NOT_IMPORTANT_VIEWS;
  private static final int CONNECT_TRIES = 10;
  private static final long CONNECT_PAUSE_MS = 200;

  final Instrumentation instrumentation;
  private UiAutomation automation;

  public Seams(Instrumentation instrumentation) {
    this.instrumentation = instrumentation;
  }

  /** The windows, lowest first, as they are now. */
  protected List<Root> roots(int source) {
    return roots(source == SERVICE ? serviceWindows() : automationWindows());
  }

  /** Every accessibility event from now on. With the service connected, the listener may hear it from both. */
  protected void listen(OnAccessibilityEventListener listener) {
    automation().setOnAccessibilityEventListener(listener);
    TrailblazeAccessibilityService.setListener(listener);
  }

  /** What a command prints. */
  protected InputStream shell(String command) {
    return new AutoCloseInputStream(automation().executeShellCommand(command));
  }

  protected boolean dispatch(GestureDescription gesture, GestureResultCallback callback) {
    return service().dispatchGesture(gesture, callback, null);
  }

  /** Null when a window may not be pictured. */
  protected Bitmap screenshot(int source) {
    return source == SERVICE ? ServiceScreenshot.take(service()) : automation().takeScreenshot();
  }

  protected boolean global(int source, int action) {
    return source == SERVICE
        ? service().performGlobalAction(action)
        : automation().performGlobalAction(action);
  }

  /** Hands everything over to the library, which the first call of it loads. */
  protected void run(Bridge bridge, String[] arguments) {
    Native.run(bridge, arguments);
  }

  protected void finish(int code, Bundle results) {
    instrumentation.finish(code, results);
  }

  /** UiAutomation that lets accessibility services live, connected at the first use. */
  synchronized UiAutomation automation() {
    if (automation == null) {
      automation = connect();
    }
    return automation;
  }

  /** For some moments after the start of the process the platform refuses. */
  private UiAutomation connect() {
    for (int left = CONNECT_TRIES; ; left--) {
      try {
        return instrumentation.getUiAutomation(
            UiAutomation.FLAG_DONT_SUPPRESS_ACCESSIBILITY_SERVICES);
      } catch (RuntimeException refused) {
        if (left == 0) {
          throw refused;
        }
        SystemClock.sleep(CONNECT_PAUSE_MS);
      }
    }
  }

  static TrailblazeAccessibilityService service() {
    TrailblazeAccessibilityService service = TrailblazeAccessibilityService.connected();
    if (service == null) {
      throw new IllegalStateException("the accessibility service is not connected");
    }
    return service;
  }

  /** Setting the service info again forgets all cached nodes, where there is no other way to do that. */
  private static List<AccessibilityWindowInfo> serviceWindows() {
    TrailblazeAccessibilityService service = service();
    if (Build.VERSION.SDK_INT >= 33) {
      service.clearCache();
    } else {
      service.setServiceInfo(service.getServiceInfo());
    }
    return service.getWindows();
  }

  private List<AccessibilityWindowInfo> automationWindows() {
    AccessibilityServiceInfo info = automation().getServiceInfo();
    if (Build.VERSION.SDK_INT >= 34 && (info.flags & FLAGS) == FLAGS) {
      automation().clearCache();
    } else {
      info.flags |= FLAGS;
      automation().setServiceInfo(info);
    }
    return automation().getWindows();
  }

  /** The platform lists the highest window first, and for moments there is no list at all. */
  static List<Root> roots(List<AccessibilityWindowInfo> windows) {
    List<Root> roots = new ArrayList<Root>();
    for (int i = windows == null ? -1 : windows.size() - 1; i >= 0; i--) {
      AccessibilityNodeInfo node = root(windows.get(i));
      if (node != null) {
        roots.add(new Root(node, windows.get(i).getType()));
      }
    }
    return roots;
  }

  private static AccessibilityNodeInfo root(AccessibilityWindowInfo window) {
    return Build.VERSION.SDK_INT >= 33
        ? window.getRoot(AccessibilityNodeInfo.FLAG_PREFETCH_DESCENDANTS_HYBRID)
        : window.getRoot();
  }
}
