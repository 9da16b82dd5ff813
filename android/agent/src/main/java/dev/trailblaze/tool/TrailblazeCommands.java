package dev.trailblaze.tool;

/** What a tool may do: the same commands that scripts and trails use. All of them throw {@link ToolFailure}. */
public abstract class TrailblazeCommands {
  /** Any command by its name; the arguments are a JSON object, the result is JSON. */
  public abstract String call(String name, String arguments);

  public final void tap(String text) {
    call("tap", one("text", text));
  }

  public final void tapId(String id) {
    call("tap", one("id", id));
  }

  /** Types into the field that has the focus. */
  public final void inputText(String text) {
    call("inputText", one("text", text));
  }

  public final boolean isVisible(String text) {
    return Boolean.parseBoolean(call("isVisible", one("text", text)));
  }

  /** What the element with this resource id says; null when there is none. */
  public final String elementText(String id) {
    return JsonText.unquote(call("getElementText", one("id", id)));
  }

  private static String one(String key, String value) {
    return "{" + JsonText.quote(key) + ":" + JsonText.quote(value) + "}";
  }
}
