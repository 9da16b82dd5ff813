package dev.trailblaze.plain;

import dev.trailblaze.agent.PlainBridge;
import dev.trailblaze.tool.TrailblazeCommands;
import dev.trailblaze.tool.TrailblazeTool;
import java.util.Map;
import java.util.TreeMap;

/** Looks at the screen and prints how often each method of the bridge was called for that. */
public final class Crossings implements TrailblazeTool {
  private static final int LOOKS = 100;

  @Override
  public String describe() {
    return "{\"name\":\"plain_crossings\",\"description\":\"Counts what a look takes\"}";
  }

  @Override
  public String execute(String arguments, TrailblazeCommands commands) {
    Map<String, Integer> before = new TreeMap<>(PlainBridge.current().calls());
    for (int done = 0; done < LOOKS; done++) {
      commands.isVisible("OK");
    }
    Map<String, Integer> calls = new TreeMap<>(PlainBridge.current().calls());
    before.forEach((method, count) -> calls.computeIfPresent(method, (same, now) -> now > count ? now - count : null));
    System.out.println(LOOKS + " looks are " + calls);
    return "null";
  }
}
