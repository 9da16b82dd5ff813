package dev.trailblaze.agent;

/** The library. Everything that is decided is decided there. */
final class Native {
  static {
    System.loadLibrary("trailblaze");
  }

  private Native() {}

  static native String version();

  /**
   * Runs everything on the calling thread and returns when the run is over.
   *
   * @param bridge has the methods of {@link Bridge}; the library looks them up by name
   * @param arguments key, value, key, value …
   */
  static native void run(Object bridge, String[] arguments);

  /** Asks the run to end soon; from any thread. */
  static native void cancel();

  /**
   * One command for a tool: {@code {"name": {arguments}}}; the result is JSON.
   *
   * @throws dev.trailblaze.tool.ToolFailure when the command does not succeed
   */
  static native String command(long commands, String call);
}
