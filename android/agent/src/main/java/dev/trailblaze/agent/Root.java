package dev.trailblaze.agent;

import android.view.accessibility.AccessibilityNodeInfo;
import android.view.accessibility.AccessibilityWindowInfo;

/** A window that can be seen. */
public final class Root {
  final AccessibilityNodeInfo node;
  final int type;

  /** @param type as {@link AccessibilityWindowInfo} has it */
  public Root(AccessibilityNodeInfo node, int type) {
    this.node = node;
    this.type = type;
  }
}
