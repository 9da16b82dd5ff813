package dev.trailblaze.agent;

import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The library in a plain JVM, so that {@code -Xcheck:jni} sees nothing but it.
 *
 * <pre>
 *   java -Xcheck:jni -Djava.library.path=FOLDER -cp CLASSES dev.trailblaze.agent.PlainMain KEY VALUE …
 * </pre>
 *
 * The pairs are the run's arguments. Properties: {@code plain.assets} a folder that is the APK's assets,
 * {@code plain.files} where reports go, {@code plain.broken} the bridge's method that throws,
 * {@code plain.cancelAfterMs}, {@code plain.times} how often to run, {@code plain.warmUp} after how many runs to begin
 * to measure what stays behind, {@code plain.copies} a folder with copies of the library in {@code first} and
 * {@code second}, to do it all in two class loaders. Prints what the run reported, the calls, what was thrown, and what
 * stayed behind.
 */
public final class PlainMain {
  private PlainMain() {}

  public static void main(String[] arguments) throws Exception {
    if (System.getProperty("plain.copies") == null) {
      run(arguments);
      return;
    }
    for (String loader : new String[] {"first", "second"}) {
      System.out.println("loader " + loader);
      Class<?> main = Class.forName(PlainMain.class.getName(), true, new Copy(loader));
      try {
        main.getDeclaredMethod("run", String[].class).invoke(null, (Object) arguments);
      } catch (InvocationTargetException thrown) {
        System.out.println("thrown " + thrown.getCause());
      }
    }
  }

  public static void run(String[] arguments) throws Exception {
    System.out.println("version " + Native.version());
    int times = Integer.getInteger("plain.times", 1);
    int warmUp = Integer.getInteger("plain.warmUp", times);
    Gauge before = null;
    long upcalls = 0;
    for (int done = 0; done < times; done++) {
      if (done == warmUp) {
        before = Gauge.read();
        upcalls = 0;
      }
      PlainBridge bridge =
          new PlainBridge(assets(), System.getProperty("plain.files"), System.getProperty("plain.broken"));
      cancelLater();
      try {
        Native.run(bridge, arguments);
      } catch (Throwable thrown) {
        System.out.println("thrown " + thrown);
      }
      bridge.lines().forEach(System.out::println);
      System.out.println("calls " + bridge.calls());
      upcalls += bridge.calls().values().stream().mapToLong(Integer::longValue).sum();
    }
    if (before != null) {
      System.out.println("upcalls=" + upcalls + " " + before.growth());
    }
  }

  private static void cancelLater() {
    Long wait = Long.getLong("plain.cancelAfterMs");
    if (wait != null) {
      Thread canceller = new Thread(() -> {
        try {
          Thread.sleep(wait);
          Native.cancel();
        } catch (InterruptedException interrupted) {
          Thread.currentThread().interrupt();
        }
      });
      canceller.setDaemon(true);
      canceller.start();
    }
  }

  private static Map<String, byte[]> assets() throws Exception {
    Map<String, byte[]> assets = new TreeMap<>();
    String folder = System.getProperty("plain.assets");
    if (folder != null) {
      Path root = Path.of(folder);
      try (Stream<Path> files = Files.walk(root)) {
        for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
          assets.put(root.relativize(file).toString().replace(File.separatorChar, '/'), Files.readAllBytes(file));
        }
      }
    }
    return assets;
  }

  /** All classes once more, with a library of its own: the JVM loads a file for one class loader only. */
  private static final class Copy extends URLClassLoader {
    private final String name;

    Copy(String name) throws Exception {
      super(urls(), ClassLoader.getPlatformClassLoader());
      this.name = name;
    }

    private static URL[] urls() throws Exception {
      List<URL> urls = new ArrayList<>();
      for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
        urls.add(new File(entry).toURI().toURL());
      }
      return urls.toArray(new URL[0]);
    }

    @Override
    protected String findLibrary(String library) {
      return Path.of(System.getProperty("plain.copies"), name, System.mapLibraryName(library)).toString();
    }
  }
}
