package dev.trailblaze.agent;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.Before;
import org.junit.Test;

/** The agent on the phone of a laptop: it is installed where another is there, and started again where it breaks. */
public class AgentTest extends OnLaptop {
  private static final String TRAIL = """
      - tools:
          - launchApp: { appId: com.example.parcel }
          - assertVisibleWithText: { text: Sign in }
          - tap: { id: email }
          - inputText: { text: eve@example.com }
          - assertVisibleWithText: { text: eve@example.com }
      """;

  private Path workspace;
  private byte[] released;

  @Before
  public void write() throws Exception {
    workspace = workspace("agent", Map.of("trails/short.trail.yaml", TRAIL));
    released = Files.readAllBytes(Laptop.file("stand.in.agent"));
  }

  private Laptop.Run run(String name, String... arguments) throws Exception {
    return laptop.run(name, workspace.toString(), arguments);
  }

  private void passes(Laptop.Run run) throws Exception {
    run.ends(0);
    assertEquals(run.said(), Map.of("short", "passed"), TrailRun.verdicts(run.events()));
    assertNothingLeft("the laptop is done");
  }

  // Installed

  @Test(timeout = 120_000)
  public void anotherVersion() throws Exception {
    byte[] old = Files.readAllBytes(laptop.pack("old", workspace, "--version-name", "0.0.1"));
    adbd.packages.put(old);
    laptop.keepAgent(released);
    passes(run("agent-other"));
    String size = " -S " + released.length;
    assertEquals(List.of("package install -r -t -d -g" + size), adbd.packages.asked);
    assertArrayEquals(released, adbd.packages.apk(AGENT));
    // Now it is the right one.
    passes(run("agent-same"));
    assertEquals(1, adbd.packages.asked.size());
    assertEquals(2, adbd.agent.asked.size());
  }

  @Test(timeout = 120_000)
  public void noAgent() throws Exception {
    adbd.packages.remove(AGENT);
    Laptop.Run nowhere = run("agent-nowhere").ends(3);
    assertTrue(nowhere.said(), nowhere.said().contains("error: the agent's APK is not there: neither "));
    assertEquals(List.of(), adbd.agent.asked);
    laptop.keepAgent(released);
    passes(run("agent-new"));
    assertArrayEquals(released, adbd.packages.apk(AGENT));
  }

  /** With a package of its own, so that it lies beside the released one. */
  @Test(timeout = 120_000)
  public void anAgentThatIsGiven() throws Exception {
    String name = "dev.trailblaze.parcel";
    Path first = laptop.pack("first", workspace, "--package", name, "--label", "First");
    Path second = laptop.pack("second", workspace, "--package", name, "--label", "Second");
    passes(run("agent-given", "--agent-apk", first.toString()));
    assertArrayEquals(Files.readAllBytes(first), adbd.packages.apk(name));
    assertTrue(adbd.agent.asked.get(0), adbd.agent.asked.get(0).contains(" " + name + "/" + AGENT + "."));
    passes(run("agent-given-again", "--agent-apk", first.toString()));
    assertEquals(1, adbd.packages.asked.size());
    // Of the same version, but not the same.
    passes(run("agent-given-other", "--agent-apk", second.toString()));
    assertEquals(2, adbd.packages.asked.size());
    assertArrayEquals(Files.readAllBytes(second), adbd.packages.apk(name));
    assertArrayEquals(released, adbd.packages.apk(AGENT));
  }

  // Broken

  private long stops() {
    return phone.shell.commands.stream().filter(command -> command.equals("am force-stop " + AGENT)).count();
  }

  /** The next agent puts back what the killed one changed. */
  @Test(timeout = 120_000)
  public void anAgentThatIsDisconnected() throws Exception {
    phone.isDisconnected = () -> phone.isRunning() && adbd.agent.asked.size() == 1;
    passes(run("agent-disconnected", "--driver", TrailRun.INSTRUMENTATION));
    assertEquals(adbd.agent.asked.toString(), 2, adbd.agent.asked.size());
    assertEquals(adbd.agent.asked.get(0), adbd.agent.asked.get(1));
    assertEquals(1, stops());
  }

  @Test(timeout = 120_000)
  public void anAgentThatIsDisconnectedAgain() throws Exception {
    phone.isDisconnected = phone::isRunning;
    Laptop.Run run = run("agent-disconnected-again", "--driver", TrailRun.INSTRUMENTATION).ends(4);
    assertEquals(Map.of("short", "failed"), TrailRun.verdicts(run.events()));
    String why = "the agent on the phone hung again, after it was started anew\n";
    assertTrue(run.said(), run.said().contains(why));
    assertTrue(run.said(), run.said().contains("hint: start the phone anew"));
    assertEquals(2, adbd.agent.asked.size());
    assertEquals(1, stops());
    assertNothingLeft("the laptop is done");
  }
}
