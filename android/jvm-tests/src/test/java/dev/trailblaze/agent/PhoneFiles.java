package dev.trailblaze.agent;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The files of the phone, in a folder of this machine. What its shell does with them, a shell of this machine does. */
final class PhoneFiles implements AutoCloseable {
  private static final List<String> PLACES = List.of("/data/local/tmp", "/data/app", "/sdcard");

  final Path root = Files.createTempDirectory("phone");

  PhoneFiles(Shell shell) throws IOException {
    for (String place : PLACES) {
      Files.createDirectories(Path.of(here(place)));
    }
    // The agent is told where they are on this machine.
    shell.answer("(.* " + Pattern.quote(root + "/") + ".*)", asked -> run(asked.group(1)));
  }

  @Override
  public void close() throws IOException {
    TrailRun.delete(root);
  }

  /** With the paths that these files have on this machine. */
  String here(String text) {
    for (String place : PLACES) {
      text = text.replace(place, root + place);
    }
    return text;
  }

  /** Whether a command is about them. */
  boolean concerns(String command) {
    return PLACES.stream().anyMatch(command::contains);
  }

  private String run(String command) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      run(command, InputStream.nullInputStream(), out, OutputStream.nullOutputStream());
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
    return out.toString(StandardCharsets.UTF_8);
  }

  /** Runs a command. Its input and its outputs pass as they come: it may end when its input does. */
  int run(String command, InputStream input, OutputStream out, OutputStream err) throws IOException {
    Process process = new ProcessBuilder("sh", "-c", command).start();
    pass(input, process.getOutputStream());
    Thread complaints = pass(process.getErrorStream(), err);
    process.getInputStream().transferTo(out);
    try {
      complaints.join();
      return process.waitFor();
    } catch (InterruptedException interrupted) {
      throw new IOException(interrupted);
    }
  }

  private static Thread pass(InputStream from, OutputStream to) {
    Thread passing = new Thread(() -> {
      try (to) {
        from.transferTo(to);
      } catch (IOException closed) {
        // A command need not read all, and a laptop need not hear all.
      }
    });
    passing.setDaemon(true);
    passing.start();
    return passing;
  }

  /** What lies where runs put their files. */
  List<Path> left() throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      return files.filter(file -> file.toString().contains("trailblaze-run-")).toList();
    }
  }
}
