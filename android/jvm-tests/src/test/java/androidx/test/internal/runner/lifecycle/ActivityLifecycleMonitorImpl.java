package androidx.test.internal.runner.lifecycle;

import android.app.Activity;
import androidx.test.runner.lifecycle.ActivityLifecycleCallback;
import androidx.test.runner.lifecycle.ActivityLifecycleMonitor;
import androidx.test.runner.lifecycle.Stage;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

/** Robolectric reports stages here, and finds the windows for input and screenshots by them. */
public final class ActivityLifecycleMonitorImpl implements ActivityLifecycleMonitor {
  private final List<ActivityLifecycleCallback> callbacks = new CopyOnWriteArrayList<>();
  private final Map<Activity, Stage> stages = Collections.synchronizedMap(new WeakHashMap<>());

  public void signalLifecycleChange(Stage stage, Activity activity) {
    stages.put(activity, stage);
    callbacks.forEach(callback -> callback.onActivityLifecycleChanged(activity, stage));
  }

  @Override
  public void addLifecycleCallback(ActivityLifecycleCallback callback) {
    callbacks.add(callback);
  }

  @Override
  public void removeLifecycleCallback(ActivityLifecycleCallback callback) {
    callbacks.remove(callback);
  }

  @Override
  public Stage getLifecycleStageOf(Activity activity) {
    return stages.computeIfAbsent(
        activity,
        unknown -> {
          throw new IllegalArgumentException("nothing is known of " + unknown);
        });
  }

  @Override
  public Collection<Activity> getActivitiesInStage(Stage stage) {
    synchronized (stages) {
      return stages.keySet().stream()
          .filter(activity -> stages.get(activity) == stage)
          .collect(Collectors.toList());
    }
  }
}
