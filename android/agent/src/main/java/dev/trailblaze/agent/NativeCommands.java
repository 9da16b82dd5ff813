package dev.trailblaze.agent;

import dev.trailblaze.tool.JsonText;
import dev.trailblaze.tool.TrailblazeCommands;

/** The commands of one tool call; the handle is valid as long as that call lasts. */
final class NativeCommands extends TrailblazeCommands {
  private final long handle;

  NativeCommands(long handle) {
    this.handle = handle;
  }

  @Override
  public String call(String name, String arguments) {
    return Native.command(handle, "{" + JsonText.quote(name) + ":" + arguments + "}");
  }
}
