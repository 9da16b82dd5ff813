package dev.trailblaze.agent;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** Requests of scripts against a server on this machine. The HTTP client is the JDK's; a phone has another one. */
public class WebTest {
  private static final int LONG_MS = 20_000;
  private static final int SHORT_MS = 300;
  private static final int MOST = 1000;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final CountDownLatch over = new CountDownLatch(1);
  private HttpServer server;

  @Before
  public void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.start();
  }

  @After
  public void stop() {
    over.countDown();
    server.stop(0);
    threads.shutdownNow();
  }

  private interface Answer {
    void to(HttpExchange exchange) throws Exception;
  }

  private void serve(String path, Answer answer) {
    server.createContext(path, exchange -> {
      try (exchange) {
        answer.to(exchange);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      } catch (IOException gone) {
        throw gone;
      } catch (Exception broken) {
        throw new IOException(broken);
      }
    });
  }

  private static void say(HttpExchange exchange, int status, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    if (bytes.length > 0) {
      exchange.getResponseBody().write(bytes);
    }
  }

  private String url(String path) {
    return "http://localhost:" + server.getAddress().getPort() + path;
  }

  private static String fetch(String method, String url, int millis, int most, String rest) throws IOException {
    String request = method + "\n" + url + "\n" + millis + "\n" + most + rest;
    return new String(Web.fetch(request.getBytes(StandardCharsets.UTF_8)), StandardCharsets.UTF_8);
  }

  private String get(String path) throws IOException {
    return fetch("GET", url(path), LONG_MS, MOST, "\n\n");
  }

  @Test
  public void statusHeadersAndBody() throws Exception {
    serve("/", exchange -> {
      exchange.getResponseHeaders().add("X-Own", "one");
      exchange.getResponseHeaders().add("X-Own", "two");
      say(exchange, 201, "gr\u00fc\u00dfe\n\nof two lines");
    });
    String answer = get("/");
    assertTrue(answer, answer.startsWith("201\n"));
    String[] halves = answer.split("\n\n", 2);
    List<String> lines = List.of(halves[0].split("\n"));
    assertTrue(answer, lines.contains("X-own:one") && lines.contains("X-own:two"));
    assertEquals("gr\u00fc\u00dfe\n\nof two lines", halves[1]);
  }

  @Test
  public void errorsHaveABodyToo() throws Exception {
    serve("/gone", exchange -> say(exchange, 404, "no such parcel"));
    serve("/empty", exchange -> say(exchange, 500, ""));
    assertTrue(get("/gone").startsWith("404\n"));
    assertTrue(get("/gone").endsWith("\n\nno such parcel"));
    assertTrue(get("/empty").startsWith("500\n") && get("/empty").endsWith("\n\n"));
  }

  @Test
  public void whatIsSent() throws Exception {
    serve("/", exchange -> {
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      say(exchange, 200, exchange.getRequestMethod() + " " + exchange.getRequestHeaders().get("X-Own") + " " + body);
    });
    // A header may be there twice.
    String answer = fetch("PUT", url("/"), LONG_MS, MOST, "\nX-Own:one\nX-Own:two\n\nfour\n\nfive");
    String sent = answer.split("\n\n", 2)[1];
    assertTrue(answer, sent.equals("PUT [one, two] four\n\nfive") || sent.equals("PUT [two, one] four\n\nfive"));
  }

  /** The target grants hosts, and a redirect may lead to another. */
  @Test
  public void aRedirectIsAnAnswer() throws Exception {
    serve("/", exchange -> {
      exchange.getResponseHeaders().add("Location", url("/elsewhere"));
      say(exchange, 302, "");
    });
    serve("/elsewhere", exchange -> say(exchange, 200, "followed"));
    String answer = get("/");
    assertTrue(answer, answer.startsWith("302\n") && answer.contains("\nLocation:" + url("/elsewhere") + "\n"));
  }

  private static void endsInTime(String url) {
    long start = System.nanoTime();
    Exception ended = assertThrows(
        SocketTimeoutException.class, () -> fetch("GET", url, SHORT_MS, Integer.MAX_VALUE, "\n\n"));
    assertEquals("there was no whole answer within " + SHORT_MS + " ms", ended.getMessage());
    long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    assertTrue("" + took, took >= SHORT_MS && took < LONG_MS);
  }

  @Test(timeout = 2 * LONG_MS)
  public void aServerThatSaysNothing() {
    serve("/", exchange -> over.await());
    endsInTime(url("/"));
  }

  @Test(timeout = 2 * LONG_MS)
  public void aBodyThatComesByDrops() {
    serve("/", exchange -> {
      exchange.sendResponseHeaders(200, 0);
      drip(exchange.getResponseBody());
    });
    endsInTime(url("/"));
  }

  @Test(timeout = 2 * LONG_MS)
  public void headersThatComeByDrops() throws Exception {
    try (ServerSocket raw = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      threads.submit(() -> {
        try (Socket socket = raw.accept()) {
          socket.getOutputStream().write("HTTP/1.1 200 OK\r\nX-Own: ".getBytes(StandardCharsets.US_ASCII));
          drip(socket.getOutputStream());
        }
        return null;
      });
      endsInTime("http://localhost:" + raw.getLocalPort() + "/");
    }
  }

  /** Never so slow that a single read would take too long. */
  private void drip(OutputStream out) throws Exception {
    while (!over.await(SHORT_MS / 10, TimeUnit.MILLISECONDS)) {
      out.write('x');
      out.flush();
    }
  }

  @Test(timeout = 2 * LONG_MS)
  public void anAnswerThatIsTooLarge() throws Exception {
    serve("/fits", exchange -> say(exchange, 200, "x".repeat(MOST)));
    assertTrue(get("/fits").endsWith("x".repeat(MOST)));
    serve("/", exchange -> {
      exchange.sendResponseHeaders(200, 0);
      byte[] part = new byte[8192];
      while (over.getCount() > 0) {
        exchange.getResponseBody().write(part);
      }
    });
    Exception refused = assertThrows(IOException.class, () -> get("/"));
    assertEquals("the answer is larger than " + MOST + " bytes", refused.getMessage());
  }
}
