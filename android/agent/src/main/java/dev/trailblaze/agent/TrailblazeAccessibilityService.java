package dev.trailblaze.agent;

import android.accessibilityservice.AccessibilityService;
import android.app.UiAutomation.OnAccessibilityEventListener;
import android.content.Intent;
import android.view.accessibility.AccessibilityEvent;

/** Reads the screen and touches it. It lives in the process of the run, which finds it here. */
public class TrailblazeAccessibilityService extends AccessibilityService {
  private static volatile TrailblazeAccessibilityService connected;
  private static volatile OnAccessibilityEventListener listener;

  /** The service while it is connected, else null. */
  static TrailblazeAccessibilityService connected() {
    return connected;
  }

  /** Who hears the events, now and after the service was connected again. */
  static void setListener(OnAccessibilityEventListener listener) {
    TrailblazeAccessibilityService.listener = listener;
  }

  @Override
  protected void onServiceConnected() {
    connected = this;
  }

  @Override
  public boolean onUnbind(Intent intent) {
    connected = null;
    return super.onUnbind(intent);
  }

  @Override
  public void onDestroy() {
    connected = null;
    super.onDestroy();
  }

  @Override
  public void onAccessibilityEvent(AccessibilityEvent event) {
    OnAccessibilityEventListener now = listener;
    if (now != null) {
      now.onAccessibilityEvent(event);
    }
  }

  @Override
  public void onInterrupt() {}
}
