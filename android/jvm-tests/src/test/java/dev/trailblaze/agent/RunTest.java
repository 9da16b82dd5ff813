package dev.trailblaze.agent;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import android.app.Activity;
import android.graphics.Bitmap;
import android.graphics.BitmapFactory;
import android.os.Build;
import android.os.Bundle;
import android.os.SystemClock;
import android.util.Log;
import android.view.accessibility.AccessibilityEvent;
import dev.trailblaze.tool.JsonText;
import dev.trailblaze.tool.TrailblazeCommands;
import dev.trailblaze.tool.TrailblazeTool;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.Test;
import org.robolectric.shadows.ShadowLog;

/** What a run needs besides the screen. Seams: shell, finish, and the service's screenshot. */
public class RunTest extends OnPhone {
  @Test
  public void screenshots() throws Exception {
    launch();
    byte[] png = bridge.screenshot(Seams.UI_AUTOMATION);
    Path file = Path.of(System.getProperty("out"), "sign-in.png");
    Files.createDirectories(file.getParent());
    Files.write(file, png);
    Bitmap picture = BitmapFactory.decodeByteArray(png, 0, png.length);
    assertEquals(1080, picture.getWidth());
    assertEquals(2400, picture.getHeight());
    int[] pixels = new int[1080 * 2400];
    picture.getPixels(pixels, 0, 1080, 0, 0, 1080, 2400);
    assertTrue("more than one colour", Arrays.stream(pixels).distinct().count() > 20);
    assertThrows(IllegalStateException.class, () -> bridge.screenshot(Seams.SERVICE));
    phone.connectService();
    assertArrayEquals(png, bridge.screenshot(Seams.SERVICE));
  }

  @Test
  public void statusProtocol() {
    bridge.status(1, new String[] {"class", "trails.SignIn", "test", "signsIn", "stream", ""});
    bridge.status(-2, new String[] {"class", "trails.SignIn", "test", "signsIn", "stack", "no 'Sign in'\nat step 2"});
    bridge.finish(-1, new String[] {"stream", "Time: 1"});
    phone.onMain(() -> {});
    assertEquals(
        """
        INSTRUMENTATION_STATUS: class=trails.SignIn
        INSTRUMENTATION_STATUS: stream=
        INSTRUMENTATION_STATUS: test=signsIn
        INSTRUMENTATION_STATUS_CODE: 1
        INSTRUMENTATION_STATUS: class=trails.SignIn
        INSTRUMENTATION_STATUS: stack=no 'Sign in'
        at step 2
        INSTRUMENTATION_STATUS: test=signsIn
        INSTRUMENTATION_STATUS_CODE: -2
        INSTRUMENTATION_RESULT: stream=Time: 1
        INSTRUMENTATION_CODE: -1
        """,
        phone.status.raw());
  }

  /** Without these the platform refuses what the library asks for; nothing here enforces them. */
  @Test
  public void whatTheManifestAsksFor() throws IOException {
    String manifest = Files.readString(Path.of("../agent/AndroidManifest.xml"));
    for (String permission : List.of("QUERY_ALL_PACKAGES", "INTERNET", "ACCESS_MOCK_LOCATION")) {
      assertTrue(permission, manifest.contains("<uses-permission android:name=\"android.permission." + permission));
    }
    assertTrue(manifest, manifest.contains("android:usesCleartextTraffic=\"true\""));
  }

  /** Without the library this is the only thing the agent says by itself. */
  @Test
  public void aRunAlwaysFinishes() throws Exception {
    Bundle arguments = new Bundle();
    arguments.putString("log", "true");
    StatusLines.Block end = phone.instrument(arguments, Duration.ofSeconds(60)).end;
    if (isLibraryMissing()) {
      assertEquals(Activity.RESULT_CANCELED, end.code());
      assertTrue(end.values().getString("shortMsg"), end.values().getString("shortMsg").contains("trailblaze"));
      String all = end.values().getString("longMsg");
      assertTrue(all, all.contains("\nhint: this phone takes [") && all.contains("TrailblazeInstrumentation.onStart"));
    }
  }

  /** An APK that was built for other phones: a file that says that it is for another processor. */
  @Test
  public void aLibraryForAnotherMachine() throws Exception {
    int machine = System.getProperty("os.arch").equals("aarch64") ? 62 : 183;
    // A header, and one segment: without one that says so, a JVM fears for its stack.
    ByteBuffer elf = ByteBuffer.allocate(4096).order(ByteOrder.LITTLE_ENDIAN);
    elf.put(new byte[] {0x7f, 'E', 'L', 'F', 2, 1, 1}).position(16);
    elf.putShort((short) 3).putShort((short) machine).putInt(1).putLong(0).putLong(64).putLong(0).putInt(0);
    elf.putShort((short) 64).putShort((short) 56).putShort((short) 1).position(64);
    elf.putInt(0x6474e551).putInt(6);
    Path library = Files.createTempDirectory("abi").resolve("libtrailblaze.so");
    Files.write(library, elf.array());
    phone.library = () -> System.load(library.toString());
    StatusLines.Block end = phone.instrument(new Bundle(), Duration.ofSeconds(60)).end;
    String why = assertThrows(UnsatisfiedLinkError.class, () -> System.load(library.toString())).getMessage();
    assertTrue(why, why.contains(library.toString()));
    assertEquals(Activity.RESULT_CANCELED, end.code());
    String told = "the library of Trailblaze cannot be used: " + why;
    assertEquals(told, end.values().getString("shortMsg"));
    String all = end.values().getString("longMsg");
    assertTrue(all, all.startsWith(told + "\nhint: this phone takes [" + Build.SUPPORTED_ABIS[0]));
    assertTrue(all, all.contains("look whether the APK holds lib/" + Build.SUPPORTED_ABIS[0] + "/libtrailblaze.so"));
    assertTrue(all, all.contains("TrailblazeInstrumentation.onStart"));
  }

  private static boolean isLibraryMissing() {
    File library = new File(System.getProperty("java.library.path"), System.mapLibraryName("trailblaze"));
    return !library.exists();
  }

  @Test
  public void arguments() {
    Bundle bundle = new Bundle();
    bundle.putString("shardIndex", "2");
    bundle.putString("class", "a.B#c");
    assertArrayEquals(new String[] {"class", "a.B#c", "shardIndex", "2"}, Pairs.of(bundle));
  }

  @Test
  public void assets() throws Exception {
    // Robolectric lists a folder with all that is below it; a phone lists only its own entries.
    assertArrayEquals(new String[] {"hello.txt", "more/deep.txt"}, bridge.assets("notes"));
    assertArrayEquals(new String[] {"deep.txt"}, bridge.assets("notes/more"));
    assertEquals("Grüße aus dem APK\n", new String(bridge.asset("notes/hello.txt"), StandardCharsets.UTF_8));
    assertEquals(0, bridge.assets("nowhere").length);
    assertThrows(IOException.class, () -> bridge.asset("notes/none.txt"));
  }

  @Test
  public void thePhone() {
    assertArrayEquals(new int[] {1080, 2400, 0, 480}, bridge.display());
    List<String> device = List.of(bridge.describeDevice());
    assertEquals("35", device.get(device.indexOf("sdk") + 1));
    assertEquals("en-US", device.get(device.indexOf("locale") + 1));
    assertTrue(List.of(bridge.installed()).contains(Phone.APP));
    assertTrue(new File(bridge.filesDir()).isDirectory());
    long before = bridge.now();
    SystemClock.sleep(20);
    assertTrue(bridge.now() >= before + 20);
    bridge.log(Log.WARN, "trailblaze", "battery is low");
    assertTrue(ShadowLog.getLogsForTag("trailblaze").stream().anyMatch(line -> line.msg.equals("battery is low")));
  }

  @Test
  public void launching() throws Exception {
    assertFalse(bridge.launch("no.such.app", new String[0]));
    String[] extras = {"name", "s", "Ada", "fast", "b", "true", "count", "i", "3", "part", "d", "0.5"};
    assertTrue(bridge.launch(Phone.APP, extras));
    Bundle got = phone.activity().getIntent().getExtras();
    assertEquals("Ada", got.getString("name"));
    assertTrue(got.getBoolean("fast"));
    assertEquals(3, got.getInt("count"));
    assertEquals(0.5, got.getDouble("part"), 0);
    assertFalse(bridge.open("nobody://listens"));
  }

  @Test
  public void links() throws Exception {
    signIn();
    Activity before = phone.activity();
    assertTrue(bridge.open("https://parcel.example/p/P-1005"));
    see("Emma Fischer");
    assertEquals(before, phone.activity());
  }

  @Test
  public void shell() throws Exception {
    phone.shell.answer("dumpsys (\\w+)", command -> "all about " + command.group(1) + ": grün\n");
    assertEquals("all about window: grün\n", bridge.shell("dumpsys window"));
    assertEquals("", bridge.shell("whatever"));
    assertEquals("null\n", bridge.shell("settings get secure enabled_accessibility_services"));
    assertFalse(bridge.isServiceConnected());
    bridge.shell("settings put secure enabled_accessibility_services other/.Service:" + bridge.serviceComponent());
    assertTrue(bridge.isServiceConnected());
    bridge.shell("settings put secure enabled_accessibility_services other/.Service");
    assertFalse(bridge.isServiceConnected());
    assertEquals("dumpsys window", phone.shell.commands.get(0));
  }

  @Test
  public void forceStopAndClear() throws Exception {
    signIn();
    bridge.shell("am force-stop " + Phone.APP);
    assertNull(bridge.capture(Seams.UI_AUTOMATION));
    assertEquals("Success\n", bridge.shell("pm clear " + Phone.APP));
    launch();
  }

  @Test
  public void toastsAreNotices() throws Exception {
    launch();
    type("email", "ada@example.com");
    click("forgot");
    phone.until("the event", () -> contains(bridge.takeEvents(), 64));
    String[] notice = bridge.takeNotices();
    assertEquals(4, notice.length);
    assertEquals(Phone.APP, notice[1]);
    assertEquals("android.widget.Toast", notice[2]);
    assertEquals("We sent a link to ada@example.com", notice[3]);
    assertEquals(0, bridge.takeNotices().length);
  }

  private static boolean contains(long[] events, int type) {
    for (int i = 0; i < events.length; i += 3) {
      if (events[i + 1] == type) {
        return true;
      }
    }
    return false;
  }

  @Test
  public void eventsAreBounded() {
    Events events = new Events();
    for (int i = 0; i < Events.MOST + 10; i++) {
      AccessibilityEvent event = new AccessibilityEvent(2048);
      event.setEventTime(i);
      event.setContentChangeTypes(4);
      events.onAccessibilityEvent(event);
    }
    long[] taken = events.take();
    assertEquals(3 * Events.MOST, taken.length);
    assertArrayEquals(new long[] {10, 2048, 4}, Arrays.copyOf(taken, 3));
    assertEquals(0, events.take().length);
  }

  /** A tool as an APK would bring it. */
  public static class Twice implements TrailblazeTool {
    @Override
    public String describe() {
      return "{\"name\":\"twice\"}";
    }

    @Override
    public String execute(String arguments, TrailblazeCommands commands) {
      return arguments + arguments;
    }
  }

  @Test
  public void toolsThatAreClasses() throws Exception {
    Object tool = bridge.tool(Twice.class.getName());
    assertEquals("{\"name\":\"twice\"}", bridge.describe(tool));
    assertEquals("[][]", bridge.execute(tool, "[]", 0));
    assertThrows(ClassNotFoundException.class, () -> bridge.tool("no.such.Tool"));
    assertThrows(ClassCastException.class, () -> bridge.tool("java.lang.String"));
  }

  @Test
  public void commandsAreJson() {
    StringBuilder calls = new StringBuilder();
    TrailblazeCommands commands = new TrailblazeCommands() {
      @Override
      public String call(String name, String arguments) {
        calls.append(name).append(arguments);
        return name.equals("isVisible") ? "true" : "\"a\\u0041\\n\\\"\\/\"";
      }
    };
    commands.tap("Say \"hi\"\n\u0001");
    commands.tapId("ok");
    commands.inputText("a\\b/");
    assertTrue(commands.isVisible("x"));
    assertEquals("aA\n\"/", commands.elementText("y"));
    assertEquals(
        "tap{\"text\":\"Say \\\"hi\\\"\\n\\u0001\"}tap{\"id\":\"ok\"}inputText{\"text\":\"a\\\\b/\"}"
            + "isVisible{\"text\":\"x\"}getElementText{\"id\":\"y\"}",
        calls.toString());
    assertNull(JsonText.unquote("null"));
  }
}
