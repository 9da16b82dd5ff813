package dev.trailblaze.tool;

/** A command did not succeed, or a tool gives up. */
public class ToolFailure extends RuntimeException {
  private static final long serialVersionUID = 1;

  public ToolFailure(String message) {
    super(message);
  }
}
