package dev.trailblaze.agent;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import android.app.Activity;
import android.graphics.Bitmap;
import android.graphics.BitmapFactory;
import dev.trailblaze.tool.TrailblazeCommands;
import dev.trailblaze.tool.TrailblazeTool;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.json.JSONObject;
import org.junit.Before;
import org.junit.Test;

/**
 * Whole trails, started as {@code am instrument} starts them, with the real library. The workspace lies in the assets:
 * the documents of {@code examples/first} and those of {@code assets/trailblaze}.
 *
 * <p>Both drivers see the views through the framework's own node code; the seam stands in for the list of windows, the
 * event stream, the shell user and {@code finish}. With {@code android-ondevice-instrumentation}, touches, keys and
 * screenshots go through UiAutomation itself. With {@code android-ondevice-accessibility} the service is a real one,
 * but the seam plays its gestures and takes its screenshots.
 */
public class TrailTest extends OnPhone {
  private static final String OWN = "dev.trailblaze.trails.Apk";

  @Before
  public void needsTheLibrary() {
    assumeLibrary();
    phone.home = true;
  }

  // The trails of examples/first, here and on the simulated phone

  @Test(timeout = 300_000)
  public void examplesByInstrumentation() throws Exception {
    examples(TrailRun.INSTRUMENTATION);
  }

  @Test(timeout = 300_000)
  public void examplesByAccessibility() throws Exception {
    examples(TrailRun.ACCESSIBILITY);
  }

  private void examples(String driver) throws Exception {
    String program = System.getProperty("program", "");
    assumeTrue("-Dprogram=FILE names no program", new File(program).exists());
    List<JSONObject> sim = onTheSim(program, driver, "on-device");
    TrailRun run = TrailRun.of(phone, "examples-" + driver, "driver", driver, "notClass", OWN);
    assertEquals(run.status.raw(), TrailRun.verdicts(sim), run.verdicts());
    assertEquals(12, run.verdicts().size());
    Map<String, List<String>> recordings = TrailRun.recordings(sim);
    assertEquals("every trail records something", run.verdicts().keySet(), recordings.keySet());
    assertEquals(recordings, TrailRun.recordings(run.events));
    run.assertPaired();
    assertEquals(Activity.RESULT_OK, run.status.end.code());
    assertTrue(run.status.raw(), run.status.end.values().getString("stream").contains("12 passed, 0 failed"));
    // A screen that was saved by the trail.
    assertIsScreen(run.folder.resolve("hand-over-hand-over/hand-over-form.png"));
    assertAllPutBack(driver);
    double perAction = median(run, "settle");
    System.out.printf("SETTLE %s: median %.0f ms, see %.0f ms, act %.0f ms, %d looks%n",
        driver, perAction, median(run, "see"), median(run, "act"), phone.looks.get());
    assertTrue("settling ends when events say that all is quiet: " + perAction, perAction < 1000);
  }

  static List<JSONObject> onTheSim(String program, String driver, String agent) throws Exception {
    String name = "sim-" + driver + "-" + agent;
    Path out = Path.of(System.getProperty("out"), name);
    TrailRun.delete(out);
    Files.createDirectories(out.getParent());
    Process process = new ProcessBuilder(program, "run", System.getProperty("workspace"), "--as", driver,
        "--agent", agent, "--out", out.toString())
        .redirectErrorStream(true)
        .redirectOutput(out.resolveSibling(name + ".log").toFile())
        .start();
    boolean ended = process.waitFor(60, TimeUnit.SECONDS);
    process.destroyForcibly();
    assertTrue("the sim takes too long", ended);
    assertEquals(0, process.exitValue());
    return TrailRun.read(out.resolve("events.jsonl"));
  }

  // Our own trails: Unicode, scrolling, late content, dialog, check box, a Kotlin tool, a failure in the middle

  @Test(timeout = 200_000)
  public void ownTrailsByInstrumentation() throws Exception {
    own(TrailRun.INSTRUMENTATION);
  }

  @Test(timeout = 200_000)
  public void ownTrailsByAccessibility() throws Exception {
    own(TrailRun.ACCESSIBILITY);
  }

  private void own(String driver) throws Exception {
    TrailRun run = TrailRun.of(phone, "own-" + driver, "driver", driver, "class", OWN);
    Map<String, String> expected = new TreeMap<>();
    for (String trail : List.of("checkbox", "count", "dialog", "late", "scrolling", "unicode")) {
      expected.put("apk/" + trail, "passed");
    }
    expected.put("apk/too-many", "failed");
    assertEquals(run.status.raw(), expected, new TreeMap<>(run.verdicts()));
    run.assertPaired();
    assertAllPutBack(driver);

    // Text that no keyboard has: the first way to type takes it, and the app has it.
    String typed = run.of("apk/unicode", "toolFinished")
        .filter(event -> event.optString("tool").equals("inputText"))
        .map(event -> event.optString("message"))
        .distinct()
        .toList()
        .toString();
    assertEquals("[typed by set-text]", typed);

    // Real fingers moved the list, both ways.
    long swipes = run.of("apk/scrolling", "device").filter(event -> event.optString("action").equals("swipe")).count();
    assertTrue("" + swipes, swipes >= 2);

    // The route takes three seconds; the trail has no pause, and no time is lost after them.
    JSONObject late = run.of("apk/late", "toolFinished")
        .filter(event -> event.optString("tool").equals("assertVisibleWithText"))
        .findFirst().get();
    long opened = run.of("apk/late", "toolStarted")
        .filter(event -> event.optString("tool").equals("tap"))
        .mapToLong(event -> event.optLong("t"))
        .max().getAsLong();
    long waited = late.optLong("t") - opened;
    assertTrue("" + late, waited > 2500 && waited < 8000);

    // The Kotlin tool typed, read and answered.
    List<String> said = run.of("apk/count", "toolFinished")
        .filter(event -> event.optString("tool").equals("parcel_count"))
        .map(event -> event.optString("message"))
        .toList();
    assertEquals(List.of("24 parcels", "3 parcels"), said);
    List<String> commands = run.of("apk/count", "toolStarted")
        .filter(event -> event.optString("via").equals("callback"))
        .map(event -> event.optString("tool"))
        .toList();
    assertEquals(List.of("getElementText", "tap", "inputText", "getElementText"), commands);

    // A failure says what we say, has a picture, and the next trail starts afresh.
    StatusLines.Block failed = run.end("apk/too-many");
    assertEquals(StatusLines.FAILED, failed.code());
    String stack = failed.values().getString("stack");
    assertTrue(stack, stack.startsWith("ToolFailure: only 24 parcels, not 25: '24 parcels today'\n"));
    assertTrue(stack, stack.contains("too-many.trail.yaml:15:11"));
    assertTrue(stack, stack.contains("✗ More parcels than there are"));
    assertTrue(stack, stack.contains("CountParcels.kt"));
    assertIsScreen(run.folder.resolve("apk-too-many/step-2-failed.png"));
    assertReports(run);
  }

  private static void assertReports(TrailRun run) throws Exception {
    String junit = Files.readString(run.folder.resolve("junit.xml"));
    assertTrue(junit, junit.contains("tests=\"7\" skipped=\"0\" failures=\"1\" errors=\"0\""));
    assertTrue(junit, junit.contains("only 24 parcels, not 25"));
    String summary = Files.readString(run.folder.resolve("summary.md"));
    assertTrue(summary, summary.startsWith("# ✗ 1 of 7 trails failed"));
    JSONObject last = run.events.get(run.events.size() - 1);
    assertEquals("runFinished", last.getString("event"));
    assertEquals(6, last.getInt("passed"));
    assertEquals(1, last.getInt("failed"));
  }

  // Bad input, driver instrumentation

  @Test(timeout = 60_000)
  public void aMissingClass() throws Exception {
    TrailRun run = withTool("missing", "no.such.Tool");
    fails(run, "the class no.such.Tool cannot be used: ClassNotFoundException: no.such.Tool");
  }

  /** A tool that cannot even say what it is. */
  public static final class Speechless implements TrailblazeTool {
    @Override
    public String describe() {
      throw new IllegalStateException("no words");
    }

    @Override
    public String execute(String arguments, TrailblazeCommands commands) {
      return null;
    }
  }

  @Test(timeout = 60_000)
  public void aClassThatThrowsInDescribe() throws Exception {
    TrailRun run = withTool("speechless", Speechless.class.getName());
    fails(run, "the class " + Speechless.class.getName() + " cannot be used: IllegalStateException: no words");
  }

  private TrailRun withTool(String name, String type) throws Exception {
    Path folder = Path.of(System.getProperty("out"), "workspace-" + name);
    TrailRun.delete(folder);
    Map<String, String> documents = documents();
    documents.put("trailblaze-config/tools/parcel_count.yaml", "id: parcel_count\nclass: " + type + "\n");
    for (Map.Entry<String, String> document : documents.entrySet()) {
      Path file = folder.resolve(document.getKey());
      Files.createDirectories(file.getParent());
      Files.writeString(file, document.getValue());
    }
    return TrailRun.of(phone, name, "driver", TrailRun.INSTRUMENTATION, "workspace", folder.toString(),
        "class", OWN + "#checkbox," + OWN + "#count");
  }

  private static void fails(TrailRun run, String why) {
    run.assertPaired();
    assertEquals(Map.of("apk/checkbox", "passed", "apk/count", "failed"), run.verdicts());
    String stack = run.end("apk/count").values().getString("stack");
    assertTrue(stack, stack.startsWith(why));
  }

  @Test(timeout = 60_000)
  public void assetsWithoutTrails() throws Exception {
    phone.assets = TrailRun.assets(Map.of("notes/hello.txt", "no trail"));
    TrailRun run = TrailRun.of(phone, "no-trails", "driver", TrailRun.INSTRUMENTATION);
    assertEquals(Activity.RESULT_CANCELED, run.status.end.code());
    assertEquals("the APK holds no trails", run.status.end.values().getString("shortMsg"));
    assertTrue(run.status.end.values().getString("longMsg").contains("hint: pack them as assets"));
  }

  /** An APK of another workspace: one trail, and nothing else. */
  @Test(timeout = 60_000)
  public void anotherApk() throws Exception {
    phone.assets = TrailRun.assets(Map.of("trailblaze/trails/only.trail.yaml", "- tools:\n    - pressBack: {}\n"));
    TrailRun run = TrailRun.of(phone, "another", "driver", TrailRun.INSTRUMENTATION);
    assertEquals(run.status.raw(), Map.of("only", "passed"), run.verdicts());
    run.assertPaired();
  }

  @Test(timeout = 60_000)
  public void anUnknownTarget() throws Exception {
    TrailRun run = TrailRun.of(phone, "target", "driver", TrailRun.INSTRUMENTATION, "target", "parcle");
    assertEquals(Activity.RESULT_CANCELED, run.status.end.code());
    String why = run.status.end.values().getString("longMsg");
    assertTrue(why, why.startsWith("unknown target 'parcle', known are: parcel"));
    assertTrue(why, why.endsWith("\nhint: did you mean 'parcel'?"));
    run.assertPaired();
    assertEquals(2 * TrailRun.TRAILS, run.status.blocks.size());
    assertEquals(StatusLines.ERROR, run.end("apk/late").code());
    assertEquals(why, run.stack("apk/late"));
    assertEquals(List.of(), phone.shell.commands);
  }

  /** No window can be seen, as on a locked phone; the seam gives none. */
  @Test(timeout = 120_000)
  public void aScreenThatCannotBeSeen() throws Exception {
    phone.home = false;
    phone.assets = TrailRun.assets(Map.of(
        "trailblaze/trails/dark.trail.yaml", "- tools:\n    - assertVisibleWithText: { text: Sign in }\n",
        "trailblaze/trails/next.trail.yaml", "- tools:\n    - launchApp: { appId: com.example.parcel }\n"));
    TrailRun run = TrailRun.of(phone, "dark", "driver", TrailRun.INSTRUMENTATION);
    run.assertPaired();
    StatusLines.Block dark = run.end("dark");
    assertEquals(StatusLines.ERROR, dark.code());
    String stack = dark.values().getString("stack");
    assertTrue(stack, stack.startsWith("the phone shows no window that may be seen\n"));
    assertTrue(stack, stack.contains("hint: the screen may be off or locked"));
    assertEquals(run.status.raw(), StatusLines.PASSED, run.end("next").code());
  }

  /** A secure window has nodes but no picture: the trail that wants one fails, others do not. */
  @Test(timeout = 120_000)
  public void aScreenThatCannotBePictured() throws Exception {
    phone.secure = true;
    String launch = "- tools:\n    - launchApp: { appId: com.example.parcel }\n";
    phone.assets = TrailRun.assets(Map.of(
        "trailblaze/trails/picture.trail.yaml", launch + "    - takeSnapshot: { screenName: form, description: d }\n",
        "trailblaze/trails/plain.trail.yaml", launch + "    - assertVisibleWithText: { text: Sign in }\n",
        "trailblaze/trails/wrong.trail.yaml", launch + "    - assertVisibleWithText: { text: Sign out }\n"));
    TrailRun run = TrailRun.of(phone, "secure", "driver", TrailRun.INSTRUMENTATION);
    run.assertPaired();
    assertEquals(run.status.raw(), StatusLines.PASSED, run.end("plain").code());
    assertTrue(run.end("picture").values().getString("stack").contains("the phone gives no picture of this screen"));
    assertTrue(run.end("wrong").values().getString("stack").startsWith("no element with text 'Sign out'"));
  }

  // How long a look takes, driver instrumentation

  /** Fills the screen with nodes and has the library look at it again and again. */
  public static final class Crowd implements TrailblazeTool {
    static final int LOOKS = 100;
    static final double[] TIMES = new double[LOOKS];
    static Phone phone;
    static int captures;

    @Override
    public String describe() {
      return "{}";
    }

    @Override
    public String execute(String arguments, TrailblazeCommands commands) {
      Activity app = phone.activity();
      phone.onMain(() -> app.setContentView(Figures.screen(app, 500)));
      // The first half warms the JVM up.
      for (int i = -LOOKS; i < LOOKS; i++) {
        int before = phone.looks.get();
        long start = System.nanoTime();
        commands.isVisible("Row 7");
        TIMES[Math.max(0, i)] = (System.nanoTime() - start) / 1e6;
        captures = phone.looks.get() - before;
      }
      Arrays.sort(TIMES);
      return "null";
    }
  }

  @Test(timeout = 120_000)
  public void aLookAtManyNodes() throws Exception {
    Crowd.phone = phone;
    phone.assets = TrailRun.assets(Map.of(
        "trailblaze/trailblaze-config/tools/crowd.yaml", "id: crowd\nclass: " + Crowd.class.getName() + "\n",
        "trailblaze/trails/crowd.trail.yaml",
        "- tools:\n    - launchApp: { appId: com.example.parcel }\n    - crowd: {}\n"));
    TrailRun run = TrailRun.of(phone, "crowd", "driver", TrailRun.INSTRUMENTATION);
    assertEquals(run.status.raw(), Map.of("crowd", "passed"), run.verdicts());
    assertEquals("a look is one capture", 1, Crowd.captures);
    double[] flattened = new double[Crowd.LOOKS];
    for (int i = 0; i < flattened.length; i++) {
      long start = System.nanoTime();
      bridge.capture(Seams.UI_AUTOMATION);
      flattened[i] = (System.nanoTime() - start) / 1e6;
    }
    Arrays.sort(flattened);
    System.out.printf(Locale.ROOT, "FIGURES a command that looks at 500 nodes takes %.2f ms, %.2f ms of it in Java"
        + " (medians), captures: %d%n", Crowd.TIMES[Crowd.LOOKS / 2], flattened[flattened.length / 2], Crowd.captures);
  }

  // What the tests share

  /** The whole workspace of the assets. */
  private Map<String, String> documents() throws Exception {
    Map<String, String> documents = new TreeMap<>();
    for (String name : bridge.assets("trailblaze")) {
      documents.put(name, new String(bridge.asset("trailblaze/" + name), "UTF-8"));
    }
    return documents;
  }

  private void assertAllPutBack(String driver) {
    assertEquals(Map.of("global/window_animation_scale", "1.0"), phone.shell.settings);
    assertTrue(phone.shell.commands.contains("settings put global window_animation_scale 0"));
    boolean enabled = phone.shell.commands.stream()
        .anyMatch(command -> command.startsWith("settings put secure enabled_accessibility_services"));
    assertEquals(driver.equals(TrailRun.ACCESSIBILITY), enabled);
    assertFalse(bridge.isServiceConnected());
  }

  /** A PNG with the size of the screen and something on it. */
  static void assertIsScreen(Path file) throws Exception {
    byte[] png = Files.readAllBytes(file);
    assertEquals("PNG", new String(png, 1, 3, "US-ASCII"));
    Bitmap picture = BitmapFactory.decodeByteArray(png, 0, png.length);
    assertEquals(1080, picture.getWidth());
    assertEquals(2400, picture.getHeight());
    int[] pixels = new int[1080 * 2400];
    picture.getPixels(pixels, 0, 1080, 0, 0, 1080, 2400);
    assertTrue("more than one colour", Arrays.stream(pixels).distinct().count() > 20);
  }

  /** Over the trails, of what half of the actions of a trail took at most. */
  private static double median(TrailRun run, String phase) {
    double[] times = run.events.stream()
        .filter(event -> event.optString("event").equals("trailFinished"))
        .mapToDouble(event -> event.optJSONObject("timing").optJSONObject(phase).optDouble("p50"))
        .sorted()
        .toArray();
    return times[times.length / 2];
  }
}
