package androidx.test.runner.intent;

import android.app.Instrumentation;
import android.content.Intent;

/** Answers intents instead of an activity; nobody does here. */
public interface IntentStubber {
  Instrumentation.ActivityResult getActivityResultForIntent(Intent intent);
}
