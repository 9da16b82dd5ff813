package dev.trailblaze.agent;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.Before;
import org.junit.Test;

/**
 * What Android's own tools read from the status lines. Files that begin with {@code Ddmlib} are left out where ddmlib
 * cannot be had.
 */
public class DdmlibTest extends OnPhone {
  private static final String OWN = "dev.trailblaze.trails.Apk";

  @Before
  public void needsTheLibrary() {
    assumeLibrary();
    phone.home = true;
  }

  /** Two trails, and the same output as a run leaves it that was killed while its second trail ran. */
  @Test(timeout = 120_000)
  public void aWholeOutputAndOneThatIsCut() throws Exception {
    TrailRun run = TrailRun.of(phone, "cut",
        "driver", TrailRun.INSTRUMENTATION, "class", OWN + "#checkbox," + OWN + "#tooMany");
    String raw = run.status.raw();
    DdmlibReader whole = DdmlibReader.read(raw);
    assertNull(whole.runFailure);
    assertEquals(2, whole.announced);
    assertEquals(Map.of(OWN + "#checkbox", "passed", OWN + "#tooMany", "failed"), whole.verdicts);
    assertEquals(Set.of(OWN + "#tooMany"), whole.stacks.keySet());
    String stack = whole.stacks.get(OWN + "#tooMany");
    assertTrue(stack, stack.startsWith("ToolFailure: only 24 parcels"));

    int second = raw.lastIndexOf("INSTRUMENTATION_STATUS_CODE: 1\n");
    DdmlibReader cut = DdmlibReader.read(raw.substring(0, second + 31));
    assertEquals(Map.of(OWN + "#checkbox", "passed", OWN + "#tooMany", "failed"), cut.verdicts);
    assertTrue(cut.stacks.toString(), cut.stacks.get(OWN + "#tooMany").contains("Test failed to run to completion"));
    assertTrue(cut.runFailure, cut.runFailure.contains("Expected 2 tests, received 1"));
    // Also when the first trail is all that there was.
    int first = raw.indexOf("INSTRUMENTATION_STATUS_CODE: 0\n");
    cut = DdmlibReader.read(raw.substring(0, first + 31));
    assertEquals(Map.of(OWN + "#checkbox", "passed"), cut.verdicts);
    assertTrue(cut.runFailure, cut.runFailure.contains("Expected 2 tests, received 1"));
  }

  /** No driver: a list touches nothing. */
  @Test(timeout = 60_000)
  public void aListOfTests() throws Exception {
    TrailRun run = TrailRun.of(phone, "list", "log", "true");
    DdmlibReader read = DdmlibReader.read(run.status.raw());
    assertNull(read.runFailure);
    assertEquals(TrailRun.TRAILS, read.announced);
    assertEquals(TrailRun.TRAILS, read.verdicts.size());
    assertTrue(read.verdicts.containsKey("dev.trailblaze.trails.Parcels#findAParcel"));
    run.assertPaired();
    assertEquals(List.of(), phone.shell.commands);
  }

  /** What cannot be run is no passed run: not the tests that are known, and not the run. */
  @Test(timeout = 60_000)
  public void badInput() throws Exception {
    TrailRun run = TrailRun.of(phone, "bad-target", "driver", TrailRun.INSTRUMENTATION, "target", "parcle");
    DdmlibReader read = DdmlibReader.read(run.status.raw());
    assertTrue(read.runFailure, read.runFailure.startsWith("Instrumentation run failed due to 'unknown target 'parcle'"));
    assertEquals(TrailRun.TRAILS, read.verdicts.size());
    assertEquals(Set.of("failed"), Set.copyOf(read.verdicts.values()));
    phone.status.clear();
    run = TrailRun.of(phone, "bad-class", "driver", TrailRun.INSTRUMENTATION, "class", OWN + "#chekbox");
    read = DdmlibReader.read(run.status.raw());
    assertTrue(read.runFailure, read.runFailure.contains("'class' names '" + OWN + "#chekbox', and there is no such test"));
    assertEquals(Map.of(), read.verdicts);
    phone.status.clear();
    phone.assets = TrailRun.assets(Map.of("notes/hello.txt", "no trail"));
    run = TrailRun.of(phone, "bad-apk", "driver", TrailRun.INSTRUMENTATION);
    read = DdmlibReader.read(run.status.raw());
    assertEquals("Instrumentation run failed due to 'the APK holds no trails'", read.runFailure);
  }
}
