package dev.trailblaze.agent;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import android.view.View;
import android.view.accessibility.AccessibilityEvent;
import dev.trailblaze.tool.TrailblazeCommands;
import dev.trailblaze.tool.TrailblazeTool;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.Test;

/**
 * What apps tell while they run, and what comes of it. The events are those that the framework's views send; the seam
 * stands in for the system's event stream. The wait is that of driver instrumentation; both drivers hear the same.
 */
public class EventsTest extends OnPhone {
  private final Set<String> heard = new TreeSet<>();

  private boolean hears(int kind) {
    long[] events = bridge.takeEvents();
    for (int i = 0; i < events.length; i += 3) {
      heard.add(AccessibilityEvent.eventTypeToString((int) events[i + 1]));
    }
    return heard.contains(AccessibilityEvent.eventTypeToString(kind));
  }

  private void until(int kind) throws Exception {
    phone.until(AccessibilityEvent.eventTypeToString(kind), () -> hears(kind));
    heard.clear();
  }

  @Test
  public void everyKindOfChangeIsHeard() throws Exception {
    launch();
    until(AccessibilityEvent.TYPE_WINDOW_STATE_CHANGED);
    ScreenBytes.Node email = screen().byId("email");
    assertTrue(tap(email.x(), email.y()));
    phone.until("the focus", () -> new ScreenBytes(bridge.capture(Seams.UI_AUTOMATION)).byId("email").is("isFocused"));
    assertTrue(bridge.keys("nobody"));
    until(AccessibilityEvent.TYPE_VIEW_TEXT_CHANGED);
    click("forgot");
    until(AccessibilityEvent.TYPE_VIEW_CLICKED);
    phone.onMain(() -> phone.activity().findViewById(android.R.id.content).setVisibility(View.INVISIBLE));
    until(AccessibilityEvent.TYPE_WINDOW_CONTENT_CHANGED);
  }

  /** Taps while nothing else happens, and while the app says again and again that something did. */
  public static final class Chatter implements TrailblazeTool {
    static final long TALK_MS = 1000;
    static final long PAUSE_MS = 30;
    static final int TAPS = 3;
    static Phone phone;
    static double quiet;
    static double loud;

    @Override
    public String describe() {
      return "{}";
    }

    @Override
    public String execute(String arguments, TrailblazeCommands commands) throws Exception {
      tap(commands);
      quiet = Double.MAX_VALUE;
      for (int i = 0; i < TAPS; i++) {
        quiet = Math.min(quiet, tap(commands));
      }
      Thread talk = new Thread(Chatter::talk);
      talk.start();
      loud = tap(commands);
      talk.join();
      return "null";
    }

    private static double tap(TrailblazeCommands commands) {
      long start = System.nanoTime();
      commands.tapId("email");
      return (System.nanoTime() - start) / 1e6;
    }

    /** Nothing changes by it. */
    private static void talk() {
      View content = phone.activity().findViewById(android.R.id.content);
      for (long end = System.nanoTime() + TALK_MS * 1_000_000; System.nanoTime() < end; ) {
        phone.onMain(() -> content.sendAccessibilityEvent(AccessibilityEvent.TYPE_VIEW_CLICKED));
        try {
          Thread.sleep(PAUSE_MS);
        } catch (InterruptedException interrupted) {
          return;
        }
      }
    }
  }

  /** The screen stays as it is, so that only the events can tell that it is not at rest. */
  @Test(timeout = 120_000)
  public void aTapWaitsWhileThereAreEvents() throws Exception {
    assumeLibrary();
    Chatter.phone = phone;
    phone.home = true;
    phone.assets = TrailRun.assets(Map.of(
        "trailblaze/trailblaze-config/tools/chatter.yaml", "id: chatter\nclass: " + Chatter.class.getName() + "\n",
        "trailblaze/trails/chatter.trail.yaml",
        "- tools:\n    - launchApp: { appId: com.example.parcel }\n    - chatter: {}\n"));
    TrailRun run = TrailRun.of(phone, "chatter", "driver", TrailRun.INSTRUMENTATION);
    assertEquals(run.status.raw(), Map.of("chatter", "passed"), run.verdicts());
    String told = "a tap takes " + Chatter.quiet + " ms, and " + Chatter.loud + " ms beside events";
    assertTrue(told, Chatter.loud >= Chatter.TALK_MS);
    assertTrue(told, Chatter.quiet < Chatter.loud);
  }
}
