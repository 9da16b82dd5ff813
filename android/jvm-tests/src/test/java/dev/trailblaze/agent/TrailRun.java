package dev.trailblaze.agent;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import android.content.res.AssetManager;
import android.os.Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.json.JSONException;
import org.json.JSONObject;

/** One run of trails on a phone: what it told while it ran, and what it left behind. */
final class TrailRun {
  /** The trails of the example and of our own assets. */
  static final int TRAILS = 19;
  static final String INSTRUMENTATION = "android-ondevice-instrumentation";
  static final String ACCESSIBILITY = "android-ondevice-accessibility";

  final StatusLines status;
  final Path folder;
  final List<JSONObject> events;

  private TrailRun(StatusLines status, Path folder) throws IOException, JSONException {
    this.status = status;
    this.folder = folder;
    events = read(folder.resolve("events.jsonl"));
  }

  /** Starts the whole agent, as {@code am instrument -e KEY VALUE …} does, and waits for its end. */
  static TrailRun of(Phone phone, String name, String... arguments) throws Exception {
    Path folder = Path.of(System.getProperty("out"), name);
    delete(folder);
    Bundle bundle = new Bundle();
    bundle.putString("additionalTestOutputDir", folder.toString());
    bundle.putAll(Pairs.bundle(arguments));
    StatusLines status = phone.instrument(bundle, Duration.ofMinutes(4));
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("status.txt"), status.raw());
    return new TrailRun(status, folder.resolve("trailblaze"));
  }

  static List<JSONObject> read(Path file) throws IOException, JSONException {
    return read(Files.exists(file) ? Files.readAllLines(file) : List.of());
  }

  static List<JSONObject> read(List<String> lines) throws JSONException {
    List<JSONObject> events = new ArrayList<>();
    for (String line : lines) {
      events.add(new JSONObject(line));
    }
    return events;
  }

  static void delete(Path folder) throws IOException {
    if (Files.exists(folder)) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  /** The verdict of each trail, in the order of the run. */
  static Map<String, String> verdicts(List<JSONObject> events) {
    Map<String, String> verdicts = new LinkedHashMap<>();
    for (JSONObject event : events) {
      if (event.optString("event").equals("trailFinished")) {
        verdicts.put(event.optString("trail"), event.optString("verdict"));
      }
    }
    return verdicts;
  }

  Map<String, String> verdicts() {
    return verdicts(events);
  }

  /** What would be written into each trail if it were recorded now. */
  static Map<String, List<String>> recordings(List<JSONObject> events) {
    Map<String, List<String>> recordings = new LinkedHashMap<>();
    for (JSONObject event : events) {
      if (event.optString("event").equals("recorded")) {
        recordings
            .computeIfAbsent(event.optString("trail"), trail -> new ArrayList<>())
            .add(event.optString("tool") + " " + event.opt("args"));
      }
    }
    return recordings;
  }

  /** Everything that was told about one trail. */
  Stream<JSONObject> of(String trail, String event) {
    return events.stream()
        .filter(line -> line.optString("trail").equals(trail) && line.optString("event").equals(event));
  }

  /** Each test starts once and ends once, in turn, under one name, and the numbers are right. */
  void assertPaired() {
    List<StatusLines.Block> blocks = status.blocks;
    assertTrue(status.raw(), blocks.size() > 0 && blocks.size() % 2 == 0);
    for (int i = 0; i < blocks.size(); i += 2) {
      StatusLines.Block start = blocks.get(i);
      StatusLines.Block end = blocks.get(i + 1);
      assertEquals(status.raw(), StatusLines.STARTED, start.code());
      assertTrue(status.raw(), end.code() <= StatusLines.PASSED);
      for (String key : List.of("class", "test", "trail", "current", "numtests")) {
        assertEquals(start.values().getString(key), end.values().getString(key));
      }
      assertEquals(String.valueOf(i / 2 + 1), start.values().getString("current"));
      assertEquals(String.valueOf(blocks.size() / 2), start.values().getString("numtests"));
    }
    assertTrue(status.raw(), status.end != null);
  }

  /** The status with which a trail ended. */
  StatusLines.Block end(String trail) {
    return status.blocks.stream()
        .filter(block -> block.code() != StatusLines.STARTED && trail.equals(block.values().getString("trail")))
        .findFirst()
        .orElseThrow(() -> new AssertionError(trail + " has no end\n" + status.raw()));
  }

  String stack(String trail) {
    return end(trail).values().getString("stack");
  }

  /** An APK with these assets and nothing else. */
  static AssetManager assets(Map<String, String> files) throws Exception {
    Path apk = Files.createTempFile("assets", ".apk");
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(apk))) {
      for (Map.Entry<String, String> file : files.entrySet()) {
        zip.putNextEntry(new ZipEntry("assets/" + file.getKey()));
        zip.write(file.getValue().getBytes("UTF-8"));
      }
    }
    return assets(apk);
  }

  /** What the framework reads in an APK. */
  static AssetManager assets(Path apk) throws Exception {
    AssetManager assets = AssetManager.class.getDeclaredConstructor().newInstance();
    assertTrue(assets.addAssetPath(apk.toString()) != 0);
    return assets;
  }
}
