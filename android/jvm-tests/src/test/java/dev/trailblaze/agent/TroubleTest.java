package dev.trailblaze.agent;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import android.app.Activity;
import dev.trailblaze.tool.TrailblazeCommands;
import dev.trailblaze.tool.TrailblazeTool;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.Before;
import org.junit.Test;

/**
 * Runs that something comes between: the app ends, time runs out, somebody cancels, storage cannot be written. Driver
 * instrumentation. What the system writes of an app that ended is scripted; a phone must confirm it.
 */
public class TroubleTest extends OnPhone {
  private static final String LAUNCH = "- tools:\n    - launchApp: { appId: com.example.parcel }\n";
  private static final String SEEN = "    - assertVisibleWithText: { text: Sign in }\n";
  private static final String UNSEEN = "    - assertVisibleWithText: { text: Sign out }\n";

  /** Called by the tool of the same name. */
  private static volatile Runnable trouble;
  private static Phone current;

  public static final class Trouble implements TrailblazeTool {
    @Override
    public String describe() {
      return "{}";
    }

    @Override
    public String execute(String arguments, TrailblazeCommands commands) {
      trouble.run();
      return "null";
    }
  }

  @Before
  public void needsTheLibrary() {
    assumeLibrary();
    phone.home = true;
    current = phone;
    trouble = () -> {};
  }

  /** Trails by name; each may call the tool {@code trouble}. */
  private TrailRun run(String name, Map<String, String> trails, String... arguments) throws Exception {
    Map<String, String> files = new TreeMap<>();
    files.put("trailblaze/trailblaze.yaml", "target: parcel\n");
    files.put("trailblaze/trailblaze-config/targets/parcel.yaml",
        "id: parcel\ndisplay_name: Parcel\nplatforms:\n  android:\n    app_ids: [com.example.parcel]\n");
    files.put("trailblaze/trailblaze-config/tools/trouble.yaml",
        "id: trouble\nclass: " + Trouble.class.getName() + "\n");
    trails.forEach((trail, text) -> files.put("trailblaze/trails/" + trail + ".trail.yaml", text));
    phone.assets = TrailRun.assets(files);
    String[] all = new String[arguments.length + 2];
    System.arraycopy(arguments, 0, all, 0, arguments.length);
    all[arguments.length] = "driver";
    all[arguments.length + 1] = TrailRun.INSTRUMENTATION;
    return TrailRun.of(phone, name, all);
  }

  // The app ends

  /** What the log of the system holds of the first trail that asks for it, and of no other. */
  private void log(String buffer, String text) {
    AtomicReference<String> first = new AtomicReference<>();
    phone.shell.answer("logcat -b " + buffer + " -d -v brief -T (\\S+)", asked -> {
      first.compareAndSet(null, asked.group(1));
      return asked.group(1).equals(first.get()) ? text : "";
    });
  }

  private void ended(String name, String why, String where) throws Exception {
    trouble = current::stopApp;
    TrailRun run = run(name, Map.of(
        "a", LAUNCH + "    - trouble: {}\n" + SEEN,
        "b", LAUNCH + UNSEEN,
        "c", LAUNCH + SEEN));
    run.assertPaired();
    assertEquals(StatusLines.FAILED, run.end("a").code());
    String stack = run.stack("a");
    assertTrue(stack, stack.startsWith("'com.example.parcel' " + why + ", and so: no element with text 'Sign in'"));
    assertTrue(stack, stack.endsWith(where));
    // The next trail is not blamed for it, and starts afresh.
    assertTrue(run.stack("b"), run.stack("b").startsWith("no element with text 'Sign out'"));
    assertEquals(run.status.raw(), StatusLines.PASSED, run.end("c").code());
    String junit = Files.readString(run.folder.resolve("junit.xml"));
    assertTrue(junit, junit.contains(why.replace("'", "&apos;")) || junit.contains(why));
    assertTrue(phone.shell.commands.contains("am force-stop com.example.parcel"));
  }

  @Test(timeout = 120_000)
  public void anAppThatCrashes() throws Exception {
    log("crash", """
        E/AndroidRuntime( 4243): FATAL EXCEPTION: main
        E/AndroidRuntime( 4243): Process: com.example.parcel, PID: 4243
        E/AndroidRuntime( 4243): java.lang.IllegalStateException: no parcel
        E/AndroidRuntime( 4243): 	at com.example.parcel.Main.onClick(Main.java:7)
        """);
    ended("crash", "crashed: java.lang.IllegalStateException: no parcel", "(Main.java:7)");
  }

  /** No step comes to see it. */
  @Test(timeout = 120_000)
  public void anAppThatCrashesInTheLastStep() throws Exception {
    log("crash", """
        E/AndroidRuntime( 4243): FATAL EXCEPTION: main
        E/AndroidRuntime( 4243): Process: com.example.parcel, PID: 4243
        E/AndroidRuntime( 4243): java.lang.IllegalStateException: no parcel
        """);
    TrailRun run = run("last-crash", Map.of("a", LAUNCH, "b", LAUNCH));
    run.assertPaired();
    assertEquals(StatusLines.FAILED, run.end("a").code());
    String why = "'com.example.parcel' crashed: java.lang.IllegalStateException: no parcel";
    assertTrue(run.stack("a"), run.stack("a").startsWith(why));
    assertEquals(run.status.raw(), StatusLines.PASSED, run.end("b").code());
  }

  @Test(timeout = 120_000)
  public void anAppThatCrashesInNativeCode() throws Exception {
    log("crash", """
        F/DEBUG   ( 4301): *** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***
        F/DEBUG   ( 4301): pid: 4243, tid: 4250, name: Thread-2  >>> com.example.parcel <<<
        F/DEBUG   ( 4301): signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0
        F/DEBUG   ( 4301): backtrace:
        F/DEBUG   ( 4301):       #00 pc 0000000000012345  /data/app/base.apk!libmap.so (draw+20)
        """);
    ended("native-crash", "crashed in native code: signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0",
        "libmap.so (draw+20)");
  }

  @Test(timeout = 120_000)
  public void anAppThatHangs() throws Exception {
    log("events", "I/am_anr  ( 1234): [0,5678,com.example.parcel,952745542,Input dispatching timed out]\n");
    ended("hang", "did not respond: Input dispatching timed out", "");
  }

  // The run ends

  /** In the second half of so short a time no trail starts; the first one is still under way by then. */
  @Test(timeout = 120_000)
  public void nearTheDeadline() throws Exception {
    trouble = () -> {
      for (long end = System.nanoTime() + 5_000_000_000L; System.nanoTime() < end; ) {
        current.onMain(() -> {});
      }
    };
    Map<String, String> trails = Map.of("a", LAUNCH + "    - trouble: {}\n", "b", LAUNCH, "c", LAUNCH);
    TrailRun run = run("deadline", trails, "deadline", "10s");
    run.assertPaired();
    assertTrue(run.status.raw(), run.of("a", "toolStarted").anyMatch(event -> event.optString("tool").equals("trouble")));
    for (String trail : new String[] {"b", "c"}) {
      assertEquals(run.status.raw(), StatusLines.IGNORED, run.end(trail).code());
      assertEquals("the time of the run is nearly over", run.stack(trail));
      assertEquals("notRun", run.verdicts().get(trail));
    }
    assertEquals(Activity.RESULT_OK, run.status.end.code());
    String stream = run.status.end.values().getString("stream");
    assertTrue(stream, stream.contains(", 2 not run\n"));
  }

  /** Another thread of Java ends the run: what runs is cut off, the rest is not started. */
  @Test(timeout = 120_000)
  public void cancelledFromJava() throws Exception {
    trouble = () -> {
      Thread other = new Thread(Native::cancel);
      other.start();
      try {
        other.join();
      } catch (InterruptedException interrupted) {
        throw new IllegalStateException(interrupted);
      }
    };
    TrailRun run = run("cancelled", Map.of("a", LAUNCH, "b", LAUNCH + "    - trouble: {}\n" + SEEN, "c", LAUNCH));
    run.assertPaired();
    assertEquals(run.status.raw(), StatusLines.PASSED, run.end("a").code());
    assertEquals(StatusLines.FAILED, run.end("b").code());
    assertTrue(run.stack("b"), run.stack("b").startsWith("the run was interrupted"));
    assertEquals(StatusLines.IGNORED, run.end("c").code());
    assertEquals("the run was interrupted", run.stack("c"));
    assertEquals("1.0", phone.shell.settings.get("global/window_animation_scale"));
    // The next run knows nothing of it.
    phone.status.clear();
    assertEquals(Map.of("a", "passed"), run("after-cancelled", Map.of("a", LAUNCH)).verdicts());
  }

  // The phone refuses

  /** Who runs this may write everywhere, so a file lies where a folder must be. */
  @Test(timeout = 60_000)
  public void storageThatCannotBeWritten() throws Exception {
    Path file = Files.createTempFile("storage", null);
    Map<String, String> trails = Map.of("a", LAUNCH, "b", LAUNCH);
    TrailRun run = run("storage", trails, "additionalTestOutputDir", file + "/out");
    run.assertPaired();
    assertEquals(Activity.RESULT_CANCELED, run.status.end.code());
    String why = run.status.end.values().getString("longMsg");
    assertTrue(why, why.contains("/" + file.getFileName() + "/out/trailblaze cannot be made: "));
    assertTrue(why, why.endsWith("\nhint: '-e additionalTestOutputDir DIR' chooses another folder"));
    for (String trail : trails.keySet()) {
      assertEquals(StatusLines.ERROR, run.end(trail).code());
      assertEquals(why, run.stack(trail));
    }
    assertFalse(phone.shell.commands.toString(), phone.shell.commands.stream().anyMatch(line -> line.contains(" put ")));
  }

  @Test(timeout = 60_000)
  public void aPermissionThatIsNotGranted() throws Exception {
    String why = "java.lang.SecurityException: Package com.example.parcel has not requested permission p.Q";
    phone.shell.complain("pm grant com.example.parcel p.Q", why + "\n");
    String grant = "- tools:\n    - grantPermission: { packageId: com.example.parcel, permission: p.Q }\n";
    TrailRun run = run("permission", Map.of("a", grant, "b", LAUNCH));
    run.assertPaired();
    assertEquals(StatusLines.FAILED, run.end("a").code());
    String expected = "'pm grant com.example.parcel p.Q' failed: " + why;
    assertTrue(run.stack("a"), run.stack("a").startsWith(expected));
    assertEquals(run.status.raw(), StatusLines.PASSED, run.end("b").code());
  }
}
