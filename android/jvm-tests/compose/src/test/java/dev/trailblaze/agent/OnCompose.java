package dev.trailblaze.agent;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import android.app.Activity;
import android.view.accessibility.AccessibilityEvent;
import android.view.accessibility.AccessibilityNodeInfo;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.Test;

/**
 * A screen that is made with Compose, seen and used by the agent. What stands in for a phone is the same as for the
 * tests of classic views. Trails use fingers and text actions; node actions are tried by themselves.
 */
public class OnCompose extends OnPhone {
  private static final String APP = "com.example.van";

  // Whole trails

  @Test(timeout = 200_000)
  public void trailsByInstrumentation() throws Exception {
    trails(TrailRun.INSTRUMENTATION);
  }

  @Test(timeout = 200_000)
  public void trailsByAccessibility() throws Exception {
    trails(TrailRun.ACCESSIBILITY);
  }

  private void trails(String driver) throws Exception {
    assumeLibrary();
    phone.home = true;
    TrailRun run = TrailRun.of(phone, driver, "driver", driver);
    run.assertPaired();
    Map<String, Integer> expected = new TreeMap<>();
    for (String trail : List.of("battery", "bays", "button", "doors", "driver", "tags")) {
      expected.put("van/" + trail, StatusLines.PASSED);
    }
    expected.put("van/unlocked", StatusLines.FAILED);
    Map<String, Integer> ended = new TreeMap<>();
    for (StatusLines.Block block : run.status.blocks) {
      ended.put(block.values().getString("trail"), block.code());
    }
    assertEquals(run.status.raw(), expected, ended);
    assertEquals(Activity.RESULT_OK, run.status.end.code());
    String stack = run.end("van/unlocked").values().getString("stack");
    assertTrue(stack, stack.contains("isChecked: true"));

    assertEquals("[typed by set-text]", said(run, "van/driver", "inputText"));
    long swipes = run.of("van/bays", "device").filter(event -> event.optString("action").equals("swipe")).count();
    assertTrue("fingers moved the list both ways: " + swipes, swipes >= 2);
  }

  private static String said(TrailRun run, String trail, String tool) {
    return run.of(trail, "toolFinished")
        .filter(event -> event.optString("tool").equals(tool))
        .map(event -> event.optString("message"))
        .distinct()
        .toList()
        .toString();
  }

  // What is other than with classic views

  @Test(timeout = 60_000)
  public void aTextRefusesTheClickThatItsButtonTakes() throws Exception {
    open();
    ScreenBytes.Node text = by("text", "Start the engine");
    assertFalse(text.is("isClickable"));
    assertFalse(bridge.perform(text.index, AccessibilityNodeInfo.ACTION_CLICK, null));
    ScreenBytes.Node button = screen().nodes.get(text.parent);
    assertTrue(button.is("isClickable"));
    assertEquals("start", button.prop("composeTestTag"));
    assertTrue(bridge.perform(button.index, AccessibilityNodeInfo.ACTION_CLICK, null));
    see("Started: 1");
  }

  @Test(timeout = 60_000)
  public void everyTagIsThereInEveryCapture() throws Exception {
    open();
    List<String> plain = List.of("start", "starts", "driver", "today", "locked", "lights", "charge", "battery", "chosen");
    for (int round = 0; round < 30; round++) {
      Map<String, String> ids = new HashMap<>();
      screen().nodes.forEach(node -> ids.put(node.prop("composeTestTag"), node.prop("resourceId")));
      assertTrue(ids.toString(), ids.keySet().containsAll(plain));
      plain.forEach(tag -> assertNull("a tag is no id", ids.get(tag)));
      List.of("bays", "bay_1", "bay_5").forEach(tag -> assertEquals("here it is one", tag, ids.get(tag)));
    }
  }

  @Test(timeout = 60_000)
  public void aTextChangesWithoutAnEvent() throws Exception {
    open();
    assertTrue(bridge.perform(by("composeTestTag", "charge").index, AccessibilityNodeInfo.ACTION_CLICK, null));
    phone.until("the last change", () -> battery().equals("Battery: 100 %"));
    Thread.sleep(300);
    long[] events = bridge.takeEvents();
    assertTrue("the click itself", events.length > 0);
    for (int i = 0; i < events.length; i += 3) {
      assertEquals(AccessibilityEvent.TYPE_VIEW_CLICKED, events[i + 1]);
    }
  }

  private String battery() {
    return new ScreenBytes(bridge.capture(Seams.UI_AUTOMATION)).nodes.stream()
        .filter(node -> "battery".equals(node.prop("composeTestTag")))
        .findFirst()
        .orElseThrow()
        .text();
  }

  private void open() throws Exception {
    assertTrue(bridge.launch(APP, new String[0]));
    see("Start the engine");
    // What comes of the start itself.
    for (boolean quiet = false; !quiet; ) {
      bridge.takeEvents();
      Thread.sleep(300);
      quiet = bridge.takeEvents().length == 0;
    }
  }

  private ScreenBytes.Node by(String prop, String value) throws Exception {
    return screen().nodes.stream()
        .filter(node -> value.equals(node.prop(prop)))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no node with " + prop + " " + value));
  }
}
