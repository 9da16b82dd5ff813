package dev.trailblaze.agent;

import android.accessibilityservice.AccessibilityService;
import android.accessibilityservice.AccessibilityService.ScreenshotResult;
import android.accessibilityservice.AccessibilityService.TakeScreenshotCallback;
import android.graphics.Bitmap;
import android.os.SystemClock;
import android.view.Display;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;

/** A screenshot by the accessibility service (API 30), which answers later and not too often. */
final class ServiceScreenshot implements TakeScreenshotCallback, Executor {
  private static final int TRIES = 20;
  private static final long PAUSE_MS = 100;
  private static final long WAIT_MS = 10_000;

  /** A bitmap or the number of an error. */
  private final SynchronousQueue<Object> answers = new SynchronousQueue<Object>();

  private ServiceScreenshot() {}

  /** Null when a window may not be pictured. */
  static Bitmap take(AccessibilityService service) {
    Object answer = new ServiceScreenshot().ask(service);
    for (int left = TRIES; left > 0 && isTooSoon(answer); left--) {
      SystemClock.sleep(PAUSE_MS);
      answer = new ServiceScreenshot().ask(service);
    }
    if (answer instanceof Bitmap) {
      return (Bitmap) answer;
    }
    if (answer.equals(AccessibilityService.ERROR_TAKE_SCREENSHOT_SECURE_WINDOW)) {
      return null;
    }
    throw new IllegalStateException("the accessibility service took no screenshot: error " + answer);
  }

  private static boolean isTooSoon(Object answer) {
    return answer.equals(AccessibilityService.ERROR_TAKE_SCREENSHOT_INTERVAL_TIME_SHORT);
  }

  private Object ask(AccessibilityService service) {
    service.takeScreenshot(Display.DEFAULT_DISPLAY, this, this);
    try {
      Object answer = answers.poll(WAIT_MS, TimeUnit.MILLISECONDS);
      return answer == null ? "none within " + WAIT_MS + " ms" : answer;
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  @Override
  public void execute(Runnable task) {
    task.run();
  }

  @Override
  public void onSuccess(ScreenshotResult result) {
    answer(Bitmap.wrapHardwareBuffer(result.getHardwareBuffer(), result.getColorSpace()));
    result.getHardwareBuffer().close();
  }

  @Override
  public void onFailure(int error) {
    answer(error);
  }

  private void answer(Object answer) {
    try {
      answers.offer(answer, WAIT_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
