package dev.trailblaze.agent;

import android.content.Intent;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.Shadows;
import org.robolectric.shadows.ShadowApplication;

/** A shell that knows what the agent uses and, with {@link #answer}, whatever a test wants it to know. */
final class Shell {
  /** How the library has a shell join the two streams of a command. */
  private static final String JOINED = "sh -c (\"$@\")2>&1 sh ";

  private record Answer(Pattern command, Function<Matcher, String> output, boolean aside) {}

  final List<String> commands = new CopyOnWriteArrayList<>();
  final Map<String, String> settings = new ConcurrentHashMap<>();
  private final List<Answer> answers = new CopyOnWriteArrayList<>();
  private final Phone phone;

  Shell(Phone phone) {
    this.phone = phone;
    String app = phone.context.getPackageName();
    settings.put("global/window_animation_scale", "1.0");
    answer("settings get (\\w+) (\\S+)", m -> settings.getOrDefault(m.group(1) + "/" + m.group(2), "null") + "\n");
    answer("settings put (\\w+) (\\S+) ?(.*)", m -> put(m.group(1) + "/" + m.group(2), m.group(3)));
    answer("settings delete (\\w+) (\\S+)", m -> delete(m.group(1) + "/" + m.group(2)));
    answer("am force-stop " + app, m -> silently(phone::stopApp));
    answer("pm clear " + app, m -> {
      phone.clearApp();
      return "Success\n";
    });
    answer("am broadcast -a (\\S+) --es (\\S+) (\\S+)",
        m -> broadcast(new Intent(m.group(1)).putExtra(m.group(2), m.group(3))));
    answer("cmd connectivity airplane-mode (enable|disable)", m -> flight(m.group(1).equals("enable")));
    answer("pm grant " + app + " (\\S+)", m -> silently(() -> application().grantPermissions(m.group(1))));
    answer("pm revoke " + app + " (\\S+)", m -> silently(() -> application().denyPermissions(m.group(1))));
  }

  private String flight(boolean on) {
    broadcast(new Intent(Intent.ACTION_AIRPLANE_MODE_CHANGED).putExtra("state", on));
    return "";
  }

  private String broadcast(Intent intent) {
    phone.context.sendBroadcast(intent);
    return "Broadcasting: " + intent + "\nBroadcast completed: result=0\n";
  }

  private static ShadowApplication application() {
    return Shadows.shadowOf(RuntimeEnvironment.getApplication());
  }

  /** The newest answer to a command wins; a command that nobody answers prints nothing. */
  void answer(String command, Function<Matcher, String> output) {
    answers.add(0, new Answer(Pattern.compile(command, Pattern.DOTALL), output, false));
  }

  /** A command that fails: only a shell that joins its two streams hears why. */
  void complain(String command, String why) {
    answers.add(0, new Answer(Pattern.compile(command), matcher -> why, true));
  }

  String run(String line) {
    boolean joined = line.startsWith(JOINED);
    String command = joined ? line.substring(JOINED.length()) : line;
    commands.add(command);
    for (Answer answer : answers) {
      Matcher matcher = answer.command.matcher(command);
      if (matcher.matches()) {
        return answer.aside && !joined ? "" : answer.output.apply(matcher);
      }
    }
    return "";
  }

  private String put(String key, String value) {
    settings.put(key, value);
    return services(key);
  }

  private String delete(String key) {
    settings.remove(key);
    return services(key);
  }

  /** The system connects a service that is in its list, and disconnects one that is not. */
  private String services(String key) {
    if (key.equals("secure/enabled_accessibility_services")) {
      if (settings.getOrDefault(key, "").contains(TrailblazeAccessibilityService.class.getName())) {
        phone.connectService();
      } else {
        phone.disconnectService();
      }
    }
    return "";
  }

  private static String silently(Runnable task) {
    task.run();
    return "";
  }
}
