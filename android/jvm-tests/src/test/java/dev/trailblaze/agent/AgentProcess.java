package dev.trailblaze.agent;

import static org.junit.Assert.assertNotNull;

import android.os.Bundle;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What {@code am instrument} starts. Its sockets are real ones, which the library in this process opens itself. */
final class AgentProcess {
  /** Of a line of {@code /proc/net/unix}. */
  private static final int STATE = 5;
  private static final int NUMBER = 6;
  private static final String CONNECTED = "03";
  private static final Duration LIMIT = Duration.ofMinutes(4);

  /** Every {@code am instrument} that was asked for. */
  final List<String> asked = new CopyOnWriteArrayList<>();
  /** How long the agent waits for a laptop that is gone; as long as it does anyway, unless given. */
  volatile String patience;
  private final Phone phone;
  private volatile CompletableFuture<String> end = CompletableFuture.completedFuture("");

  AgentProcess(Phone phone) {
    this.phone = phone;
    phone.shell.answer("cat /proc/net/unix", asked -> sockets());
    phone.shell.answer("pidof (\\S+)", asked -> isRunning(asked.group(1)) ? "4242\n" : "");
    phone.shell.answer("am force-stop (dev\\.trailblaze\\.\\S+)", asked -> {
      if (isRunning(asked.group(1))) {
        kill();
      }
      return "";
    });
  }

  /** Runs on when nobody listens any more, as on a phone. */
  String run(String line) {
    asked.add(line);
    CompletableFuture<String> ends = new CompletableFuture<>();
    end = ends;
    phone.status.clear();
    try {
      ends.complete(phone.instrument(arguments(line.split(" ")), LIMIT).raw());
    } catch (InterruptedException | RuntimeException | Error broken) {
      ends.completeExceptionally(broken);
    }
    return phone.status.raw();
  }

  private Bundle arguments(String[] words) {
    Bundle arguments = new Bundle();
    if (patience != null) {
      arguments.putString("patience", patience);
    }
    for (int i = 0; i + 2 < words.length; i++) {
      if (words[i].equals("-e")) {
        arguments.putString(words[i + 1], words[i + 2]);
      }
    }
    return arguments;
  }

  /** What the agent that was started last says at its end. */
  CompletableFuture<String> end() {
    return end;
  }

  private boolean isRunning(String app) {
    return !end.isDone() && asked.get(asked.size() - 1).contains(" " + app + "/");
  }

  /** A process that is killed puts nothing back. This one cannot be killed, so what it puts back is taken back. */
  private void kill() {
    Path kept = phone.context.getExternalFilesDir(null).toPath().resolve("settings-before");
    Map<String, String> settings = Map.copyOf(phone.shell.settings);
    try {
      byte[] before = Files.readAllBytes(kept);
      Native.cancel();
      assertNotNull(end.get(20, TimeUnit.SECONDS));
      phone.shell.settings.clear();
      phone.shell.settings.putAll(settings);
      Files.write(kept, before);
    } catch (Exception broken) {
      throw new IllegalStateException(broken);
    }
  }

  // Its sockets

  /** How many connections the agent has. */
  long guests() {
    return listed().filter(line -> line.endsWith(socket()) && field(line, STATE).equals(CONNECTED)).count();
  }

  /** Of agents only the one that runs has sockets; on a phone they end with the process. */
  private String sockets() {
    return listed()
        .filter(line -> !line.contains("@trailblaze-") || line.endsWith(socket()))
        .collect(Collectors.joining("\n", "", "\n"));
  }

  private String socket() {
    String session = asked.isEmpty() ? "" : asked.get(asked.size() - 1).replaceAll(".* -e session (\\S+) .*", "$1");
    return end.isDone() ? "@none" : "@trailblaze-" + session;
  }

  /** As on a phone with nothing else on it: the sockets of this process, below a headline. */
  private static Stream<String> listed() {
    try {
      Set<String> own = ownSockets();
      return Files.readAllLines(Path.of("/proc/net/unix")).stream()
          .filter(line -> line.startsWith("Num") || own.contains(field(line, NUMBER)));
    } catch (IOException unread) {
      throw new UncheckedIOException(unread);
    }
  }

  private static String field(String line, int index) {
    return line.trim().split("\\s+")[index];
  }

  /** By their numbers. */
  private static Set<String> ownSockets() throws IOException {
    Set<String> numbers = new HashSet<>();
    try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
      for (Path file : files.toList()) {
        try {
          String opened = Files.readSymbolicLink(file).toString();
          if (opened.startsWith("socket:[")) {
            numbers.add(opened.substring(8, opened.length() - 1));
          }
        } catch (NoSuchFileException closed) {
          // Between the list and the look.
        }
      }
    }
    return numbers;
  }
}
