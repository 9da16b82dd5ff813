package dev.trailblaze.agent;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import android.accessibilityservice.AccessibilityService;
import android.os.SystemClock;
import org.junit.Test;

/** The sample app does what the simulated one does, as far as trails can tell. */
public class SampleTest extends OnPhone {
  @Test
  public void wrongSignInData() throws Exception {
    launch();
    type("email", "ada@example");
    type("password", "too-late-8");
    click("sign_in");
    see("Enter a valid e-mail address");
    type("email", "ada@example.com");
    miss("Enter a valid e-mail address");
    click("sign_in");
    see("Signing in");
    see("E-mail and password do not match");
  }

  @Test
  public void searching() throws Exception {
    signIn();
    type("search", "mill lane");
    see("3 of 24 parcels");
    see("P-1015, 14 Mill Lane");
    miss("Ada Bauer");
    type("search", "zebra");
    see("No parcels found");
    click("search_clear");
    see("24 parcels today");
    assertTrue(tap(540, 520));
    assertTrue(line(200, 520, 900, 520, 10, 200));
    miss("Tip: hold a parcel for more actions");
    assertTrue(line(540, 1000, 540, 1800, 10, 300));
    see("Updated just now");
  }

  @Test
  public void handingOver() throws Exception {
    signIn();
    assertTrue(tap(300, screen().byText("Grace Hughes").y()));
    see("P-1007");
    click("hand_over");
    see("P-1007, Grace Hughes");
    click("confirm");
    see("Enter who took the parcel");
    see("Enter a phone number");
    see("Enter a number from 1 to 9");
    type("recipient", "Guest 1234");
    type("phone", "030 555 0123");
    type("boxes", "0");
    miss("Enter a number from 1 to 9");
    click("confirm");
    see("Enter a number from 1 to 9");
    miss("Enter a phone number");
    type("boxes", "2");
    click("confirm");
    see("Saving");
    see("P-1007 went to Guest 1234");
    see("Delivered");
    click("done");
    see("24 parcels today");
    see("Delivered");
  }

  @Test
  public void details() throws Exception {
    signIn();
    assertTrue(tap(300, screen().byText("Chloe Diaz").y()));
    see("Zoom 1x");
    ScreenBytes.Node photo = screen().byId("photo");
    assertTrue(tap(photo.x(), photo.y()));
    SystemClock.sleep(100);
    assertTrue(tap(photo.x(), photo.y()));
    see("Zoom 2x");
    assertTrue(line(900, 1200, 200, 1200, 10, 200));
    see("Dario Esposito");
    assertTrue(line(200, 1200, 900, 1200, 10, 200));
    see("Chloe Diaz");
    click("absent");
    see("Leave a card?");
    click("yes");
    see("Card left");
    assertFalse(screen().byId("hand_over").is("isEnabled"));
    bridge.global(Seams.UI_AUTOMATION, AccessibilityService.GLOBAL_ACTION_BACK);
    see("24 parcels today");
  }

  @Test
  public void lateRoute() throws Exception {
    signIn();
    click("tab_route");
    see("Planning your route");
    long before = bridge.now();
    see("Your route is ready");
    assertTrue(bridge.now() - before >= 2000);
    see("24 stops, 38 km");
    assertTrue(line(152, 1960, 980, 1960, 20, 800));
    see("Tour started");
    miss("Slide to start the tour");
  }

  @Test
  public void settings() throws Exception {
    signIn();
    click("tab_settings");
    see("Signed in as courier@example.com");
    see("Notifications are on");
    assertTrue(tap(540, 616));
    assertTrue(tap(540, 760));
    phone.until("both switches", () -> {
      ScreenBytes screen = new ScreenBytes(bridge.capture(Seams.UI_AUTOMATION));
      return !screen.byId("vibrate").is("isChecked") && screen.byId("big_map").is("isChecked");
    });
    click("sign_out");
    click("cancel");
    miss("Sign out of Parcel?");
    click("sign_out");
    click("yes");
    see("Remember me");
  }

  @Test
  public void aCourierIsRemembered() throws Exception {
    bridge.shell("pm grant " + Phone.APP + " android.permission.POST_NOTIFICATIONS");
    launch();
    type("email", "a@b.ch");
    type("password", "on-time-7");
    click("remember");
    click("sign_in");
    see("24 parcels today");
    bridge.shell("am force-stop " + Phone.APP);
    assertTrue(bridge.launch(Phone.APP, new String[0]));
    see("24 parcels today");
  }
}
