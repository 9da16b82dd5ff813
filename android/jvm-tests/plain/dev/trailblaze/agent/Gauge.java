package dev.trailblaze.agent;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.ObjectName;

/** What native code can leave behind in a JVM: references that are never deleted, threads, and memory. */
final class Gauge {
  private static final Pattern REFERENCES = Pattern.compile("JNI global refs: (\\d+), weak refs: (\\d+)");
  private static final Pattern RESIDENT = Pattern.compile("VmRSS:\\s+(\\d+) kB");

  private final long references;
  private final long threads;
  private final long kilobytes;

  private Gauge(long references, long threads, long kilobytes) {
    this.references = references;
    this.threads = threads;
    this.kilobytes = kilobytes;
  }

  static Gauge read() throws Exception {
    System.gc();
    // The same text as 'jcmd PID Thread.print', which counts the references.
    String threads = (String) ManagementFactory.getPlatformMBeanServer().invoke(
        new ObjectName("com.sun.management:type=DiagnosticCommand"),
        "threadPrint",
        new Object[] {new String[0]},
        new String[] {String[].class.getName()});
    Matcher found = REFERENCES.matcher(threads);
    if (!found.find()) {
      throw new IllegalStateException("this JVM does not count its references:\n" + threads);
    }
    long references = Long.parseLong(found.group(1)) + Long.parseLong(found.group(2));
    return new Gauge(references, ManagementFactory.getThreadMXBean().getThreadCount(), resident());
  }

  private static long resident() throws IOException {
    Matcher found = RESIDENT.matcher(Files.readString(Path.of("/proc/self/status")));
    if (!found.find()) {
      throw new IOException("/proc/self/status does not say how much memory is in use");
    }
    return Long.parseLong(found.group(1));
  }

  /** What came since, as {@code references=0 threads=0 kilobytes=12}. */
  String growth() throws Exception {
    Gauge now = read();
    return "references=" + (now.references - references)
        + " threads=" + (now.threads - threads)
        + " kilobytes=" + (now.kilobytes - kilobytes);
  }
}
