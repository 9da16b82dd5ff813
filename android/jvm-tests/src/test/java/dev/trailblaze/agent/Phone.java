package dev.trailblaze.agent;

import android.accessibilityservice.AccessibilityServiceInfo;
import android.app.Activity;
import android.app.ActivityThread;
import android.app.IInstrumentationWatcher;
import android.app.IUiAutomationConnection;
import android.app.Instrumentation;
import android.app.UiAutomation.OnAccessibilityEventListener;
import android.content.ActivityNotFoundException;
import android.content.ComponentName;
import android.content.Context;
import android.content.ContextWrapper;
import android.content.Intent;
import android.content.pm.ActivityInfo;
import android.content.pm.ResolveInfo;
import android.content.res.AssetManager;
import android.os.Bundle;
import android.os.Handler;
import android.os.Looper;
import android.view.accessibility.AccessibilityEvent;
import android.view.accessibility.AccessibilityManager;
import androidx.test.platform.app.InstrumentationRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.robolectric.Robolectric;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.Shadows;
import org.robolectric.android.controller.ActivityController;
import org.robolectric.android.controller.ServiceController;
import org.robolectric.shadows.ShadowSystemClock;
import org.robolectric.util.ReflectionHelpers;
import org.robolectric.util.ReflectionHelpers.ClassParameter;

/**
 * What a phone has besides the framework: it starts activities, tells of accessibility events, runs shell commands,
 * lets time pass and prints what an instrumentation reports. The app of the manifest is installed.
 *
 * <p>Everything the agent does is the code that runs on a phone, up to {@link PhoneSeams}.
 */
final class Phone implements AutoCloseable {
  static final String APP = "com.example.parcel";

  private static final long TICK_MS = 5;
  private static final long MAIN_MS = 20_000;

  final Shell shell;
  final StatusLines status = new StatusLines();
  final Context context;
  private final Thread clock = new Thread(this::tick, "the phone's clock");
  private volatile OnAccessibilityEventListener listener = event -> {};
  private volatile boolean on = true;
  /** Where apps lie when none is in front; without it the screen is as black as one that may not be seen. */
  volatile boolean home;
  /** The assets of the test APK, when they are not those of the sample app. */
  volatile AssetManager assets;
  /** What happens instead of a run by the library. */
  volatile Runnable library;
  /** The window in front may not be pictured. */
  volatile boolean secure;
  /** UiAutomation has lost its connection, as it does when accessibility of the phone breaks. */
  volatile BooleanSupplier isDisconnected = () -> false;
  /** How often the library looked at the screen. */
  final AtomicInteger looks = new AtomicInteger();
  private ActivityController<? extends Activity> app;
  private ServiceController<TrailblazeAccessibilityService> service;
  private CountDownLatch finished = new CountDownLatch(1);

  Phone() {
    context = new PhoneContext(InstrumentationRegistry.getInstrumentation().getTargetContext());
    shell = new Shell(this);
    enableAccessibility();
    clock.setDaemon(true);
    clock.start();
  }

  @Override
  public void close() throws InterruptedException {
    try {
      disconnectService();
      stopApp();
    } finally {
      on = false;
      clock.join();
    }
  }

  // The agent

  /** A bridge without a run, for tests that need no library. */
  Bridge bridge() {
    Runner runner = new Runner();
    onMain(() -> init(runner));
    return new Bridge(runner.seams());
  }

  /** Starts the instrumentation as {@code am instrument} does, and waits until it has finished. */
  StatusLines instrument(Bundle arguments, Duration limit) throws InterruptedException {
    finished = new CountDownLatch(1);
    Runner runner = new Runner();
    onMain(() -> {
      init(runner);
      runner.onCreate(arguments);
    });
    if (!finished.await(limit.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new AssertionError("not finished after " + limit + "\n" + status.raw());
    }
    return status;
  }

  private void init(Instrumentation runner) {
    ReflectionHelpers.callInstanceMethod(
        Instrumentation.class, runner, "init",
        ClassParameter.from(ActivityThread.class, RuntimeEnvironment.getActivityThread()),
        ClassParameter.from(Context.class, context),
        ClassParameter.from(Context.class, context),
        ClassParameter.from(ComponentName.class, new ComponentName(context, TrailblazeInstrumentation.class)),
        ClassParameter.from(IInstrumentationWatcher.class, status),
        ClassParameter.from(IUiAutomationConnection.class, null));
  }

  private final class Runner extends TrailblazeInstrumentation {
    @Override
    protected Seams seams() {
      return new PhoneSeams(this, Phone.this);
    }
  }

  /** What {@link Instrumentation#finish} would tell; it needs a system server itself. */
  void finish(int code, Bundle results) {
    status.instrumentationFinished(null, code, results);
    finished.countDown();
  }

  // Apps

  Activity activity() {
    return app == null ? null : app.get();
  }

  <A extends Activity> A activity(Class<A> type) {
    return type.cast(activity());
  }

  /** As the system does it for a task with one activity. */
  private void startActivity(Intent intent) {
    ActivityInfo activity = resolve(intent);
    boolean again = (intent.getFlags() & Intent.FLAG_ACTIVITY_CLEAR_TASK) == 0 && isRunning();
    if (again) {
      onMain(() -> app.newIntent(intent));
    } else {
      stopApp();
      onMain(() -> app = Robolectric.buildActivity(type(activity.name), intent).setup());
      onMain(() -> app.windowFocusChanged(true));
    }
  }

  private ActivityInfo resolve(Intent intent) {
    ResolveInfo found = context.getPackageManager().resolveActivity(intent, 0);
    if (found == null) {
      throw new ActivityNotFoundException("No Activity found to handle " + intent);
    }
    return found.activityInfo;
  }

  private static Class<? extends Activity> type(String name) {
    try {
      return Class.forName(name).asSubclass(Activity.class);
    } catch (ClassNotFoundException missing) {
      throw new IllegalStateException(missing);
    }
  }

  boolean isRunning() {
    return app != null && !app.get().isFinishing();
  }

  void stopApp() {
    if (app != null) {
      onMain(app::close);
      app = null;
    }
  }

  void clearApp() {
    stopApp();
    context.getSharedPreferences("parcel", Context.MODE_PRIVATE).edit().clear().commit();
    Shadows.shadowOf(RuntimeEnvironment.getApplication()).denyPermissions("android.permission.POST_NOTIFICATIONS");
  }

  private final class PhoneContext extends ContextWrapper {
    PhoneContext(Context base) {
      super(base);
    }

    @Override
    public AssetManager getAssets() {
      return assets == null ? super.getAssets() : assets;
    }

    @Override
    public void startActivity(Intent intent) {
      Phone.this.startActivity(intent);
    }
  }

  // Accessibility

  void listen(OnAccessibilityEventListener listener) {
    this.listener = listener;
  }

  /** The service as the system connects it after it was written into the settings. */
  void connectService() {
    if (service == null) {
      onMain(() -> {
        service = Robolectric.buildService(TrailblazeAccessibilityService.class).create();
        service.get().onServiceConnected();
      });
    }
  }

  void disconnectService() {
    if (service != null) {
      onMain(service::destroy);
      service = null;
    }
  }

  /** An app sends events only while a service is enabled that wants them. */
  private void enableAccessibility() {
    AccessibilityManager manager = context.getSystemService(AccessibilityManager.class);
    AccessibilityServiceInfo wants = new AccessibilityServiceInfo();
    wants.feedbackType = AccessibilityServiceInfo.FEEDBACK_GENERIC;
    wants.eventTypes = AccessibilityEvent.TYPES_ALL_MASK;
    Shadows.shadowOf(manager).setEnabledAccessibilityServiceList(List.of(wants));
    Shadows.shadowOf(manager).setEnabled(true);
    manager.setAccessibilityPolicy(new Ear());
  }

  private final class Ear implements AccessibilityManager.AccessibilityPolicy {
    @Override
    public boolean isEnabled(boolean enabled) {
      return enabled;
    }

    @Override
    public AccessibilityEvent onAccessibilityEvent(AccessibilityEvent event, boolean enabled, int types) {
      listener.onAccessibilityEvent(event);
      return event;
    }

    @Override
    public int getRelevantEventTypes(int types) {
      return AccessibilityEvent.TYPES_ALL_MASK;
    }

    @Override
    public List<AccessibilityServiceInfo> getInstalledAccessibilityServiceList(
        List<AccessibilityServiceInfo> installed) {
      return installed;
    }

    @Override
    public List<AccessibilityServiceInfo> getEnabledAccessibilityServiceList(
        int feedback, List<AccessibilityServiceInfo> enabled) {
      return enabled;
    }
  }

  // Time

  /** Robolectric's clock stands still; a phone's does not. */
  private void tick() {
    for (long last = System.nanoTime(); on; ) {
      try {
        Thread.sleep(TICK_MS);
      } catch (InterruptedException interrupted) {
        return;
      }
      long now = System.nanoTime();
      ShadowSystemClock.advanceBy((now - last) / 1_000_000, TimeUnit.MILLISECONDS);
      last += (now - last) / 1_000_000 * 1_000_000;
    }
  }

  /** An app that crashes takes the main thread along: then this fails instead of waiting for ever. */
  void onMain(Runnable task) {
    FutureTask<Void> posted = new FutureTask<>(task, null);
    new Handler(Looper.getMainLooper()).post(posted);
    try {
      posted.get(MAIN_MS, TimeUnit.MILLISECONDS);
    } catch (ExecutionException thrown) {
      throw new IllegalStateException(thrown.getCause());
    } catch (InterruptedException | TimeoutException late) {
      throw new IllegalStateException("the main thread does not answer", late);
    }
  }

  /** Waits in real time. */
  void until(String what, BooleanSupplier condition) throws InterruptedException {
    for (long end = System.nanoTime() + 10_000_000_000L; !condition.getAsBoolean(); Thread.sleep(5)) {
      if (System.nanoTime() > end) {
        throw new AssertionError("not within 10 s: " + what);
      }
    }
  }
}
