package dev.trailblaze.agent;

import android.util.SparseArray;
import android.view.accessibility.AccessibilityNodeInfo;

/** What the actions of nodes are called in captures. */
final class ActionNames {
  private static final SparseArray<String> NAMES = new SparseArray<String>();

  static {
    NAMES.put(AccessibilityNodeInfo.ACTION_FOCUS, "ACTION_FOCUS");
    NAMES.put(AccessibilityNodeInfo.ACTION_CLEAR_FOCUS, "ACTION_CLEAR_FOCUS");
    NAMES.put(AccessibilityNodeInfo.ACTION_SELECT, "ACTION_SELECT");
    NAMES.put(AccessibilityNodeInfo.ACTION_CLEAR_SELECTION, "ACTION_CLEAR_SELECTION");
    NAMES.put(AccessibilityNodeInfo.ACTION_CLICK, "ACTION_CLICK");
    NAMES.put(AccessibilityNodeInfo.ACTION_LONG_CLICK, "ACTION_LONG_CLICK");
    NAMES.put(AccessibilityNodeInfo.ACTION_ACCESSIBILITY_FOCUS, "ACTION_ACCESSIBILITY_FOCUS");
    NAMES.put(AccessibilityNodeInfo.ACTION_CLEAR_ACCESSIBILITY_FOCUS, "ACTION_CLEAR_ACCESSIBILITY_FOCUS");
    NAMES.put(AccessibilityNodeInfo.ACTION_NEXT_AT_MOVEMENT_GRANULARITY, "ACTION_NEXT_AT_MOVEMENT_GRANULARITY");
    NAMES.put(
        AccessibilityNodeInfo.ACTION_PREVIOUS_AT_MOVEMENT_GRANULARITY,
        "ACTION_PREVIOUS_AT_MOVEMENT_GRANULARITY");
    NAMES.put(AccessibilityNodeInfo.ACTION_NEXT_HTML_ELEMENT, "ACTION_NEXT_HTML_ELEMENT");
    NAMES.put(AccessibilityNodeInfo.ACTION_PREVIOUS_HTML_ELEMENT, "ACTION_PREVIOUS_HTML_ELEMENT");
    NAMES.put(AccessibilityNodeInfo.ACTION_SCROLL_FORWARD, "ACTION_SCROLL_FORWARD");
    NAMES.put(AccessibilityNodeInfo.ACTION_SCROLL_BACKWARD, "ACTION_SCROLL_BACKWARD");
    NAMES.put(AccessibilityNodeInfo.ACTION_COPY, "ACTION_COPY");
    NAMES.put(AccessibilityNodeInfo.ACTION_PASTE, "ACTION_PASTE");
    NAMES.put(AccessibilityNodeInfo.ACTION_CUT, "ACTION_CUT");
    NAMES.put(AccessibilityNodeInfo.ACTION_SET_SELECTION, "ACTION_SET_SELECTION");
    NAMES.put(AccessibilityNodeInfo.ACTION_EXPAND, "ACTION_EXPAND");
    NAMES.put(AccessibilityNodeInfo.ACTION_COLLAPSE, "ACTION_COLLAPSE");
    NAMES.put(AccessibilityNodeInfo.ACTION_DISMISS, "ACTION_DISMISS");
    NAMES.put(AccessibilityNodeInfo.ACTION_SET_TEXT, "ACTION_SET_TEXT");
    NAMES.put(android.R.id.accessibilityActionShowOnScreen, "ACTION_SHOW_ON_SCREEN");
    NAMES.put(android.R.id.accessibilityActionScrollToPosition, "ACTION_SCROLL_TO_POSITION");
    NAMES.put(android.R.id.accessibilityActionScrollUp, "ACTION_SCROLL_UP");
    NAMES.put(android.R.id.accessibilityActionScrollLeft, "ACTION_SCROLL_LEFT");
    NAMES.put(android.R.id.accessibilityActionScrollDown, "ACTION_SCROLL_DOWN");
    NAMES.put(android.R.id.accessibilityActionScrollRight, "ACTION_SCROLL_RIGHT");
    NAMES.put(android.R.id.accessibilityActionContextClick, "ACTION_CONTEXT_CLICK");
    NAMES.put(android.R.id.accessibilityActionSetProgress, "ACTION_SET_PROGRESS");
    NAMES.put(android.R.id.accessibilityActionMoveWindow, "ACTION_MOVE_WINDOW");
    NAMES.put(android.R.id.accessibilityActionShowTooltip, "ACTION_SHOW_TOOLTIP");
    NAMES.put(android.R.id.accessibilityActionHideTooltip, "ACTION_HIDE_TOOLTIP");
    NAMES.put(android.R.id.accessibilityActionPageUp, "ACTION_PAGE_UP");
    NAMES.put(android.R.id.accessibilityActionPageDown, "ACTION_PAGE_DOWN");
    NAMES.put(android.R.id.accessibilityActionPageLeft, "ACTION_PAGE_LEFT");
    NAMES.put(android.R.id.accessibilityActionPageRight, "ACTION_PAGE_RIGHT");
    NAMES.put(android.R.id.accessibilityActionPressAndHold, "ACTION_PRESS_AND_HOLD");
    NAMES.put(android.R.id.accessibilityActionImeEnter, "ACTION_IME_ENTER");
    NAMES.put(android.R.id.accessibilityActionDragStart, "ACTION_DRAG_START");
    NAMES.put(android.R.id.accessibilityActionDragDrop, "ACTION_DRAG_DROP");
    NAMES.put(android.R.id.accessibilityActionDragCancel, "ACTION_DRAG_CANCEL");
    NAMES.put(android.R.id.accessibilityActionShowTextSuggestions, "ACTION_SHOW_TEXT_SUGGESTIONS");
    NAMES.put(android.R.id.accessibilityActionScrollInDirection, "ACTION_SCROLL_IN_DIRECTION");
  }

  private ActionNames() {}

  static String of(int id) {
    String name = NAMES.get(id);
    return name == null ? "ACTION_" + id : name;
  }
}
