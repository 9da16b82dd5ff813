package dev.trailblaze.agent;

import static org.junit.Assert.assertNotNull;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;

/**
 * The phone's end of a cable: an adbd of paper that asks here what its commands print. A socket of the phone is an
 * abstract socket of this machine.
 */
final class Adbd implements AutoCloseable {
  private static final int OUT = 1;
  private static final int ERR = 2;
  private static final int EXIT = 3;

  /** What adb calls the phone. */
  final String serial;
  final PhoneFiles files;
  final Packages packages;
  final AgentProcess agent;
  private final Phone phone;
  private final ServerSocket door;
  private final Process process;

  Adbd(Phone phone, Path program) throws IOException {
    this.phone = phone;
    files = new PhoneFiles(phone.shell);
    packages = new Packages(phone.shell, files);
    agent = new AgentProcess(phone);
    phone.shell.answer("date \\+%s\\.%N", asked -> {
      Instant now = Instant.now();
      return String.format(Locale.ROOT, "%d.%09d%n", now.getEpochSecond(), now.getNano());
    });
    door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread answering = new Thread(this::listen, "the phone's adbd");
    answering.setDaemon(true);
    answering.start();
    process = new ProcessBuilder(program.toString(), "--answers", "127.0.0.1:" + door.getLocalPort(),
        "--abstract", "--files", files.root.toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
    serial = process.inputReader().readLine();
    assertNotNull("the adbd of paper did not start", serial);
  }

  @Override
  public void close() throws IOException {
    process.destroy();
    door.close();
    files.close();
  }

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
      InputStream in = socket.getInputStream();
      OutputStream out = socket.getOutputStream();
      int exit = run(command(in), in, new Packets(out, OUT), new Packets(out, ERR));
      new Packets(out, EXIT).write(exit);
    } catch (IOException gone) {
      // The laptop does not want to know any more.
    }
  }

  /** A command, up to the zero byte. */
  private static String command(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = in.read(); next > 0; next = in.read()) {
      line.write(next);
    }
    return line.toString(StandardCharsets.UTF_8);
  }

  /** What it exits with. */
  private int run(String command, InputStream in, OutputStream out, OutputStream err) throws IOException {
    String started = command.replace("trap '' HUP; ", "");
    String said;
    if (started.startsWith("am instrument ")) {
      said = agent.run(files.here(started));
    } else if (command.startsWith("package install ")) {
      said = packages.install(command, in);
    } else if (files.concerns(command)) {
      return files.run(files.here(command), in, out, err);
    } else {
      said = phone.shell.run(command);
    }
    out.write(said.getBytes(StandardCharsets.UTF_8));
    return 0;
  }

  /** One output of a command, in packets of adb's own shell protocol. */
  private static final class Packets extends OutputStream {
    private final OutputStream to;
    private final int id;

    Packets(OutputStream to, int id) {
      this.to = to;
      this.id = id;
    }

    @Override
    public void write(int one) throws IOException {
      write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int count) throws IOException {
      byte[] packet = ByteBuffer.allocate(5 + count).order(ByteOrder.LITTLE_ENDIAN)
          .put((byte) id).putInt(count).put(bytes, from, count).array();
      synchronized (to) {
        to.write(packet);
      }
    }
  }
}
