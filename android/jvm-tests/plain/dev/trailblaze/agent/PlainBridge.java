package dev.trailblaze.agent;

import dev.trailblaze.tool.TrailblazeTool;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The methods of {@code Bridge} without Android: a phone of one screen and a keyboard. A click on the button says so in
 * a text, a field takes the focus and text. It counts its calls, and one of its methods can be made to throw.
 */
public final class PlainBridge {
  private static final int CLICK = 16;
  private static final int SET_TEXT = 0x200000;
  private static final int BUTTON = 2;
  private static final int FIELD = 3;
  private static final int DEEP = 100;

  private static volatile PlainBridge current;

  private final Map<String, Integer> calls = Collections.synchronizedMap(new TreeMap<String, Integer>());
  private final List<String> lines = Collections.synchronizedList(new ArrayList<String>());
  private final Map<String, byte[]> assets;
  private final String filesDir;
  private final String broken;
  private final long start = System.nanoTime();
  private final List<Long> events = new ArrayList<Long>();
  private int clicks;
  private boolean focused;
  private String typed = "";
  private int rotation;
  private String place = "";

  /**
   * @param assets paths and contents
   * @param broken the method that throws, or null
   */
  public PlainBridge(Map<String, byte[]> assets, String filesDir, String broken) {
    this.assets = assets;
    this.filesDir = filesDir;
    this.broken = broken;
    current = this;
  }

  /** The one that the run has. */
  public static PlainBridge current() {
    return current;
  }

  public Map<String, Integer> calls() {
    return calls;
  }

  /** Status blocks and the end, a line each. */
  public List<String> lines() {
    return lines;
  }

  private void called(String method) {
    synchronized (calls) {
      calls.merge(method, 1, Integer::sum);
    }
    if (method.equals(broken)) {
      fail(method, DEEP);
    }
  }

  /** Far down, because whoever reads a stack frame by frame needs a reference for each. */
  private static void fail(String method, int depth) {
    if (depth > 0) {
      fail(method, depth - 1);
    }
    throw new IllegalStateException(method + " is broken", new IOException("the cause of it"));
  }

  // Seeing

  public synchronized ByteBuffer capture(int source) throws IOException {
    called("capture");
    Form form = new Form();
    int app = form.node(-1, 0x7, 0, 0, 1080, 2400, "android.widget.FrameLayout", null, null);
    form.window(app, 0);
    form.node(app, 0x7, 40, 100, 1040, 200, "android.widget.TextView", "status", "Clicks: " + clicks);
    form.node(app, 0x10f, 40, 300, 1040, 450, "android.widget.Button", "ok", "OK", "ACTION_CLICK");
    int focus = focused ? 1 << 9 : 0;
    form.node(app, 0x50f | focus, 40, 500, 1040, 650, "android.widget.EditText", "name", typed, "ACTION_SET_TEXT");
    form.node(app, 0x7, 40, 700, 1040, 800, "android.widget.TextView", "place", place);
    int keyboard = form.node(-1, 0x7, 0, 1600, 1080, 2400, "android.widget.FrameLayout", null, null);
    form.window(keyboard, 1);
    form.node(keyboard, 0x7, 0, 1600, 100, 1700, "android.widget.TextView", null, "ü 🚚");
    return form.buffer(uptime());
  }

  public byte[] screenshot(int source) {
    called("screenshot");
    return null;
  }

  public synchronized long[] takeEvents() {
    called("takeEvents");
    long[] taken = new long[events.size()];
    for (int i = 0; i < taken.length; i++) {
      taken[i] = events.get(i);
    }
    events.clear();
    return taken;
  }

  public String[] takeNotices() {
    called("takeNotices");
    return new String[0];
  }

  public long now() {
    called("now");
    return uptime();
  }

  private long uptime() {
    return (System.nanoTime() - start) / 1_000_000;
  }

  public synchronized int[] display() {
    called("display");
    return new int[] {1080, 2400, rotation, 480};
  }

  // Acting

  public synchronized boolean perform(int node, int action, String text) {
    called("perform");
    return node == BUTTON && action == CLICK && changed(() -> clicks++)
        || node == FIELD && action == SET_TEXT && changed(() -> typed = text);
  }

  private boolean changed(Runnable change) {
    change.run();
    Collections.addAll(events, uptime(), 2048L, 2L);
    return true;
  }

  public synchronized boolean inject(long[] times, int[] actions, int[] counts, int[] pointers, float[] coordinates) {
    called("inject");
    return touch(coordinates);
  }

  public synchronized boolean dispatch(int[] counts, float[] coordinates, long[] times) {
    called("dispatch");
    return touch(coordinates);
  }

  private boolean touch(float[] coordinates) {
    float x = coordinates[0];
    float y = coordinates[1];
    boolean button = x >= 40 && x < 1040 && y >= 300 && y < 450;
    boolean field = x >= 40 && x < 1040 && y >= 500 && y < 650;
    return changed(() -> {
      clicks += button ? 1 : 0;
      focused = field;
    });
  }

  public boolean key(int code, int metaState) {
    called("key");
    return true;
  }

  public synchronized boolean keys(String text) {
    called("keys");
    return changed(() -> typed += text);
  }

  public boolean commit(String text) {
    called("commit");
    return false;
  }

  public boolean global(int source, int action) {
    called("global");
    return true;
  }

  public void setClipboard(String text) {
    called("setClipboard");
  }

  public synchronized boolean setRotation(int rotation) {
    called("setRotation");
    return changed(() -> this.rotation = Math.max(0, rotation));
  }

  public void addTestProvider(String name) {
    called("addTestProvider");
  }

  public synchronized void setTestLocation(String provider, double latitude, double longitude) {
    called("setTestLocation");
    changed(() -> place = provider + " " + latitude + " " + longitude + ", turned " + rotation);
  }

  public void removeTestProvider(String name) {
    called("removeTestProvider");
  }

  public String shell(String command) {
    called("shell");
    return "";
  }

  public byte[] fetch(byte[] request) throws java.io.IOException {
    called("fetch");
    return Web.fetch(request);
  }

  public synchronized boolean launch(String appId, String[] extras) {
    called("launch");
    return appId.equals("plain.app") && changed(() -> {
      clicks = 0;
      focused = false;
      typed = "";
    });
  }

  public boolean open(String link) {
    called("open");
    return false;
  }

  public String[] installed() {
    called("installed");
    return new String[] {"plain.app"};
  }

  // The service

  public boolean isServiceConnected() {
    called("isServiceConnected");
    return true;
  }

  public String serviceComponent() {
    called("serviceComponent");
    return "dev.trailblaze.agent/dev.trailblaze.agent.TrailblazeAccessibilityService";
  }

  // The run

  public void status(int code, String[] keysAndValues) {
    called("status");
    lines.add("status " + code + " " + String.join("|", keysAndValues).replace("\n", "\\n"));
  }

  public void finish(int code, String[] keysAndValues) {
    called("finish");
    lines.add("finish " + code + " " + String.join("|", keysAndValues).replace("\n", "\\n"));
  }

  public String[] assets(String folder) {
    called("assets");
    String prefix = folder.isEmpty() ? "" : folder + "/";
    return assets.keySet().stream()
        .filter(path -> path.startsWith(prefix))
        .map(path -> path.substring(prefix.length()).split("/")[0])
        .distinct()
        .toArray(String[]::new);
  }

  public byte[] asset(String path) throws IOException {
    called("asset");
    byte[] content = assets.get(path);
    if (content == null) {
      throw new IOException("no asset " + path);
    }
    return content;
  }

  public String filesDir() {
    called("filesDir");
    return filesDir;
  }

  public String[] describeDevice() {
    called("describeDevice");
    return new String[] {
      "sdk", "35", "model", "plain", "manufacturer", "nobody", "abi", System.getProperty("os.arch"), "locale", "en-US"
    };
  }

  public void log(int priority, String tag, String message) {
    called("log");
    System.out.println(tag + " " + priority + ": " + message);
  }

  // Tools that are classes

  public Object tool(String className) throws Exception {
    called("tool");
    return Class.forName(className, true, PlainBridge.class.getClassLoader())
        .asSubclass(TrailblazeTool.class)
        .getDeclaredConstructor()
        .newInstance();
  }

  public String describe(Object tool) {
    called("describe");
    return ((TrailblazeTool) tool).describe();
  }

  public String execute(Object tool, String arguments, long commands) throws Exception {
    called("execute");
    return ((TrailblazeTool) tool).execute(arguments, new NativeCommands(commands));
  }

  /** Writes the binary screen form. */
  private static final class Form {
    private final ByteArrayOutputStream nodes = new ByteArrayOutputStream();
    private final List<int[]> windows = new ArrayList<>();
    private final List<String> strings = new ArrayList<>();
    private final Map<String, Integer> known = new HashMap<>();
    private int count;

    void window(int root, int kind) {
      windows.add(new int[] {root, kind});
    }

    int node(int parent, int flags, int left, int top, int right, int bottom, String type, String id, String text,
        String... actions) throws IOException {
      DataOutputStream out = new DataOutputStream(nodes);
      int mask = 1 | (id == null ? 0 : 2) | (text == null ? 0 : 16) | 1 << 11;
      i32(out, parent, flags | 1 << 31, mask | actions.length << 16, count + 1, 0, left, top, right, bottom);
      i32(out, string(type));
      if (id != null) {
        i32(out, string("plain.app:id/" + id));
      }
      if (text != null) {
        i32(out, string(text));
      }
      i32(out, string("plain.app"));
      for (String action : actions) {
        i32(out, string(action));
      }
      return count++;
    }

    private int string(String text) {
      return known.computeIfAbsent(text, added -> {
        strings.add(added);
        return strings.size() - 1;
      });
    }

    ByteBuffer buffer(long time) throws IOException {
      ByteArrayOutputStream whole = new ByteArrayOutputStream();
      DataOutputStream out = new DataOutputStream(whole);
      out.writeBytes("TBSC");
      i32(out, 1, 1080, 2400, (int) time, (int) (time >> 32), windows.size(), count, 0, strings.size());
      for (int[] window : windows) {
        i32(out, window);
      }
      nodes.writeTo(out);
      for (String string : strings) {
        byte[] bytes = string.getBytes(StandardCharsets.UTF_8);
        i32(out, bytes.length);
        out.write(bytes);
      }
      ByteBuffer buffer = ByteBuffer.allocateDirect(whole.size());
      buffer.put(whole.toByteArray()).rewind();
      return buffer;
    }

    private static void i32(DataOutputStream out, int... values) throws IOException {
      for (int value : values) {
        out.writeInt(Integer.reverseBytes(value));
      }
    }
  }
}
