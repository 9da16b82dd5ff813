package dev.trailblaze.agent;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import dev.trailblaze.tool.TrailblazeCommands;
import dev.trailblaze.tool.TrailblazeTool;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/** Tools that are classes on the phone, in trails that run on the laptop, where what they ask for is dispatched. */
public class LaptopToolsTest extends OnLaptop {
  /** Calls a tool in YAML and another class, which call back in turn. */
  public static final class Round implements TrailblazeTool {
    @Override
    public String describe() {
      return "{\"description\": \"Starts a round\", \"inputSchema\": {\"type\": \"object\", \"properties\":"
          + " {\"email\": {\"type\": \"string\"}}, \"required\": [\"email\"]}}";
    }

    @Override
    public String execute(String arguments, TrailblazeCommands commands) {
      commands.call("parcel_startSignedIn", arguments);
      return commands.call("parcel_count", "{\"least\": 24}");
    }
  }

  private Laptop.Run run(String name, Map<String, String> more, String... trails) throws Exception {
    Map<String, String> documents = ownDocuments();
    documents.putAll(more);
    Path workspace = workspace(name, documents);
    List<String> arguments = new ArrayList<>(List.of("--driver", TrailRun.INSTRUMENTATION, "--target", "parcel_apk",
        "--memory", "courier=grace.runner@example.com"));
    for (String trail : trails) {
      arguments.addAll(List.of("--filter", trail));
    }
    return laptop.run(name, workspace.toString(), arguments.toArray(new String[0]));
  }

  private static List<String> of(Laptop.Run run, String trail, String event, String key, String value, String wanted)
      throws Exception {
    return run.events().stream()
        .filter(line -> line.optString("trail").equals(trail) && line.optString("event").equals(event))
        .filter(line -> line.optString(key).equals(value))
        .map(line -> line.optString(wanted))
        .toList();
  }

  @Test(timeout = 120_000)
  public void classesOfThePhone() throws Exception {
    Map<String, String> round = Map.of(
        "trailblaze-config/tools/parcel_round.yaml", "id: parcel_round\nclass: " + Round.class.getName() + "\n",
        "trails/apk/count-round.trail.yaml", "- tools:\n    - parcel_round: { email: '{{courier}}' }\n");
    Laptop.Run run = run("laptop-classes", round, "count", "too-many").ends(1);
    Map<String, String> expected =
        Map.of("apk/count", "passed", "apk/count-round", "passed", "apk/too-many", "failed");
    assertEquals(run.said(), expected, TrailRun.verdicts(run.events()));

    assertEquals(List.of("24 parcels", "3 parcels"),
        of(run, "apk/count", "toolFinished", "tool", "parcel_count", "message"));
    assertEquals(List.of("getElementText", "tap", "inputText", "getElementText"),
        of(run, "apk/count", "toolStarted", "via", "callback", "tool"));
    assertEquals(List.of("24 parcels"), of(run, "apk/count-round", "toolFinished", "tool", "parcel_round", "message"));
    assertEquals(List.of("parcel_startSignedIn", "parcel_count", "getElementText"),
        of(run, "apk/count-round", "toolStarted", "via", "callback", "tool"));
    String asked = of(run, "apk/count-round", "toolStarted", "tool", "parcel_startSignedIn", "args").toString();
    assertTrue(asked, asked.contains("grace.runner@example.com"));

    // A failure says what the class says, where in the trail, and has a picture of the phone.
    assertTrue(run.said(), run.said().contains("only 24 parcels, not 25: '24 parcels today'"));
    assertTrue(run.said(), run.said().contains("too-many.trail.yaml:15:11"));
    assertTrue(run.said(), run.said().contains("CountParcels.execute(CountParcels.kt:"));
    TrailTest.assertIsScreen(run.folder.resolve("apk-too-many/step-2-failed.png"));
    assertNothingLeft("the laptop is done");
  }

  @Test(timeout = 120_000)
  public void classesThatCannotBeUsed() throws Exception {
    Map<String, String> bad = Map.of(
        "trailblaze-config/tools/parcel_count.yaml", "id: parcel_count\nclass: no.such.Tool\n",
        "trailblaze-config/tools/parcel_speechless.yaml",
        "id: parcel_speechless\nclass: " + TrailTest.Speechless.class.getName() + "\n",
        "trails/apk/count-words.trail.yaml", "- tools:\n    - parcel_speechless: {}\n");
    Laptop.Run run = run("laptop-bad-classes", bad, "count", "checkbox").ends(1);
    Map<String, String> expected =
        Map.of("apk/checkbox", "passed", "apk/count", "failed", "apk/count-words", "failed");
    assertEquals(run.said(), expected, TrailRun.verdicts(run.events()));
    String missing = "the class no.such.Tool cannot be used: ClassNotFoundException: no.such.Tool";
    assertTrue(run.said(), run.said().contains(missing));
    String speechless = "the class " + TrailTest.Speechless.class.getName() + " cannot be used: "
        + "IllegalStateException: no words";
    assertTrue(run.said(), run.said().contains(speechless));
    assertNothingLeft("the laptop is done");
  }
}
