package dev.trailblaze.agent;

import com.android.ddmlib.testrunner.ITestRunListener;
import com.android.ddmlib.testrunner.InstrumentationResultParser;
import com.android.ddmlib.testrunner.TestIdentifier;
import java.util.LinkedHashMap;
import java.util.Map;

/** What Android's own reader makes of status lines. */
final class DdmlibReader implements ITestRunListener {
  /** By class and method; {@code started} as long as nothing else was said. */
  final Map<String, String> verdicts = new LinkedHashMap<>();
  final Map<String, String> stacks = new LinkedHashMap<>();
  int announced;
  String runFailure;

  static DdmlibReader read(String raw) {
    DdmlibReader reader = new DdmlibReader();
    InstrumentationResultParser parser = new InstrumentationResultParser("trails", reader);
    parser.processNewLines(raw.split("\n", -1));
    parser.done();
    return reader;
  }

  @Override
  public void testRunStarted(String name, int tests) {
    announced = tests;
  }

  @Override
  public void testStarted(TestIdentifier test) {
    verdicts.put(test.toString(), "started");
  }

  @Override
  public void testFailed(TestIdentifier test, String trace) {
    verdicts.put(test.toString(), "failed");
    stacks.put(test.toString(), trace);
  }

  @Override
  public void testAssumptionFailure(TestIdentifier test, String trace) {
    verdicts.put(test.toString(), "skipped");
  }

  @Override
  public void testIgnored(TestIdentifier test) {
    verdicts.put(test.toString(), "skipped");
  }

  @Override
  public void testEnded(TestIdentifier test, Map<String, String> metrics) {
    verdicts.replace(test.toString(), "started", "passed");
  }

  @Override
  public void testRunFailed(String message) {
    runFailure = message;
  }

  @Override
  public void testRunStopped(long elapsed) {}

  @Override
  public void testRunEnded(long elapsed, Map<String, String> metrics) {}
}
