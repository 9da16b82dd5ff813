package dev.trailblaze.agent;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.json.JSONObject;
import org.junit.Test;

/** A laptop drives the phone: the agent has {@code -e mode serve}, and its library opens a real abstract socket. */
public class LaptopTest extends OnLaptop {
  // The trails of examples/first, driven from the laptop and on the simulated phone

  @Test(timeout = 300_000)
  public void examplesByInstrumentation() throws Exception {
    examples(TrailRun.INSTRUMENTATION);
  }

  @Test(timeout = 300_000)
  public void examplesByAccessibility() throws Exception {
    examples(TrailRun.ACCESSIBILITY);
  }

  private void examples(String driver) throws Exception {
    List<JSONObject> sim = TrailTest.onTheSim(Laptop.file("program").toString(), driver, "host");
    Laptop.Run run = runExample("laptop-" + driver, "", "--driver", driver).ends(0);
    assertEquals(run.said(), TrailRun.verdicts(sim), TrailRun.verdicts(run.events()));
    assertEquals(12, TrailRun.verdicts(sim).size());
    assertEquals(TrailRun.recordings(sim), TrailRun.recordings(run.events()));
    assertTrue("the framework's own views were seen", phone.looks.get() > 12);
    assertEquals(adbd.agent.asked.toString(), 1, adbd.agent.asked.size());
    assertTrue(adbd.agent.asked.get(0), adbd.agent.asked.get(0).contains(" -e driver " + driver + " "));
    TrailTest.assertIsScreen(run.folder.resolve("hand-over-hand-over/hand-over-form.png"));
    assertNothingLeft("the laptop is done");
    assertEquals("no forward is made", "", laptop.adb("forward", "--list").trim());
  }

  // A failure

  @Test(timeout = 120_000)
  public void aFailureHasItsPictureAndItsBundle() throws Exception {
    Laptop.Run run = runExample("laptop-failing", "trails-broken/failing.trail.yaml").ends(1);
    assertEquals(Map.of("broken/failing", "failed"), TrailRun.verdicts(run.events()));
    assertTrue(run.said(), run.said().contains("4 of 24 parcels"));
    TrailTest.assertIsScreen(run.folder.resolve("broken-failing/step-4-failed.png"));
    Path bundle = run.folder.resolve("broken-failing/bundle.zip");
    assertTrue(Files.isRegularFile(bundle));
    assertNothingLeft("the laptop is done");
    // The bundle fails in the same way, without a phone.
    Process replay = new ProcessBuilder(Laptop.file("program").toString(), "replay", bundle.toString(),
        "--out", run.folder.resolve("replay").toString())
        .redirectErrorStream(true)
        .redirectOutput(run.folder.resolve("replay.log").toFile())
        .start();
    assertTrue(replay.waitFor(60, TimeUnit.SECONDS));
    String said = Files.readString(run.folder.resolve("replay.log"));
    assertEquals(said, 1, replay.exitValue());
    assertTrue(said, said.contains("4 of 24 parcels"));
  }

  // A run that something comes between

  private Laptop.Run withService(String name) throws Exception {
    Laptop.Run run = underWay(name, "--driver", TrailRun.ACCESSIBILITY);
    assertTrue("the service is connected", bridge.isServiceConnected());
    return run;
  }

  @Test(timeout = 120_000)
  public void anInterrupt() throws Exception {
    Laptop.Run run = withService("laptop-interrupted");
    run.interrupt();
    run.ends(130);
    assertTrue("it waits until the agent has ended", adbd.agent.end().isDone());
    assertNothingLeft("the laptop is done");
  }

  /** Nobody can say goodbye any more, so the agent ends by itself. */
  @Test(timeout = 120_000)
  public void aLaptopThatIsKilled() throws Exception {
    adbd.agent.patience = "3s";
    Laptop.Run run = withService("laptop-killed");
    run.process.destroyForcibly().waitFor();
    assertFalse(adbd.agent.end().isDone());
    assertNothingLeft("no laptop came, or it stayed away");
  }

  /** Whoever comes next need not wait until that agent has ended by itself. */
  @Test(timeout = 120_000)
  public void theNextLaptopAfterOneThatWasKilled() throws Exception {
    Laptop.Run killed = withService("laptop-before");
    killed.process.destroyForcibly().waitFor();
    CompletableFuture<String> left = adbd.agent.end();
    assertFalse(left.isDone());
    runExample("laptop-next", "trails/tour.trail.yaml", "--driver", TrailRun.ACCESSIBILITY).ends(0);
    assertTrue("it was asked to end", left.get().contains("the laptop is done"));
    assertEquals(2, adbd.agent.asked.size());
    assertNothingLeft("the laptop is done");
  }

  /** Another agent would end the one that is in use. */
  @Test(timeout = 120_000)
  public void aSecondLaptop() throws Exception {
    Laptop.Run first = withService("laptop-first");
    Laptop.Run second = runExample("laptop-second", "trails/tour.trail.yaml").ends(4);
    assertTrue(second.said(), second.said().contains("in use by eve"));
    first.ends(0);
    assertEquals(1, adbd.agent.asked.size());
    assertNothingLeft("the laptop is done");
  }

  /** The cable is out for a moment. */
  @Test(timeout = 120_000)
  public void aPulledCable() throws Exception {
    Laptop.Run run = withService("laptop-pulled");
    assertEquals(1, adbd.agent.guests());
    laptop.unplug();
    phone.until("the agent is alone", () -> adbd.agent.guests() == 0);
    laptop.plugIn();
    phone.until("the laptop is back", () -> adbd.agent.guests() == 1);
    run.ends(0);
    assertEquals(1, adbd.agent.asked.size());
    assertNothingLeft("the laptop is done");
  }
}
