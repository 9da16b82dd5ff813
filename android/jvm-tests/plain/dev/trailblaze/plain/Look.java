package dev.trailblaze.plain;

import dev.trailblaze.tool.TrailblazeCommands;
import dev.trailblaze.tool.TrailblazeTool;

/** Asks the phone again and again: each time goes down into the library and up to the bridge. */
public final class Look implements TrailblazeTool {
  private static final int LOOKS = 500;
  /** Cheaper than a look, which reads a whole screen. */
  private static final int QUESTIONS_PER_LOOK = 9;

  @Override
  public String describe() {
    return "{\"name\":\"plain_look\",\"description\":\"Looks at the screen many times\"}";
  }

  @Override
  public String execute(String arguments, TrailblazeCommands commands) {
    for (int done = 0; done < LOOKS; done++) {
      check(commands.isVisible("OK"), done);
      for (int asked = 0; asked < QUESTIONS_PER_LOOK; asked++) {
        check(commands.call("mobile_listInstalledApps", "{}").contains("plain.app"), done);
      }
    }
    return "\"looked\"";
  }

  private static void check(boolean seen, int done) {
    if (!seen) {
      throw new IllegalStateException("the app is gone after " + done + " looks");
    }
  }
}
