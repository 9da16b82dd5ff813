package dev.trailblaze.agent;

import android.content.Context;
import android.view.accessibility.AccessibilityEvent;
import android.view.accessibility.AccessibilityManager;
import android.widget.Toast;
import androidx.test.platform.app.InstrumentationRegistry;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowToast;

/** Robolectric only remembers a toast; a phone also tells accessibility of it. */
@Implements(Toast.class)
public class ToastShadow extends ShadowToast {
  @Override
  @Implementation
  protected void show() {
    super.show();
    Context context = InstrumentationRegistry.getInstrumentation().getTargetContext();
    AccessibilityManager manager = context.getSystemService(AccessibilityManager.class);
    if (manager.isEnabled()) {
      AccessibilityEvent event = new AccessibilityEvent(AccessibilityEvent.TYPE_NOTIFICATION_STATE_CHANGED);
      event.setClassName(Toast.class.getName());
      event.setPackageName(context.getPackageName());
      event.getText().add(ShadowToast.getTextOfLatestToast());
      manager.sendAccessibilityEvent(event);
    }
  }
}
