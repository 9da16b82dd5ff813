package dev.trailblaze.agent;

import android.app.UiAutomation;
import android.view.InputEvent;
import android.view.MotionEvent;
import android.view.View;
import android.view.WindowManagerGlobal;
import java.util.List;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowInstrumentation;
import org.robolectric.shadows.ShadowUiAutomation;

/**
 * On a phone a touch stays with the window it began on. Robolectric asks anew for every event, so that the end of a
 * long press would go to the dialog that it opened, and close it.
 */
@Implements(UiAutomation.class)
public class TouchShadow extends ShadowUiAutomation {
  private View touched;

  @Override
  @Implementation
  protected boolean injectInputEvent(InputEvent event, boolean sync) {
    if (!(event instanceof MotionEvent)) {
      return super.injectInputEvent(event, sync);
    }
    // The app may be about to open a window.
    ShadowInstrumentation.runOnMainSyncNoIdle(() -> {});
    MotionEvent touch = (MotionEvent) event;
    if (touch.getActionMasked() == MotionEvent.ACTION_DOWN) {
      touched = top();
    }
    View began = touched;
    if (began == null || began == top() || !began.isAttachedToWindow()) {
      return super.injectInputEvent(event, sync);
    }
    ShadowInstrumentation.runOnMainSyncNoIdle(() -> began.dispatchTouchEvent(touch));
    return true;
  }

  private static View top() {
    List<View> windows = WindowManagerGlobal.getInstance().getWindowViews();
    return windows.isEmpty() ? null : windows.get(windows.size() - 1);
  }
}
