package dev.trailblaze.agent;

import android.accessibilityservice.InputMethod;
import android.os.Build;

/** The text field in use, as a keyboard sees it. Apart from the rest because its classes came with API 33. */
final class InputConnections {
  private InputConnections() {}

  /** False when there is no field in use, or no way to it. */
  static boolean commit(String text) {
    TrailblazeAccessibilityService service = TrailblazeAccessibilityService.connected();
    return Build.VERSION.SDK_INT >= 33 && service != null && commit(service.getInputMethod(), text);
  }

  private static boolean commit(InputMethod method, String text) {
    InputMethod.AccessibilityInputConnection field =
        method == null ? null : method.getCurrentInputConnection();
    if (field != null) {
      field.commitText(text, 1, null);
    }
    return field != null;
  }
}
