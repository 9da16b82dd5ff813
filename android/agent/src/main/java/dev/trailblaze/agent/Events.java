package dev.trailblaze.agent;

import android.app.UiAutomation.OnAccessibilityEventListener;
import android.view.accessibility.AccessibilityEvent;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What happened since the library asked last; of more than it holds, the newest. */
final class Events implements OnAccessibilityEventListener {
  static final int MOST = 4096;

  private final ArrayDeque<long[]> events = new ArrayDeque<long[]>();
  private final ArrayDeque<String[]> notices = new ArrayDeque<String[]>();

  @Override
  public synchronized void onAccessibilityEvent(AccessibilityEvent event) {
    int type = event.getEventType();
    add(events, new long[] {event.getEventTime(), type, event.getContentChangeTypes()});
    if (type == AccessibilityEvent.TYPE_NOTIFICATION_STATE_CHANGED) {
      add(notices, notice(event));
    }
  }

  private static <T> void add(ArrayDeque<T> queue, T value) {
    if (queue.size() == MOST) {
      queue.removeFirst();
    }
    queue.addLast(value);
  }

  private static String[] notice(AccessibilityEvent event) {
    StringBuilder text = new StringBuilder();
    for (CharSequence part : event.getText()) {
      text.append(text.length() == 0 ? "" : "\n").append(part);
    }
    return new String[] {
      String.valueOf(event.getEventTime()),
      String.valueOf(event.getPackageName()),
      String.valueOf(event.getClassName()),
      text.toString()
    };
  }

  /** Time, type and content changes of each event. */
  synchronized long[] take() {
    long[] taken = new long[3 * events.size()];
    for (int at = 0; !events.isEmpty(); at += 3) {
      System.arraycopy(events.removeFirst(), 0, taken, at, 3);
    }
    return taken;
  }

  /** Time, package, class and text of each toast and notification. */
  synchronized String[] takeNotices() {
    List<String> taken = new ArrayList<String>();
    while (!notices.isEmpty()) {
      Collections.addAll(taken, notices.removeFirst());
    }
    return taken.toArray(new String[0]);
  }
}
