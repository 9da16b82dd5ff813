package dev.trailblaze.tool;

/** Strings in JSON and back. */
public final class JsonText {
  private static final String LETTERS = "nrtbf\"\\/";
  private static final String MEANINGS = "\n\r\t\b\f\"\\/";

  private JsonText() {}

  /** A JSON string. */
  public static String quote(String text) {
    StringBuilder out = new StringBuilder(text.length() + 2).append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      int escape = c == '/' ? -1 : MEANINGS.indexOf(c);
      if (escape >= 0) {
        out.append('\\').append(LETTERS.charAt(escape));
      } else if (c < ' ') {
        out.append(String.format("\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    return out.append('"').toString();
  }

  /** What a JSON string says; null when the JSON is anything else. */
  public static String unquote(String json) {
    String trimmed = json.trim();
    if (trimmed.length() < 2 || trimmed.charAt(0) != '"') {
      return null;
    }
    StringBuilder out = new StringBuilder(trimmed.length());
    for (int i = 1; i < trimmed.length() - 1; i++) {
      char c = trimmed.charAt(i);
      if (c == '\\') {
        c = trimmed.charAt(++i);
        if (c == 'u') {
          out.append((char) Integer.parseInt(trimmed.substring(i + 1, i + 5), 16));
          i += 4;
          continue;
        }
        c = MEANINGS.charAt(LETTERS.indexOf(c));
      }
      out.append(c);
    }
    return out.toString();
  }
}
