import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Robolectric runs no test, and says nothing, when it does not like its configuration. So what ran is compared with
 * what is there: {@code java CountTests.java SOURCES REPORTS FOLDER-OF-THE-LIBRARY PROGRAM [LEFT-OUT FILE…]}. Tests may
 * say why they are skipped, but not when the library, the program and all of FILE are there. Files whose names begin
 * with LEFT-OUT were not built.
 */
public final class CountTests {
  private static final Pattern TEST = Pattern.compile("(?m)^  @Test\\b");
  private static final Pattern SUITE =
      Pattern.compile("<testsuite\\b[^>]*\\btests=\"(\\d+)\" errors=\"(\\d+)\" skipped=\"(\\d+)\"");
  private static final Pattern SKIPPED = Pattern.compile("<skipped message=\"([^\"]+)\"");

  public static void main(String[] arguments) throws Exception {
    int written = 0;
    int leftOut = 0;
    for (Path source : files(arguments[0], ".java")) {
      long tests = TEST.matcher(Files.readString(source)).results().count();
      if (arguments.length > 4 && source.getFileName().toString().startsWith(arguments[4])) {
        leftOut += tests;
      } else {
        written += tests;
      }
    }
    int ran = 0;
    int skipped = 0;
    Map<String, Integer> reasons = new TreeMap<>();
    for (Path report : files(arguments[1], ".xml")) {
      String text = Files.readString(report);
      Matcher suite = SUITE.matcher(text);
      if (suite.find()) {
        ran += Integer.parseInt(suite.group(1)) - Integer.parseInt(suite.group(3));
        skipped += Integer.parseInt(suite.group(3));
      }
      SKIPPED.matcher(text).results().forEach(found -> reasons.merge(found.group(1), 1, Integer::sum));
    }
    System.out.println(ran + " of " + written + " tests ran");
    if (leftOut > 0) {
      System.err.println(leftOut + " left out: " + arguments[4]);
    }
    reasons.forEach((reason, count) -> System.err.println(count + " skipped: " + reason));
    boolean told = reasons.values().stream().mapToInt(Integer::intValue).sum() == skipped;
    boolean complete = isThere(Path.of(arguments[2], System.mapLibraryName("trailblaze")).toString())
        && isThere(arguments[3])
        && Arrays.stream(arguments).skip(5).allMatch(CountTests::isThere);
    System.exit(ran > 0 && ran + skipped == written && told && (skipped == 0 || !complete) ? 0 : 1);
  }

  private static boolean isThere(String file) {
    return !file.isEmpty() && Files.isRegularFile(Path.of(file));
  }

  private static List<Path> files(String folder, String ending) throws Exception {
    try (Stream<Path> files = Files.walk(Path.of(folder))) {
      return files.filter(file -> file.toString().endsWith(ending)).toList();
    }
  }
}
