package dev.trailblaze.agent;

import android.content.ClipData;
import android.content.ClipboardManager;
import android.content.ComponentName;
import android.content.Context;
import android.graphics.Bitmap;
import android.hardware.display.DisplayManager;
import android.os.Build;
import android.os.Bundle;
import android.os.SystemClock;
import android.util.DisplayMetrics;
import android.util.Log;
import android.view.Display;
import android.view.accessibility.AccessibilityNodeInfo;
import dev.trailblaze.tool.TrailblazeTool;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/** All that the library asks of the platform. It decides nothing; what goes wrong is thrown. */
public final class Bridge {
  private final Seams seams;
  private final Context context;
  private final Flattener flattener = new Flattener();
  private final Events events = new Events();
  private final Gestures gestures;
  private final Apps apps;
  private final Locations locations;

  Bridge(Seams seams) {
    this.seams = seams;
    context = seams.instrumentation.getContext();
    gestures = new Gestures(seams);
    apps = new Apps(context);
    locations = new Locations(context);
    seams.listen(events);
  }

  // Seeing

  /** All windows in the binary screen form; null when there is none. Nodes are known by their place in it. */
  public ByteBuffer capture(int source) {
    List<Root> roots = seams.roots(source);
    return roots.isEmpty() ? null : flattener.flatten(roots, display(), now());
  }

  /** A PNG; null when the platform gives none. */
  public byte[] screenshot(int source) {
    Bitmap bitmap = seams.screenshot(source);
    if (bitmap == null) {
      return null;
    }
    ByteArrayOutputStream png = new ByteArrayOutputStream();
    bitmap.compress(Bitmap.CompressFormat.PNG, 100, png);
    bitmap.recycle();
    return png.toByteArray();
  }

  /** Time, type and content changes of every event since the last call. */
  public long[] takeEvents() {
    return events.take();
  }

  /** Time, package, class and text of every toast and notification since the last call. */
  public String[] takeNotices() {
    return events.takeNotices();
  }

  public long now() {
    return SystemClock.uptimeMillis();
  }

  /** Width, height, rotation and dots per inch of the whole display. */
  @SuppressWarnings("deprecation")
  public int[] display() {
    DisplayMetrics metrics = new DisplayMetrics();
    DisplayManager displays = (DisplayManager) context.getSystemService(Context.DISPLAY_SERVICE);
    Display display = displays.getDisplay(Display.DEFAULT_DISPLAY);
    display.getRealMetrics(metrics);
    return new int[] {metrics.widthPixels, metrics.heightPixels, display.getRotation(), metrics.densityDpi};
  }

  // Acting

  /** False also when the node is gone. */
  public boolean perform(int node, int action, String text) {
    AccessibilityNodeInfo target = flattener.node(node);
    Bundle arguments = new Bundle();
    if (text != null) {
      arguments.putCharSequence(AccessibilityNodeInfo.ACTION_ARGUMENT_SET_TEXT_CHARSEQUENCE, text);
    }
    return target.refresh() && target.performAction(action, arguments);
  }

  public boolean inject(long[] times, int[] actions, int[] counts, int[] pointers, float[] coordinates) {
    return gestures.inject(times, actions, counts, pointers, coordinates);
  }

  public boolean dispatch(int[] counts, float[] coordinates, long[] times) {
    return gestures.dispatch(counts, coordinates, times);
  }

  public boolean key(int code, int metaState) {
    return gestures.key(code, metaState);
  }

  public boolean keys(String text) {
    return gestures.keys(text);
  }

  public boolean commit(String text) {
    return InputConnections.commit(text);
  }

  public boolean global(int source, int action) {
    return seams.global(source, action);
  }

  /** On the main thread, where the clipboard's own handler has a looper. */
  public void setClipboard(final String text) {
    seams.instrumentation.runOnMainSync(
        new Runnable() {
          @Override
          public void run() {
            ClipboardManager clipboard =
                (ClipboardManager) context.getSystemService(Context.CLIPBOARD_SERVICE);
            clipboard.setPrimaryClip(ClipData.newPlainText(null, text));
          }
        });
  }

  public boolean setRotation(int rotation) {
    return seams.automation().setRotation(rotation);
  }

  public void addTestProvider(String name) {
    locations.add(name);
  }

  public void setTestLocation(String provider, double latitude, double longitude) {
    locations.set(provider, latitude, longitude);
  }

  public void removeTestProvider(String name) {
    locations.remove(name);
  }

  public String shell(String command) throws IOException {
    return new String(read(seams.shell(command)), StandardCharsets.UTF_8);
  }

  public byte[] fetch(byte[] request) throws IOException {
    return Web.fetch(request);
  }

  public boolean launch(String appId, String[] extras) {
    return apps.launch(appId, extras);
  }

  public boolean open(String link) {
    return apps.open(link);
  }

  public String[] installed() {
    return apps.installed();
  }

  // The service

  public boolean isServiceConnected() {
    return TrailblazeAccessibilityService.connected() != null;
  }

  public String serviceComponent() {
    return new ComponentName(context, TrailblazeAccessibilityService.class).flattenToString();
  }

  // The run

  public void status(int code, String[] keysAndValues) {
    seams.instrumentation.sendStatus(code, Pairs.bundle(keysAndValues));
  }

  public void finish(int code, String[] keysAndValues) {
    seams.finish(code, Pairs.bundle(keysAndValues));
  }

  public String[] assets(String folder) throws IOException {
    return context.getAssets().list(folder);
  }

  public byte[] asset(String path) throws IOException {
    return read(context.getAssets().open(path));
  }

  /** Where reports go. */
  public String filesDir() {
    File external = context.getExternalFilesDir(null);
    return (external == null ? context.getFilesDir() : external).getPath();
  }

  public String[] describeDevice() {
    return new String[] {
      "sdk", String.valueOf(Build.VERSION.SDK_INT),
      "model", Build.MODEL,
      "manufacturer", Build.MANUFACTURER,
      "abi", Build.SUPPORTED_ABIS[0],
      "locale", Locale.getDefault().toLanguageTag(),
    };
  }

  public void log(int priority, String tag, String message) {
    Log.println(priority, tag, message);
  }

  // Tools that are classes

  public Object tool(String className) throws Exception {
    return Class.forName(className, true, Bridge.class.getClassLoader())
        .asSubclass(TrailblazeTool.class)
        .getDeclaredConstructor()
        .newInstance();
  }

  public String describe(Object tool) {
    return ((TrailblazeTool) tool).describe();
  }

  public String execute(Object tool, String arguments, long commands) throws Exception {
    return ((TrailblazeTool) tool).execute(arguments, new NativeCommands(commands));
  }

  private static byte[] read(InputStream in) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    byte[] part = new byte[64 * 1024];
    try {
      for (int length = in.read(part); length >= 0; length = in.read(part)) {
        out.write(part, 0, length);
      }
    } finally {
      in.close();
    }
    return out.toByteArray();
  }
}
