package dev.trailblaze.agent;

import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import android.view.MotionEvent;
import android.view.accessibility.AccessibilityNodeInfo;
import java.io.File;
import java.nio.ByteBuffer;
import org.junit.After;
import org.junit.Before;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;

/** A phone for each test, and a hand that uses it through the bridge alone. */
@RunWith(RobolectricTestRunner.class)
public abstract class OnPhone {
  Phone phone;
  Bridge bridge;

  @Before
  public void switchOn() {
    phone = new Phone();
    bridge = phone.bridge();
  }

  @After
  public void switchOff() throws Exception {
    phone.close();
  }

  /** Whole trails need the host build of the library. */
  static void assumeLibrary() {
    File library = new File(System.getProperty("java.library.path"), System.mapLibraryName("trailblaze"));
    assumeTrue("-Dnative.dir=FOLDER names no folder with " + library.getName(), library.exists());
  }

  final ScreenBytes screen() throws Exception {
    phone.until("a window", () -> bridge.capture(Seams.UI_AUTOMATION) != null);
    return new ScreenBytes(bridge.capture(Seams.UI_AUTOMATION));
  }

  final void launch() throws Exception {
    assertTrue(bridge.launch(Phone.APP, new String[0]));
    see("Sign in");
  }

  final void signIn() throws Exception {
    bridge.shell("pm grant " + Phone.APP + " android.permission.POST_NOTIFICATIONS");
    launch();
    type("email", "courier@example.com");
    type("password", "on-time-7");
    click("sign_in");
    see("24 parcels today");
  }

  private boolean isOnScreen(String text) {
    ByteBuffer captured = bridge.capture(Seams.UI_AUTOMATION);
    return captured != null
        && new ScreenBytes(captured).nodes.stream()
            .anyMatch(node -> text.equals(node.text()) && node.bounds[3] > node.bounds[1]);
  }

  final void see(String text) throws Exception {
    phone.until("'" + text + "' on the screen", () -> isOnScreen(text));
  }

  final void miss(String text) throws Exception {
    phone.until("'" + text + "' gone", () -> !isOnScreen(text));
  }

  final void click(String id) throws Exception {
    assertTrue(id, bridge.perform(screen().byId(id).index, AccessibilityNodeInfo.ACTION_CLICK, null));
  }

  final void type(String id, String text) throws Exception {
    assertTrue(id, bridge.perform(screen().byId(id).index, AccessibilityNodeInfo.ACTION_SET_TEXT, text));
  }

  final boolean tap(int x, int y) {
    return line(x, y, x, y, 1, 50);
  }

  /** One finger along a line, by injected events. */
  final boolean line(float x1, float y1, float x2, float y2, int steps, long duration) {
    long[] times = new long[steps + 2];
    int[] actions = new int[steps + 2];
    int[] counts = new int[steps + 2];
    int[] pointers = new int[steps + 2];
    float[] coordinates = new float[2 * (steps + 2)];
    for (int i = 0; i < steps + 2; i++) {
      float done = Math.min(1, (float) i / steps);
      times[i] = (long) (duration * done);
      actions[i] = MotionEvent.ACTION_MOVE;
      counts[i] = 1;
      coordinates[2 * i] = x1 + (x2 - x1) * done;
      coordinates[2 * i + 1] = y1 + (y2 - y1) * done;
    }
    actions[0] = MotionEvent.ACTION_DOWN;
    actions[steps + 1] = MotionEvent.ACTION_UP;
    return bridge.inject(times, actions, counts, pointers, coordinates);
  }
}
