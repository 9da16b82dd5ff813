package dev.trailblaze.agent;

import android.content.res.AssetManager;
import android.content.res.XmlResourceParser;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.xmlpull.v1.XmlPullParser;

/** A package manager that keeps APKs as they came. The framework's own code reads their manifests. */
final class Packages {
  private static final String ANDROID = "http://schemas.android.com/apk/res/android";

  private record App(String place, Path file, String version) {}

  /** Every installation that was asked for. */
  final List<String> asked = new CopyOnWriteArrayList<>();
  private final Map<String, App> apps = new ConcurrentHashMap<>();
  private final PhoneFiles files;
  private int last;

  Packages(Shell shell, PhoneFiles files) {
    this.files = files;
    shell.answer("dumpsys package (\\S+)", asked -> about(asked.group(1)));
    shell.answer("pm path (\\S+)", asked -> {
      App app = apps.get(asked.group(1));
      return app == null ? "" : "package:" + app.place + "\n";
    });
  }

  private String about(String name) {
    App app = apps.get(name);
    return app == null
        ? "Unable to find package: " + name + "\n"
        : "Packages:\n  Package [" + name + "] (1a2b3c):\n    versionCode=1 minSdk=26 targetSdk=35\n"
            + "    versionName=" + app.version + "\n";
  }

  /** {@code package install … -S SIZE}, with the APK behind it. */
  String install(String line, InputStream input) throws IOException {
    asked.add(line);
    int size = Integer.parseInt(line.replaceAll(".* -S (\\d+)$", "$1"));
    byte[] apk = input.readNBytes(size);
    if (apk.length < size) {
      throw new EOFException("the APK ends after " + apk.length + " of " + size + " bytes");
    }
    put(apk);
    return "Success\n";
  }

  /** As if it had been installed before. */
  synchronized void put(byte[] apk) throws IOException {
    String place = "/data/app/" + ++last + "/base.apk";
    Path file = Path.of(files.here(place));
    Files.createDirectories(file.getParent());
    Files.write(file, apk);
    try (AssetManager assets = TrailRun.assets(file);
        XmlResourceParser manifest =
            assets.openXmlResourceParser(assets.findCookieForPath(file.toString()), "AndroidManifest.xml")) {
      while (manifest.next() != XmlPullParser.START_TAG) {
        // What comes before the first element.
      }
      String version = manifest.getAttributeValue(ANDROID, "versionName");
      apps.put(manifest.getAttributeValue(null, "package"), new App(place, file, version));
    } catch (Exception bad) {
      throw new IOException(bad);
    }
  }

  void remove(String name) {
    apps.remove(name);
  }

  /** The APK of an app that is installed. */
  byte[] apk(String name) throws IOException {
    return Files.readAllBytes(apps.get(name).file);
  }
}
