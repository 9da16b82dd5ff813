package dev.trailblaze.agent;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.After;
import org.junit.Before;

/**
 * A laptop with the phone on its cable: the real program, a real adb, an adbd of paper, and behind it the agent.
 * Nothing of the way between a trail and a view is stood in for but the phone's daemon and what {@link PhoneSeams}
 * stands in for.
 */
public abstract class OnLaptop extends OnPhone {
  static final String AGENT = "dev.trailblaze.agent";

  Adbd adbd;
  Laptop laptop;

  @Before
  public void plugIn() throws Exception {
    assumeLibrary();
    phone.home = true;
    Path daemon = Laptop.file("fake.adbd");
    Laptop.file("adb");
    byte[] agent = Files.readAllBytes(Laptop.file("stand.in.agent"));
    adbd = new Adbd(phone, daemon);
    adbd.packages.put(agent);
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

  /** A workspace with these documents, and the example's where it has others. */
  final Path workspace(String name, Map<String, String> documents) throws Exception {
    Path example = Path.of(System.getProperty("workspace"));
    Path folder = Path.of(System.getProperty("out"), "workspace-" + name);
    TrailRun.delete(folder);
    try (Stream<Path> files = Files.walk(example)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String inner = example.relativize(file).toString();
        if (!inner.startsWith(".") && !inner.startsWith("trails")) {
          write(folder.resolve(inner), Files.readString(file));
        }
      }
    }
    for (Map.Entry<String, String> document : documents.entrySet()) {
      write(folder.resolve(document.getKey()), document.getValue());
    }
    return folder;
  }

  private static void write(Path file, String text) throws Exception {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  /** The documents of our own assets: a tool that is a class, and trails that use it. */
  final Map<String, String> ownDocuments() throws Exception {
    Map<String, String> documents = new TreeMap<>();
    for (String name : bridge.assets("trailblaze")) {
      if (name.startsWith("trails/apk/") || name.contains("/parcel_apk.yaml") || name.contains("/parcel_count.yaml")) {
        documents.put(name, new String(bridge.asset("trailblaze/" + name), "UTF-8"));
      }
    }
    return documents;
  }

  /** A run of trails of the example. */
  final Laptop.Run runExample(String name, String path, String... arguments) throws Exception {
    return laptop.run(name, Path.of(System.getProperty("workspace"), path).toString(), arguments);
  }

  /** A run that is in the middle of a trail. */
  final Laptop.Run underWay(String name, String... arguments) throws Exception {
    Laptop.Run run = runExample(name, "trails/tour.trail.yaml", arguments);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!phone.isRunning()) {
      assertTrue(run.said(), run.process.isAlive() && System.nanoTime() < end);
      Thread.sleep(5);
    }
    return run;
  }

  /** The agent has ended, for this reason, and the phone is as it was. */
  final void assertNothingLeft(String why) throws Exception {
    String said = adbd.agent.end().get(90, TimeUnit.SECONDS);
    assertTrue(said, said.contains("INSTRUMENTATION_CODE: -1"));
    assertTrue(said, said.contains(why));
    assertEquals(Map.of("global/window_animation_scale", "1.0"), phone.shell.settings);
    assertTrue(phone.shell.commands.contains("settings put global window_animation_scale 0"));
    assertFalse(bridge.isServiceConnected());
    assertEquals(List.of(), adbd.files.left());
  }
}
