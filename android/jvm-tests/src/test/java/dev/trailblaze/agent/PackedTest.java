package dev.trailblaze.agent;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.json.JSONObject;
import org.junit.Before;
import org.junit.Test;

/** An APK that {@code trailblaze apk pack} made of {@code examples/first}, read by the framework's own code. */
public class PackedTest extends OnPhone {
  @Before
  public void needsTheLibrary() {
    assumeLibrary();
    phone.home = true;
  }

  @Test(timeout = 300_000)
  public void runsWithTheVerdictsOfTheWorkspace() throws Exception {
    String program = System.getProperty("program", "");
    assumeTrue("-Dprogram=FILE names no program", new File(program).exists());
    String agent = System.getProperty("stand.in.agent", "");
    assumeTrue("-Dstand.in.agent=FILE names no APK", new File(agent).exists());
    Path apk = Path.of(System.getProperty("out"), "packed.apk");
    Files.createDirectories(apk.getParent());
    Process process = new ProcessBuilder(program, "apk", "pack", System.getProperty("workspace"),
        "--template", agent, "--out", apk.toString())
        .redirectErrorStream(true)
        .redirectOutput(apk.resolveSibling("packed.log").toFile())
        .start();
    boolean ended = process.waitFor(60, TimeUnit.SECONDS);
    process.destroyForcibly();
    assertTrue("packing takes too long", ended);
    assertEquals(Files.readString(apk.resolveSibling("packed.log")), 0, process.exitValue());

    List<JSONObject> sim = TrailTest.onTheSim(program, TrailRun.INSTRUMENTATION, "on-device");
    phone.assets = TrailRun.assets(apk);
    TrailRun run = TrailRun.of(phone, "packed", "driver", TrailRun.INSTRUMENTATION);
    assertEquals(run.status.raw(), TrailRun.verdicts(sim), run.verdicts());
    assertEquals(12, run.verdicts().size());
    assertEquals(TrailRun.recordings(sim), TrailRun.recordings(run.events));
    run.assertPaired();
  }
}
