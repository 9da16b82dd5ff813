package dev.trailblaze.plain;

import dev.trailblaze.tool.TrailblazeCommands;
import dev.trailblaze.tool.TrailblazeTool;

/** Asks for something that fails, and lets the exception go through. */
public final class Throw implements TrailblazeTool {
  @Override
  public String describe() {
    return "{\"name\":\"plain_throw\",\"description\":\"Fails\"}";
  }

  @Override
  public String execute(String arguments, TrailblazeCommands commands) {
    return commands.call("assertEquals", "{\"actual\":\"one\",\"expected\":\"two\"}");
  }
}
