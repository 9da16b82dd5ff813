package dev.trailblaze.agent;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import android.app.Activity;
import android.os.Bundle;
import android.view.View;
import android.view.accessibility.AccessibilityNodeInfo;
import android.view.accessibility.AccessibilityNodeProvider;
import android.widget.LinearLayout;
import android.widget.SeekBar;
import android.widget.TextView;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.Test;

/** What a capture says. Seam: the roots are decor views instead of the system's windows; both drivers share the rest. */
public class ScreenTest extends OnPhone {
  private static final String TAG = "androidx.compose.ui.semantics.testTag";

  private void show(View view) {
    phone.onMain(() -> phone.activity().setContentView(view));
  }

  private Activity app() {
    return phone.activity();
  }

  @Test
  public void nothingToSee() {
    assertNull(bridge.capture(Seams.UI_AUTOMATION));
    assertTrue("the platform may have no list at all", Seams.roots(null).isEmpty());
  }

  @Test
  public void oneBufferOfTheRightSize() throws Exception {
    launch();
    long before = bridge.now();
    ByteBuffer buffer = bridge.capture(Seams.UI_AUTOMATION);
    assertTrue(buffer.isDirect());
    assertEquals(buffer.capacity(), buffer.remaining());
    ScreenBytes screen = new ScreenBytes(buffer);
    assertEquals(1080, screen.width);
    assertEquals(2400, screen.height);
    assertEquals(0, screen.rotation);
    assertTrue(screen.time >= before);
  }

  @Test
  public void signInScreen() throws Exception {
    launch();
    ScreenBytes screen = screen();
    assertEquals(1, screen.windows.size());
    assertArrayEquals(new int[] {0, 0}, screen.windows.get(0));
    assertEquals(-1, screen.nodes.get(0).parent);
    for (ScreenBytes.Node node : screen.nodes) {
      assertTrue("in pre-order", node.parent < node.index);
      assertEquals("com.example.parcel", node.prop("packageName"));
    }

    ScreenBytes.Node email = screen.byId("email");
    assertEquals("android.widget.EditText", email.prop("className"));
    assertEquals("com.example.parcel:id/email", email.prop("resourceId"));
    assertEquals("E-mail", email.prop("hintText"));
    assertEquals(0x21, email.inputType);
    assertEquals(5000, email.maxTextLength);
    assertArrayEquals(new int[] {48, 582, 1032, 717}, email.bounds);
    for (String flag : List.of("isEnabled", "isVisibleToUser", "isImportantForAccessibility", "isEditable",
        "isFocusable", "isShowingHintText", "isClickable")) {
      assertTrue(flag, email.is(flag));
    }
    assertFalse(email.is("isPassword"));
    assertTrue(email.actions.toString(), email.actions.containsAll(List.of("ACTION_CLICK", "ACTION_SET_TEXT")));
    assertTrue(screen.byId("password").is("isPassword"));

    ScreenBytes.Node signIn = screen.byId("sign_in");
    assertEquals("Sign in", signIn.text());
    assertFalse(signIn.is("isEnabled"));
    ScreenBytes.Node remember = screen.byId("remember");
    assertTrue(remember.is("isCheckable"));
    assertFalse(remember.is("isChecked"));
    assertTrue(screen.byId("logo").is("isHeading"));
    assertEquals(-1, screen.byId("logo").maxTextLength);
    assertNull("an invisible view", screen.byId("email_error"));
  }

  @Test
  public void whatFewNodesHave() throws Exception {
    signIn();
    ScreenBytes screen = screen();
    ScreenBytes.Node list = screen.byId("parcel_list");
    assertTrue(list.is("isScrollable"));
    assertArrayEquals("a ListView does not say how long it is",
        new int[] {-1, -1, 0}, screen.rares.get(list.rare).collection());
    ScreenBytes.Node row = screen.nodes.get(screen.byText("Ben Carter").parent);
    while (!row.name().equals("parcel")) {
      row = screen.nodes.get(row.parent);
    }
    assertTrue(row.is("isClickable") && row.is("isLongClickable"));
    assertArrayEquals(new int[] {1, 1, 0, 1, 0}, screen.rares.get(row.rare).item());

    SeekBar bar = new SeekBar(app());
    phone.onMain(() -> {
      bar.setMax(40);
      bar.setProgress(30);
      bar.setStateDescription("three quarters");
      bar.setTooltipText("how loud");
    });
    show(bar);
    phone.until("the bar", () -> new ScreenBytes(bridge.capture(1)).rares.size() == 1);
    screen = new ScreenBytes(bridge.capture(1));
    assertArrayEquals(new double[] {0, 0, 40, 30}, screen.rares.get(0).range(), 0);
    ScreenBytes.Node node = screen.nodes.get(screen.nodes.size() - 1);
    assertEquals("three quarters", node.prop("stateDescription"));
    assertEquals("how loud", node.prop("tooltipText"));
    assertTrue(node.actions.contains("ACTION_SET_PROGRESS"));
  }

  @Test
  public void dialogsAreWindows() throws Exception {
    launch();
    type("email", "a@b.ch");
    type("password", "on-time-7");
    click("sign_in");
    see("Allow Parcel to notify you?");
    ScreenBytes screen = screen();
    assertEquals(2, screen.windows.size());
    int dialog = screen.windows.get(1)[0];
    assertEquals(-1, screen.nodes.get(dialog).parent);
    assertTrue(screen.byId("allow").index > dialog);
    assertTrue(screen.byId("parcel_list").index < dialog);
    click("allow");
    miss("Allow Parcel to notify you?");
    assertEquals(1, screen().windows.size());
  }

  @Test
  public void anyText() throws Exception {
    launch();
    TextView text = new TextView(app());
    TextView label = new TextView(app());
    phone.onMain(() -> {
      text.setId(View.generateViewId());
      text.setText("Grüße, 日本語, 🚚, \u202eأهلا, half of one: \ud83d");
      text.setTextIsSelectable(true);
      text.setError("not allowed");
      label.setText("Greeting");
      label.setLabelFor(text.getId());
      text.setAccessibilityPaneTitle("");
      LinearLayout column = new LinearLayout(app());
      column.addView(text);
      column.addView(label);
      app().setContentView(column);
    });
    see("Grüße, 日本語, 🚚, \u202eأهلا, half of one: ?");
    ScreenBytes.Node node = screen().byText("Grüße, 日本語, 🚚, \u202eأهلا, half of one: ?");
    assertEquals("Greeting", node.prop("labeledByText"));
    assertEquals("not allowed", node.prop("error"));
    assertTrue(node.is("isContentInvalid") && node.is("isTextSelectable"));
    assertNull(node.prop("resourceId"));
  }

  @Test
  public void testTagsComeByExtraData() throws Exception {
    launch();
    View tagged = new View(app()) {
      @Override
      public void onInitializeAccessibilityNodeInfo(AccessibilityNodeInfo info) {
        super.onInitializeAccessibilityNodeInfo(info);
        info.setAvailableExtraData(List.of(TAG));
        info.getExtras().putCharSequence("AccessibilityNodeInfo.roleDescription", "Lever");
      }

      @Override
      public void addExtraDataToAccessibilityNodeInfo(AccessibilityNodeInfo info, String name, Bundle arguments) {
        info.getExtras().putCharSequence(name, "lever");
      }
    };
    show(tagged);
    phone.until("the lever", () -> lastNode().prop("composeTestTag") != null);
    assertEquals("lever", lastNode().prop("composeTestTag"));
    assertEquals("Lever", lastNode().prop("roleDescription"));
  }

  private ScreenBytes.Node lastNode() {
    List<ScreenBytes.Node> nodes = new ScreenBytes(bridge.capture(Seams.UI_AUTOMATION)).nodes;
    return nodes.get(nodes.size() - 1);
  }

  /** Says that it has a child, which has a child, and so on without end. */
  private static final class Endless extends AccessibilityNodeProvider {
    private final View view;

    Endless(View view) {
      this.view = view;
    }

    @Override
    public AccessibilityNodeInfo createAccessibilityNodeInfo(int id) {
      int level = id == HOST_VIEW_ID ? 0 : id;
      AccessibilityNodeInfo node =
          level == 0 ? new AccessibilityNodeInfo(view) : new AccessibilityNodeInfo(view, level);
      if (level == 0) {
        view.onInitializeAccessibilityNodeInfo(node);
      }
      node.setText("Level " + level);
      node.addChild(view, level + 1);
      return node;
    }
  }

  @Test
  public void depthIsBounded() throws Exception {
    launch();
    View endless = new View(app());
    AccessibilityNodeProvider provider = new Endless(endless);
    endless.setAccessibilityDelegate(new View.AccessibilityDelegate() {
      @Override
      public AccessibilityNodeProvider getAccessibilityNodeProvider(View host) {
        return provider;
      }
    });
    show(endless);
    phone.until("an endless tree", () -> new ScreenBytes(bridge.capture(1)).nodes.size() > 100);
    ScreenBytes screen = screen();
    assertEquals(Flattener.MAX_DEPTH, screen.nodes.size());
    assertEquals(Flattener.MAX_DEPTH - 2, screen.nodes.get(Flattener.MAX_DEPTH - 1).parent);
  }

  @Test
  public void ownShareOfALargeScreen() throws Exception {
    launch();
    phone.onMain(() -> app().setContentView(Figures.screen(app(), 500)));
    see("Row 0");
    assertNotNull(screen().byText("Row 1"));
    Figures.print(new PhoneSeams(null, phone), bridge);
  }
}
