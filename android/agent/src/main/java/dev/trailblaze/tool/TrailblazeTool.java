package dev.trailblaze.tool;

/** A tool that is a class of the test APK. It needs a constructor without parameters. */
public interface TrailblazeTool {
  /** What the tool is called, does and takes: its descriptor as JSON. */
  String describe();

  /** Does it; the arguments and the result are JSON. */
  String execute(String arguments, TrailblazeCommands commands) throws Exception;
}
