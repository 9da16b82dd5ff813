import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import javax.tools.ToolProvider;

/**
 * What Android's own build does with AARs, as far as a JVM needs it: classes on a class path, the resources of all in one
 * APK together with the assets, and an R class for each package. Does nothing when nothing changed.
 *
 * <p>{@code java Aars.java AARS MANIFEST ASSETS FRAMEWORK AAPT2 CLASSES WORK}; the APK is {@code WORK/resources.apk}.
 */
public final class Aars {
  private static final Pattern PACKAGE = Pattern.compile("<manifest\\b[^>]*\\bpackage=\"([^\"]+)\"");

  private final String aapt2;
  private final Path classes;
  private final Path work;
  private final Set<String> packages = new TreeSet<>();
  private final List<String> compiled = new ArrayList<>();

  private Aars(String aapt2, Path classes, Path work) {
    this.aapt2 = aapt2;
    this.classes = classes;
    this.work = work;
  }

  public static void main(String[] arguments) throws Exception {
    Path aars = Path.of(arguments[0]);
    Path manifest = Path.of(arguments[1]);
    Path assets = Path.of(arguments[2]);
    Path framework = Path.of(arguments[3]);
    Path classes = Path.of(arguments[5]);
    Path work = Path.of(arguments[6]);
    Path stamp = work.resolve("stamp");
    String state = list(files(aars), false) + list(files(assets), true) + list(List.of(manifest), true);
    if (Files.exists(stamp) && Files.readString(stamp).equals(state)) {
      return;
    }
    delete(classes);
    delete(work);
    Files.createDirectories(classes);
    Files.createDirectories(work);
    Aars all = new Aars(arguments[4], classes, work);
    for (Path aar : files(aars)) {
      all.unpack(aar);
    }
    all.link(manifest, assets, framework);
    all.compileIds();
    Files.writeString(stamp, state);
  }

  private void unpack(Path aar) throws Exception {
    String name = aar.getFileName().toString();
    Path res = work.resolve("res").resolve(name);
    try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(aar))) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        String path = entry.getName();
        if (path.equals("classes.jar") || path.startsWith("libs/") && path.endsWith(".jar")) {
          unpackClasses(zip.readAllBytes());
        } else if (path.equals("AndroidManifest.xml")) {
          packages.add(packageOf(new String(zip.readAllBytes(), StandardCharsets.UTF_8)));
        } else if (path.startsWith("res/") && !entry.isDirectory()) {
          write(zip, res, path.substring("res/".length()));
        }
      }
    }
    if (Files.exists(res)) {
      Path flat = work.resolve(name + ".zip");
      run(aapt2, "compile", "--dir", res.toString(), "-o", flat.toString());
      compiled.add(flat.toString());
    }
  }

  /** Kotlin finds functions that are in no class by the module files. */
  private void unpackClasses(byte[] jar) throws IOException {
    try (ZipInputStream zip = new ZipInputStream(new ByteArrayInputStream(jar))) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        String path = entry.getName();
        boolean isModule = path.endsWith("module-info.class");
        boolean isUsed = path.endsWith(".class") || path.endsWith(".kotlin_module") || path.contains("/services/");
        if (isUsed && !isModule && !entry.isDirectory()) {
          write(zip, classes, path);
        }
      }
    }
  }

  private void link(Path manifest, Path assets, Path framework) throws Exception {
    List<String> command = new ArrayList<>(List.of(
        aapt2, "link", "--auto-add-overlay",
        "--manifest", manifest.toString(), "-A", assets.toString(), "-I", framework.toString(),
        "--java", work.resolve("r").toString(), "--extra-packages", String.join(":", packages),
        "-o", work.resolve("resources.apk").toString()));
    command.addAll(compiled);
    run(command.toArray(new String[0]));
  }

  private void compileIds() throws IOException {
    List<String> options = new ArrayList<>(List.of("-nowarn", "-proc:none", "-d", classes.toString()));
    files(work.resolve("r")).forEach(source -> options.add(source.toString()));
    int code = ToolProvider.getSystemJavaCompiler().run(null, null, null, options.toArray(new String[0]));
    if (code != 0) {
      throw new IOException("javac ended with " + code);
    }
  }

  private static String packageOf(String manifest) throws IOException {
    Matcher found = PACKAGE.matcher(manifest);
    if (!found.find()) {
      throw new IOException("a manifest without a package: " + manifest);
    }
    return found.group(1);
  }

  private static void write(InputStream in, Path folder, String path) throws IOException {
    Path file = folder.resolve(path).normalize();
    if (!file.startsWith(folder)) {
      throw new IOException("a path that leads out of its folder: " + path);
    }
    Files.createDirectories(file.getParent());
    Files.write(file, in.readAllBytes());
  }

  /** aapt2 does not know one chunk of the framework's table; what it says is shown only when it fails. */
  private void run(String... command) throws Exception {
    Path log = work.resolve("aapt2.log");
    int code = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start().waitFor();
    if (code != 0) {
      throw new IOException(command[0] + " " + command[1] + " ended with " + code + "\n" + Files.readString(log));
    }
  }

  private static String list(List<Path> files, boolean withContent) throws IOException {
    StringBuilder list = new StringBuilder();
    for (Path file : files) {
      CRC32 sum = new CRC32();
      if (withContent) {
        sum.update(Files.readAllBytes(file));
      }
      list.append(file).append(' ').append(sum.getValue()).append('\n');
    }
    return list.toString();
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).sorted().toList();
    }
  }

  private static void delete(Path folder) throws IOException {
    if (Files.exists(folder)) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }
}
