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
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/**
 * A laptop drives the phone: the real program, a real adb, an adbd of paper, and behind it the agent with
 * {@code -e mode serve}, whose library opens a real abstract socket. Nothing of the way between a trail and a view is
 * stood in for but the phone's daemon and what {@link PhoneSeams} stands in for.
 */
public class LaptopTest extends OnPhone {
  private Adbd adbd;
  private Laptop laptop;

  @Before
  public void plugIn() throws Exception {
    assumeLibrary();
    phone.home = true;
    Path daemon = Laptop.file("fake.adbd");
    Laptop.file("adb");
    adbd = new Adbd(phone, daemon);
    laptop = new Laptop(adbd);
    laptop.plugIn();
  }

  @After
  public void unplug() throws Exception {
    if (laptop != null) {
      laptop.close();
    }
    if (adbd != null) {
      adbd.close();
    }
  }

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
    Laptop.Run run = laptop.run("laptop-" + driver, System.getProperty("workspace"), "--driver", driver).ends(0);
    assertEquals(run.said(), TrailRun.verdicts(sim), TrailRun.verdicts(run.events()));
    assertEquals(12, TrailRun.verdicts(sim).size());
    assertEquals(TrailRun.recordings(sim), TrailRun.recordings(run.events()));
    assertTrue("the framework's own views were seen", phone.looks.get() > 12);
    assertEquals(adbd.asked.toString(), 1, adbd.asked.size());
    assertTrue(adbd.asked.get(0), adbd.asked.get(0).contains(" -e driver " + driver + " "));
    TrailTest.assertIsScreen(run.folder.resolve("hand-over-hand-over/hand-over-form.png"));
    assertNothingLeft("the laptop is done");
    assertEquals("no forward is made", "", laptop.adb("forward", "--list").trim());
  }

  // A failure

  @Test(timeout = 120_000)
  public void aFailureHasItsPictureAndItsBundle() throws Exception {
    Path trail = Path.of(System.getProperty("workspace"), "trails-broken/failing.trail.yaml");
    Laptop.Run run = laptop.run("laptop-failing", trail.toString()).ends(1);
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

  /** A run that is in the middle of a trail. */
  private Laptop.Run underWay(String name) throws Exception {
    Path trail = Path.of(System.getProperty("workspace"), "trails/tour.trail.yaml");
    Laptop.Run run = laptop.run(name, trail.toString(), "--driver", TrailRun.ACCESSIBILITY);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!phone.isRunning()) {
      assertTrue(run.said(), run.process.isAlive() && System.nanoTime() < end);
      Thread.sleep(5);
    }
    assertTrue("the service is connected", bridge.isServiceConnected());
    return run;
  }

  @Test(timeout = 120_000)
  public void anInterrupt() throws Exception {
    Laptop.Run run = underWay("laptop-interrupted");
    run.interrupt();
    run.ends(130);
    assertTrue("it waits until the agent has ended", adbd.agentEnd().isDone());
    assertNothingLeft("the laptop is done");
  }

  /** Nobody can say goodbye any more, so the agent ends by itself. */
  @Test(timeout = 120_000)
  public void aLaptopThatIsKilled() throws Exception {
    adbd.patience = "3s";
    Laptop.Run run = underWay("laptop-killed");
    run.process.destroyForcibly().waitFor();
    assertFalse(adbd.agentEnd().isDone());
    assertNothingLeft("no laptop came, or it stayed away");
  }

  /** Whoever comes next need not wait until that agent has ended by itself. */
  @Test(timeout = 120_000)
  public void theNextLaptopAfterOneThatWasKilled() throws Exception {
    Laptop.Run killed = underWay("laptop-before");
    killed.process.destroyForcibly().waitFor();
    CompletableFuture<String> left = adbd.agentEnd();
    assertFalse(left.isDone());
    Path trail = Path.of(System.getProperty("workspace"), "trails/tour.trail.yaml");
    laptop.run("laptop-next", trail.toString(), "--driver", TrailRun.ACCESSIBILITY).ends(0);
    assertTrue("it was asked to end", left.get().contains("the laptop is done"));
    assertEquals(2, adbd.asked.size());
    assertNothingLeft("the laptop is done");
  }

  /** Another agent would end the one that is in use. */
  @Test(timeout = 120_000)
  public void aSecondLaptop() throws Exception {
    Laptop.Run first = underWay("laptop-first");
    Path trail = Path.of(System.getProperty("workspace"), "trails/tour.trail.yaml");
    Laptop.Run second = laptop.run("laptop-second", trail.toString()).ends(4);
    assertTrue(second.said(), second.said().contains("in use by eve"));
    first.ends(0);
    assertEquals(1, adbd.asked.size());
    assertNothingLeft("the laptop is done");
  }

  /** The cable is out for a moment. */
  @Test(timeout = 120_000)
  public void aPulledCable() throws Exception {
    Laptop.Run run = underWay("laptop-pulled");
    assertEquals(1, adbd.guests());
    laptop.unplug();
    phone.until("the agent is alone", () -> adbd.guests() == 0);
    laptop.plugIn();
    phone.until("the laptop is back", () -> adbd.guests() == 1);
    run.ends(0);
    assertEquals(1, adbd.asked.size());
    assertNothingLeft("the laptop is done");
  }

  // What the tests share

  /** The agent has ended, for this reason, and the phone is as it was. */
  private void assertNothingLeft(String why) throws Exception {
    String said = adbd.agentEnd().get(90, TimeUnit.SECONDS);
    assertTrue(said, said.contains("INSTRUMENTATION_CODE: -1"));
    assertTrue(said, said.contains(why));
    assertEquals(Map.of("global/window_animation_scale", "1.0"), phone.shell.settings);
    assertTrue(phone.shell.commands.contains("settings put global window_animation_scale 0"));
    assertFalse(bridge.isServiceConnected());
  }
}
