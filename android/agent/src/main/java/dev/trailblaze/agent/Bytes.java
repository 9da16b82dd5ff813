package dev.trailblaze.agent;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Bytes that grow, little-endian. */
final class Bytes {
  private byte[] bytes;
  private int length;

  Bytes(int capacity) {
    bytes = new byte[capacity];
  }

  int length() {
    return length;
  }

  void clear() {
    length = 0;
  }

  void u8(int value) {
    room(1);
    bytes[length++] = (byte) value;
  }

  void u16(int value) {
    room(2);
    bytes[length++] = (byte) value;
    bytes[length++] = (byte) (value >> 8);
  }

  void i32(int value) {
    room(4);
    bytes[length++] = (byte) value;
    bytes[length++] = (byte) (value >> 8);
    bytes[length++] = (byte) (value >> 16);
    bytes[length++] = (byte) (value >> 24);
  }

  void i64(long value) {
    i32((int) value);
    i32((int) (value >> 32));
  }

  void f64(double value) {
    i64(Double.doubleToLongBits(value));
  }

  /** The length in bytes, then UTF-8. Most texts are ASCII, which needs no encoder. */
  void text(String text) {
    i32(text.length());
    room(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c >= 0x80) {
        length -= i + 4;
        encode(text.getBytes(StandardCharsets.UTF_8));
        return;
      }
      bytes[length++] = (byte) c;
    }
  }

  private void encode(byte[] encoded) {
    i32(encoded.length);
    room(encoded.length);
    System.arraycopy(encoded, 0, bytes, length, encoded.length);
    length += encoded.length;
  }

  void putInto(ByteBuffer buffer) {
    buffer.put(bytes, 0, length);
  }

  private void room(int more) {
    if (length + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(length + more, 2 * bytes.length));
    }
  }
}
