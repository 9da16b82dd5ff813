package dev.trailblaze.agent;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.json.JSONObject;
import org.junit.Test;

/** {@code trailblaze run --on-device}: the phone's library runs the workspace; the laptop shows and keeps it. */
public class OnDeviceTest extends OnLaptop {
  @Test(timeout = 300_000)
  public void examplesAsOnTheSim() throws Exception {
    List<JSONObject> sim =
        TrailTest.onTheSim(Laptop.file("program").toString(), TrailRun.INSTRUMENTATION, "on-device");
    Laptop.Run run = runExample("on-device", "", "--driver", TrailRun.INSTRUMENTATION, "--on-device");
    // What happens there is seen here while it happens.
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(100);
    while (TrailRun.verdicts(run.written()).isEmpty()) {
      assertTrue(run.said(), run.process.isAlive() && System.nanoTime() < end);
      Thread.sleep(20);
    }
    assertFalse("the phone is not done yet", adbd.agent.end().isDone());
    run.ends(0);
    assertEquals(run.said(), TrailRun.verdicts(sim), TrailRun.verdicts(run.events()));
    assertEquals(12, TrailRun.verdicts(sim).size());
    assertEquals(TrailRun.recordings(sim), TrailRun.recordings(run.events()));
    assertTrue(run.said(), run.said().contains("12 passed in "));
    assertEquals(1, adbd.agent.asked.size());
    assertFalse(adbd.agent.asked.get(0), adbd.agent.asked.get(0).contains("-e mode serve"));
    TrailTest.assertIsScreen(run.folder.resolve("hand-over-hand-over/hand-over-form.png"));
    assertNothingLeft("12 passed, 0 failed");
  }

  /** With a class of the phone as a tool, and something that only the laptop was told. */
  @Test(timeout = 120_000)
  public void failuresAreToldAsTheyAreHere() throws Exception {
    Map<String, String> documents = ownDocuments();
    documents.put("trails/apk/count-secret.trail.yaml",
        "- tools:\n    - assertEquals: { actual: '{{pin}}', expected: 's3cr;et' }\n");
    Path workspace = workspace("on-device", documents);
    Laptop.Run run = laptop.run("on-device-failing", workspace.toString(), "--driver", TrailRun.INSTRUMENTATION,
        "--target", "parcel_apk", "--filter", "count", "--filter", "too-many",
        "--secret", "pin=s3cr;et", "--on-device").ends(1);
    Map<String, String> expected =
        Map.of("apk/count", "passed", "apk/count-secret", "passed", "apk/too-many", "failed");
    assertEquals(run.said(), expected, TrailRun.verdicts(run.events()));
    assertTrue(run.said(), run.said().contains("only 24 parcels, not 25: '24 parcels today'"));
    String file = workspace.resolve("trails/apk/too-many.trail.yaml").toString();
    assertTrue(run.said(), run.said().contains(file.substring(file.indexOf("target/")) + ":15:11"));
    for (JSONObject saved : run.events()) {
      if (saved.optString("event").equals("saved")) {
        assertTrue(saved.toString(), Files.isRegularFile(run.folder.resolve(saved.getString("file"))));
      }
    }
    TrailTest.assertIsScreen(run.folder.resolve("apk-too-many/step-2-failed.png"));
    assertTrue(Files.isRegularFile(run.folder.resolve("apk-too-many/bundle.zip")));
    String junit = Files.readString(run.folder.resolve("junit.xml"));
    assertTrue(junit, junit.contains("tests=\"3\" skipped=\"0\" failures=\"1\" errors=\"0\""));
    String told = run.said() + adbd.agent.asked + Files.readString(run.folder.resolve("events.jsonl"));
    assertFalse(told, told.contains("s3cr"));
    assertNothingLeft("2 passed, 1 failed");
  }

  /** The phone is told by a file that it must stop, and puts everything back itself. */
  @Test(timeout = 120_000)
  public void anInterrupt() throws Exception {
    Laptop.Run run = underWay("on-device-interrupted", "--driver", TrailRun.ACCESSIBILITY, "--on-device");
    run.interrupt();
    run.ends(130);
    JSONObject last = run.events().get(run.events().size() - 1);
    assertEquals("runFinished", last.getString("event"));
    assertTrue(last.toString(), last.getBoolean("interrupted"));
    assertNothingLeft("interrupted");
  }
}
