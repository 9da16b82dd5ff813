package androidx.test.runner.lifecycle;

import android.app.Activity;

/** Hears of activities. */
public interface ActivityLifecycleCallback {
  void onActivityLifecycleChanged(Activity activity, Stage stage);
}
