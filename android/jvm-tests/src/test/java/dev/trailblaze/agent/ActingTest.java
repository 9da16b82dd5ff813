package dev.trailblaze.agent;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import android.accessibilityservice.AccessibilityService;
import android.content.ClipboardManager;
import android.location.Location;
import android.location.LocationManager;
import android.view.KeyEvent;
import android.view.MotionEvent;
import android.view.View;
import android.view.accessibility.AccessibilityEvent;
import android.view.accessibility.AccessibilityNodeInfo;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.Test;

/** Nodes, fingers and keys. Node actions serve both drivers, injection is UiAutomation's, dispatch the service's. */
public class ActingTest extends OnPhone {
  @Test
  public void nodeActions() throws Exception {
    launch();
    type("email", "größe@例え.jp 🚚");
    type("password", "x");
    see("größe@例え.jp 🚚");
    phone.until("the button", () -> new ScreenBytes(bridge.capture(1)).byId("sign_in").is("isEnabled"));
    type("email", "");
    phone.until("the button again", () -> !new ScreenBytes(bridge.capture(1)).byId("sign_in").is("isEnabled"));
    click("remember");
    phone.until("the tick", () -> new ScreenBytes(bridge.capture(1)).byId("remember").is("isChecked"));
    assertFalse("a text cannot be clicked",
        bridge.perform(screen().byId("logo").index, AccessibilityNodeInfo.ACTION_CLICK, null));
  }

  @Test
  public void aNodeThatIsGone() throws Exception {
    launch();
    int forgot = screen().byId("forgot").index;
    phone.onMain(() -> phone.activity().setContentView(new View(phone.activity())));
    assertFalse(bridge.perform(forgot, AccessibilityNodeInfo.ACTION_CLICK, null));
    assertThrows(IndexOutOfBoundsException.class, () -> bridge.perform(9999, AccessibilityNodeInfo.ACTION_CLICK, null));
  }

  @Test
  public void tapAndType() throws Exception {
    launch();
    ScreenBytes.Node email = screen().byId("email");
    assertTrue(tap(email.x(), email.y()));
    phone.until("the focus", () -> new ScreenBytes(bridge.capture(1)).byId("email").is("isFocused"));
    assertTrue(bridge.keys("Ada B. 7!"));
    see("Ada B. 7!");
    assertTrue(bridge.key(KeyEvent.KEYCODE_DEL, 0));
    assertTrue(bridge.key(KeyEvent.KEYCODE_X, KeyEvent.META_SHIFT_ON));
    see("Ada B. 7X");
    assertFalse("no service, no input connection", bridge.commit("a"));
  }

  @Test
  public void swipeScrolls() throws Exception {
    signIn();
    see("Ada Bauer");
    bridge.takeEvents();
    assertTrue(line(540, 1800, 540, 800, 20, 400));
    miss("Ada Bauer");
    long[] events = bridge.takeEvents();
    int scrolled = 0;
    for (int i = 0; i < events.length; i += 3) {
      assertTrue("a time stamp", events[i] > 0 && events[i] <= bridge.now());
      scrolled += events[i + 1] == AccessibilityEvent.TYPE_VIEW_SCROLLED ? 1 : 0;
    }
    assertTrue(scrolled > 0);
    assertTrue("a quarter of a second passed between", events[events.length - 3] - events[0] >= 250);
  }

  @Test
  public void longPressOpensTheMenu() throws Exception {
    signIn();
    see("Ben Carter");
    ScreenBytes.Node row = screen().byText("Ben Carter");
    assertTrue(line(row.x(), row.y(), row.x(), row.y(), 8, 800));
    see("Pin to top");
    assertTrue(bridge.global(Seams.UI_AUTOMATION, AccessibilityService.GLOBAL_ACTION_BACK));
    miss("Pin to top");
  }

  /** Two views of one touch: its actions, and where the second finger was last. */
  private List<String> fingers() {
    List<String> seen = new CopyOnWriteArrayList<>();
    phone.onMain(() -> {
      View pad = new View(phone.activity());
      pad.setOnTouchListener((view, event) -> {
        int last = event.getPointerCount() - 1;
        seen.add(MotionEvent.actionToString(event.getAction()) + " " + event.getPointerCount() + " fingers, id "
            + event.getPointerId(last) + " at " + (int) event.getX(last) + "," + (int) event.getY(last));
        return true;
      });
      phone.activity().setContentView(pad);
    });
    return seen;
  }

  private static final List<String> PINCH = List.of(
      "ACTION_DOWN 1 fingers, id 0 at 400,1000",
      "ACTION_POINTER_DOWN(1) 2 fingers, id 1 at 600,1000",
      "ACTION_MOVE 2 fingers, id 1 at 900,1000",
      "ACTION_POINTER_UP(1) 2 fingers, id 1 at 900,1000",
      "ACTION_UP 1 fingers, id 0 at 100,1000");

  @Test
  public void twoFingersInjected() throws Exception {
    launch();
    List<String> seen = fingers();
    phone.until("the pad", () -> new ScreenBytes(bridge.capture(1)).byId("email") == null);
    phone.until("its size", () -> {
      ScreenBytes screen = new ScreenBytes(bridge.capture(1));
      return screen.nodes.get(screen.nodes.size() - 1).bounds[3] == 2400;
    });
    assertTrue(bridge.inject(
        new long[] {0, 0, 100, 200, 200},
        new int[] {
          MotionEvent.ACTION_DOWN,
          MotionEvent.ACTION_POINTER_DOWN | 1 << MotionEvent.ACTION_POINTER_INDEX_SHIFT,
          MotionEvent.ACTION_MOVE,
          MotionEvent.ACTION_POINTER_UP | 1 << MotionEvent.ACTION_POINTER_INDEX_SHIFT,
          MotionEvent.ACTION_UP
        },
        new int[] {1, 2, 2, 2, 1},
        new int[] {0, 0, 1, 0, 1, 0, 1, 0},
        new float[] {400, 1000, 400, 1000, 600, 1000, 100, 1000, 900, 1000, 100, 1000, 900, 1000, 100, 1000}));
    phone.until("all touches", () -> seen.size() == PINCH.size());
    assertEquals(PINCH, seen);
  }

  /** Seam: Robolectric has no gesture player; the framework's own steps of the gesture are injected. */
  @Test
  public void gesturesOfTheService() throws Exception {
    assertThrows(IllegalStateException.class,
        () -> bridge.dispatch(new int[] {1}, new float[] {5, 5}, new long[] {0, 50}));
    bridge.shell("settings put secure enabled_accessibility_services " + bridge.serviceComponent());
    assertTrue(bridge.isServiceConnected());
    signIn();
    ScreenBytes.Node settings = screen().byId("tab_settings");
    assertTrue(bridge.dispatch(new int[] {1}, new float[] {settings.x(), settings.y()}, new long[] {0, 50}));
    see("Signed in as courier@example.com");
    List<String> seen = fingers();
    phone.until("its size", () -> {
      ScreenBytes screen = new ScreenBytes(bridge.capture(0));
      return screen.byId("sign_out") == null && screen.nodes.get(screen.nodes.size() - 1).bounds[3] == 2400;
    });
    assertTrue(bridge.dispatch(
        new int[] {2, 2},
        new float[] {400, 1000, 100, 1000, 600, 1000, 900, 1000},
        new long[] {0, 200, 0, 200}));
    phone.until("the end", () -> !seen.isEmpty() && seen.get(seen.size() - 1).startsWith("ACTION_UP"));
    assertTrue(seen.toString(), seen.stream().anyMatch(each -> each.startsWith("ACTION_POINTER_DOWN(1) 2 fingers")));
  }

  @Test
  public void clipboardAndRotation() {
    bridge.setClipboard("P-1012");
    ClipboardManager clipboard = phone.context.getSystemService(ClipboardManager.class);
    assertEquals("P-1012", clipboard.getPrimaryClip().getItemAt(0).getText().toString());
    assertTrue(bridge.setRotation(1));
    assertEquals(1, bridge.display()[2]);
    assertEquals(2400, bridge.display()[0]);
    assertTrue(bridge.setRotation(0));
  }

  /** Nobody delivers locations here. That the framework takes them means that they are complete. */
  @Test
  public void location() {
    bridge.addTestProvider(LocationManager.GPS_PROVIDER);
    bridge.setTestLocation(LocationManager.GPS_PROVIDER, 52.52, -13.405);
    bridge.removeTestProvider(LocationManager.GPS_PROVIDER);
    LocationManager manager = phone.context.getSystemService(LocationManager.class);
    assertThrows(
        IllegalArgumentException.class,
        () -> manager.setTestProviderLocation(LocationManager.GPS_PROVIDER, new Location("gps")));
  }
}
