package dev.trailblaze.agent;

import static org.junit.Assert.assertNotNull;

import android.os.Bundle;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The phone's end of a cable: an adbd of paper that asks here what its commands print. A socket of the phone is an
 * abstract socket of this machine, which the library in this process opens itself.
 */
final class Adbd implements AutoCloseable {
  private static final int OUT = 1;
  private static final int EXIT = 3;
  /** Of a line of {@code /proc/net/unix}. */
  private static final int STATE = 5;
  private static final int NUMBER = 6;
  private static final String CONNECTED = "03";
  private static final Duration LIMIT = Duration.ofMinutes(4);

  /** What adb calls the phone. */
  final String serial;
  /** Every {@code am instrument} that was asked for. */
  final List<String> asked = new CopyOnWriteArrayList<>();
  /** How long the agent waits for a laptop that is gone; as long as it does anyway, unless given. */
  volatile String patience;
  private final Phone phone;
  private final ServerSocket door;
  private final Process process;
  private volatile CompletableFuture<String> agentEnd = CompletableFuture.completedFuture("");

  Adbd(Phone phone, Path program) throws IOException {
    this.phone = phone;
    phone.shell.answer("dumpsys package dev\\.trailblaze\\.agent", asked -> aboutTheAgent());
    phone.shell.answer("cat /proc/net/unix", asked -> sockets());
    phone.shell.answer("date \\+%s\\.%N", asked -> {
      Instant now = Instant.now();
      return String.format(Locale.ROOT, "%d.%09d%n", now.getEpochSecond(), now.getNano());
    });
    door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread answering = new Thread(this::listen, "the phone's adbd");
    answering.setDaemon(true);
    answering.start();
    process = new ProcessBuilder(
        program.toString(), "--answers", "127.0.0.1:" + door.getLocalPort(), "--abstract")
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
    serial = process.inputReader().readLine();
    assertNotNull("the adbd of paper did not start", serial);
  }

  @Override
  public void close() throws IOException {
    process.destroy();
    door.close();
  }

  private String aboutTheAgent() {
    return "Packages:\n  Package [dev.trailblaze.agent] (1a2b3c):\n    versionCode=1 minSdk=26 targetSdk=35\n"
        + "    versionName=" + Native.version() + "\n";
  }

  // Commands

  private void listen() {
    while (true) {
      try {
        Socket socket = door.accept();
        Thread answering = new Thread(() -> answer(socket), "a command of the phone");
        answering.setDaemon(true);
        answering.start();
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void answer(Socket socket) {
    try (socket) {
      String command = command(socket.getInputStream());
      String started = command.replace("trap '' HUP; ", "");
      String said = started.startsWith("am instrument ") ? instrument(started) : phone.shell.run(command);
      OutputStream out = socket.getOutputStream();
      send(out, OUT, said.getBytes(StandardCharsets.UTF_8));
      send(out, EXIT, new byte[1]);
    } catch (IOException gone) {
      // The laptop does not want to know any more.
    }
  }

  private static String command(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = in.read(); next > 0; next = in.read()) {
      line.write(next);
    }
    return line.toString(StandardCharsets.UTF_8);
  }

  private static void send(OutputStream out, int id, byte[] bytes) throws IOException {
    out.write(ByteBuffer.allocate(5 + bytes.length).order(ByteOrder.LITTLE_ENDIAN)
        .put((byte) id).putInt(bytes.length).put(bytes).array());
  }

  // The agent

  /** Runs on when nobody listens any more, as on a phone. */
  private String instrument(String line) {
    asked.add(line);
    CompletableFuture<String> end = new CompletableFuture<>();
    agentEnd = end;
    phone.status.clear();
    try {
      end.complete(phone.instrument(arguments(line.split(" ")), LIMIT).raw());
    } catch (InterruptedException | RuntimeException | Error broken) {
      end.completeExceptionally(broken);
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
  CompletableFuture<String> agentEnd() {
    return agentEnd;
  }

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
    return agentEnd.isDone() ? "@none" : "@trailblaze-" + session;
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
