package dev.trailblaze.agent;

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
import org.json.JSONException;
import org.json.JSONObject;

/** One run of trails on a phone: what it told while it ran, and what it left behind. */
final class TrailRun {
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
    Bundle bundle = Pairs.bundle(arguments);
    bundle.putString("additionalTestOutputDir", folder.toString());
    StatusLines status = phone.instrument(bundle, Duration.ofMinutes(4));
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("status.txt"), status.raw());
    return new TrailRun(status, folder);
  }

  static List<JSONObject> read(Path file) throws IOException, JSONException {
    List<JSONObject> events = new ArrayList<>();
    for (String line : Files.exists(file) ? Files.readAllLines(file) : List.<String>of()) {
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
}
