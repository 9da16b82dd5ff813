package dev.trailblaze.agent;

import android.app.IInstrumentationWatcher;
import android.content.ComponentName;
import android.os.Bundle;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;

/** What an instrumentation reports, also as {@code am instrument -r} prints it. */
final class StatusLines extends IInstrumentationWatcher.Stub {
  static final int STARTED = 1;
  static final int PASSED = 0;
  static final int ERROR = -1;
  static final int FAILED = -2;
  static final int IGNORED = -3;

  record Block(int code, Bundle values) {}

  final List<Block> blocks = new CopyOnWriteArrayList<>();
  volatile Block end;
  private final StringBuffer raw = new StringBuffer();

  @Override
  public void instrumentationStatus(ComponentName name, int code, Bundle results) {
    blocks.add(new Block(code, results));
    print("INSTRUMENTATION_STATUS: ", results);
    raw.append("INSTRUMENTATION_STATUS_CODE: ").append(code).append('\n');
  }

  @Override
  public void instrumentationFinished(ComponentName name, int code, Bundle results) {
    end = new Block(code, results);
    print("INSTRUMENTATION_RESULT: ", results);
    raw.append("INSTRUMENTATION_CODE: ").append(code).append('\n');
  }

  @SuppressWarnings("deprecation")
  private void print(String prefix, Bundle values) {
    for (String key : new TreeSet<>(values.keySet())) {
      raw.append(prefix).append(key).append('=').append(values.get(key)).append('\n');
    }
  }

  /** Before another run on the same phone. */
  void clear() {
    blocks.clear();
    raw.setLength(0);
    end = null;
  }

  String raw() {
    return raw.toString();
  }
}
