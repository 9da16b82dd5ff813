package dev.trailblaze.agent;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.json.JSONObject;

/** A laptop with the real program and a real adb, whose server has a port and a home of its own. */
final class Laptop implements AutoCloseable {
  private final Path adb = file("adb");
  private final Path program = file("program");
  private final Path home = Files.createTempDirectory("laptop");
  private final int port = freePort();
  private final Adbd phone;

  /** For this phone, which is not plugged in yet. */
  Laptop(Adbd phone) throws Exception {
    this.phone = phone;
    adb("start-server");
  }

  @Override
  public void close() throws Exception {
    adb("kill-server");
    TrailRun.delete(home);
  }

  /** What a test cannot do without. */
  static Path file(String property) {
    File file = new File(System.getProperty(property, ""));
    assumeTrue("-D" + property + "=FILE names no file", file.isFile());
    return file.toPath();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  // adb

  void plugIn() throws Exception {
    String said = adb("connect", phone.serial);
    assertTrue(said, said.contains("connected to " + phone.serial));
    adb("-s", phone.serial, "wait-for-device");
  }

  void unplug() throws Exception {
    adb("disconnect", phone.serial);
  }

  /** What the real command line says. */
  String adb(String... arguments) throws Exception {
    return said(adb, arguments);
  }

  private String said(Path command, String... arguments) throws Exception {
    List<String> line = new ArrayList<>(List.of(command.toString()));
    line.addAll(List.of(arguments));
    // adb's server would hold a pipe open for ever.
    File said = home.resolve("said.txt").toFile();
    Process process = in(home, new ProcessBuilder(line)).redirectErrorStream(true).redirectOutput(said).start();
    boolean ended = process.waitFor(30, TimeUnit.SECONDS);
    process.destroyForcibly();
    String text = Files.readString(said.toPath());
    assertTrue(command.getFileName() + " takes too long: " + text, ended);
    assertEquals(text, 0, process.exitValue());
    return text;
  }

  /** As on a machine on which nobody has used adb before. */
  private ProcessBuilder in(Path home, ProcessBuilder process) {
    Map<String, String> env = process.environment();
    for (String name : List.of("ADB_SERVER_SOCKET", "ANDROID_ADB_SERVER_ADDRESS", "ANDROID_HOME", "ANDROID_SDK_ROOT",
        "ANDROID_SERIAL", "XDG_CACHE_HOME")) {
      env.remove(name);
    }
    env.put("ANDROID_ADB_SERVER_PORT", String.valueOf(port));
    env.put("HOME", home.toString());
    env.put("TMPDIR", home.toString());
    env.put("USER", "eve");
    env.put("PATH", adb.getParent() + File.pathSeparator + env.get("PATH"));
    return process;
  }

  // The program

  /** Puts the agent's APK where it is looked for. */
  void keepAgent(byte[] apk) throws IOException {
    Path kept = home.resolve(".cache/trailblaze/trailblaze-agent.apk");
    Files.createDirectories(kept.getParent());
    Files.write(kept, apk);
  }

  /** An APK with the trails of a workspace, which is an agent, too. */
  Path pack(String name, Path workspace, String... arguments) throws Exception {
    Path apk = home.resolve(name + ".apk");
    List<String> line = new ArrayList<>(List.of("apk", "pack", workspace.toString(), "--out", apk.toString(),
        "--template", file("stand.in.agent").toString()));
    line.addAll(List.of(arguments));
    said(program, line.toArray(new String[0]));
    return apk;
  }

  /** A run of the program: what it printed, and its reports. */
  final class Run {
    final Path folder;
    final Process process;
    private final Path said;

    private Run(String name, String path, String... arguments) throws IOException {
      folder = Path.of(System.getProperty("out"), name);
      TrailRun.delete(folder);
      Files.createDirectories(folder.getParent());
      said = folder.resolveSibling(name + ".log");
      List<String> line = new ArrayList<>(List.of(program.toString(), "run", path));
      line.addAll(List.of(arguments));
      line.addAll(List.of("--device", phone.serial, "--out", folder.toString()));
      process = in(home, new ProcessBuilder(line)).redirectErrorStream(true).redirectOutput(said.toFile()).start();
    }

    String said() throws IOException {
      return Files.readString(said);
    }

    List<JSONObject> events() throws Exception {
      return TrailRun.read(folder.resolve("events.jsonl"));
    }

    /** The events that were written so far, each line whole. */
    List<JSONObject> written() throws Exception {
      Path file = folder.resolve("events.jsonl");
      String text = Files.exists(file) ? Files.readString(file) : "";
      return TrailRun.read(text.substring(0, text.lastIndexOf('\n') + 1).lines().toList());
    }

    /** Waits for its end, which must have this exit code. */
    Run ends(int exit) throws Exception {
      boolean ended = process.waitFor(4, TimeUnit.MINUTES);
      process.destroyForcibly();
      assertTrue("it takes too long: " + said(), ended);
      assertEquals(said(), exit, process.exitValue());
      return this;
    }

    /** Signals that it can take notice of. */
    void interrupt() throws Exception {
      new ProcessBuilder("kill", "-INT", String.valueOf(process.pid())).start().waitFor();
    }
  }

  /** Starts {@code trailblaze run} of a workspace or a trail on the phone. */
  Run run(String name, String path, String... arguments) throws IOException {
    return new Run(name, path, arguments);
  }
}
