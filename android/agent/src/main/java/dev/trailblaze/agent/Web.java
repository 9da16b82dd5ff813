package dev.trailblaze.agent;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.SocketTimeoutException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Timer;
import java.util.TimerTask;

/** Web requests of scripts. A request and an answer are lines of text, an empty line, and the body. */
final class Web {
  private Web() {}

  /**
   * The lines are method, URL, milliseconds until all of the answer is there, the most bytes that its body may have, and
   * headers; those of the answer are the status and headers.
   */
  static byte[] fetch(byte[] request) throws IOException {
    int end = endOfLines(request);
    String[] lines = new String(request, 0, end, StandardCharsets.UTF_8).split("\n");
    int millis = Integer.parseInt(lines[2]);
    long start = System.nanoTime();
    final HttpURLConnection connection = (HttpURLConnection) new URL(lines[1]).openConnection();
    // The timeouts of a connection begin anew with every part that comes.
    Timer timer = new Timer(true);
    timer.schedule(
        new TimerTask() {
          @Override
          public void run() {
            connection.disconnect();
          }
        },
        millis);
    try {
      connection.setInstanceFollowRedirects(false);
      connection.setUseCaches(false);
      connection.setRequestMethod(lines[0]);
      connection.setConnectTimeout(millis);
      connection.setReadTimeout(millis);
      for (int i = 4; i < lines.length; i++) {
        int colon = lines[i].indexOf(':');
        connection.addRequestProperty(lines[i].substring(0, colon), lines[i].substring(colon + 1));
      }
      if (request.length > end + 2) {
        connection.setDoOutput(true);
        connection.getOutputStream().write(request, end + 2, request.length - end - 2);
      }
      return answer(connection, Integer.parseInt(lines[3]), start + millis * 1_000_000L);
    } catch (IOException ended) {
      if (System.nanoTime() - start < millis * 1_000_000L) {
        throw ended;
      }
      throw new SocketTimeoutException("there was no whole answer within " + millis + " ms");
    } finally {
      timer.cancel();
      connection.disconnect();
    }
  }

  private static int endOfLines(byte[] request) {
    int at = 0;
    while (request[at] != '\n' || request[at + 1] != '\n') {
      at++;
    }
    return at;
  }

  private static byte[] answer(HttpURLConnection connection, int most, long deadline) throws IOException {
    StringBuilder lines = new StringBuilder().append(connection.getResponseCode());
    for (Map.Entry<String, List<String>> header : connection.getHeaderFields().entrySet()) {
      for (String value : header.getValue()) {
        if (header.getKey() != null) {
          lines.append('\n').append(header.getKey()).append(':').append(value);
        }
      }
    }
    ByteArrayOutputStream answer = new ByteArrayOutputStream();
    answer.write(lines.append("\n\n").toString().getBytes(StandardCharsets.UTF_8));
    InputStream body = connection.getErrorStream();
    if (body == null && connection.getResponseCode() < 400) {
      body = connection.getInputStream();
    }
    int head = answer.size();
    byte[] part = new byte[8192];
    for (int n = body == null ? -1 : body.read(part); n >= 0; n = body.read(part)) {
      answer.write(part, 0, n);
      if (answer.size() - head > most) {
        throw new IOException("the answer is larger than " + most + " bytes");
      }
      if (System.nanoTime() - deadline >= 0) {
        throw new SocketTimeoutException("the answer comes too slowly");
      }
    }
    return answer.toByteArray();
  }
}
