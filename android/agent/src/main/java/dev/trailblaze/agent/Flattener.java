package dev.trailblaze.agent;

import android.graphics.Rect;
import android.os.Build;
import android.os.Bundle;
import android.view.accessibility.AccessibilityNodeInfo;
import android.view.accessibility.AccessibilityNodeInfo.AccessibilityAction;
import android.view.accessibility.AccessibilityNodeInfo.CollectionInfo;
import android.view.accessibility.AccessibilityNodeInfo.CollectionItemInfo;
import android.view.accessibility.AccessibilityNodeInfo.RangeInfo;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Windows as bytes: the binary screen form, version 1, which the library reads in one piece. */
final class Flattener {
  static final int MAX_DEPTH = 200;
  static final int MAX_NODES = 20_000;

  private static final int HEADER = 40;
  private static final int NONE = -1;
  private static final int HAS_BOUNDS = 1 << 31;
  private static final int HAS_NUMBERS = 1 << 30;
  private static final int HAS_RARE = 1 << 29;

  /** The form's kind of window by the platform's type. Dialogs and popups are application windows there. */
  private static final int[] KINDS = {
    /* none */ 3, /* application */ 0, /* input method */ 1, /* system */ 3, /* accessibility overlay */ 3,
    /* split-screen divider */ 3, /* magnification overlay */ 3, /* window control */ 3,
  };

  private static final String TEST_TAG = "androidx.compose.ui.semantics.testTag";
  private static final String ROLE = "AccessibilityNodeInfo.roleDescription";
  private static final int TAG_TRIES = 10;

  private final Bytes windows = new Bytes(64);
  private final Bytes nodes = new Bytes(64 * 1024);
  private final Bytes rares = new Bytes(4 * 1024);
  private final Bytes strings = new Bytes(32 * 1024);
  private final Map<String, Integer> known = new HashMap<String, Integer>();
  private final List<AccessibilityNodeInfo> kept = new ArrayList<AccessibilityNodeInfo>();
  private final Rect bounds = new Rect();
  private final int[] props = new int[14];
  private final List<String> actions = new ArrayList<String>();
  private int windowCount;
  private int rareCount;

  /**
   * A direct buffer that is exactly as large as the screen.
   *
   * @param display width, height and rotation
   */
  ByteBuffer flatten(List<Root> roots, int[] display, long time) {
    clear();
    for (Root root : roots) {
      window(root);
    }
    int length = HEADER + windows.length() + nodes.length() + rares.length() + strings.length();
    ByteBuffer screen = ByteBuffer.allocateDirect(length);
    header(display, time).putInto(screen);
    windows.putInto(screen);
    nodes.putInto(screen);
    rares.putInto(screen);
    strings.putInto(screen);
    screen.rewind();
    return screen;
  }

  /** A node of the last screen by its place in it. */
  AccessibilityNodeInfo node(int index) {
    return kept.get(index);
  }

  private void clear() {
    windows.clear();
    nodes.clear();
    rares.clear();
    strings.clear();
    known.clear();
    kept.clear();
    windowCount = 0;
    rareCount = 0;
  }

  private Bytes header(int[] display, long time) {
    Bytes header = new Bytes(HEADER);
    header.u8('T');
    header.u8('B');
    header.u8('S');
    header.u8('C');
    header.u16(1);
    header.u8(display[2]);
    header.u8(0);
    header.i32(display[0]);
    header.i32(display[1]);
    header.i64(time);
    header.i32(windowCount);
    header.i32(kept.size());
    header.i32(rareCount);
    header.i32(known.size());
    return header;
  }

  private void window(Root root) {
    if (kept.size() < MAX_NODES) {
      windowCount++;
      windows.i32(kept.size());
      windows.i32(root.type < KINDS.length ? KINDS[root.type] : KINDS[0]);
      walk(root.node, NONE, 1);
    }
  }

  private void walk(AccessibilityNodeInfo node, int parent, int depth) {
    int index = kept.size();
    kept.add(node);
    write(node, parent);
    int children = depth < MAX_DEPTH ? node.getChildCount() : 0;
    for (int i = 0; i < children && kept.size() < MAX_NODES; i++) {
      AccessibilityNodeInfo child = child(node, i);
      if (child != null) {
        walk(child, index, depth + 1);
      }
    }
  }

  /** A node whose child is not there is stale: it is read again. */
  private static AccessibilityNodeInfo child(AccessibilityNodeInfo node, int index) {
    AccessibilityNodeInfo child = node.getChild(index);
    boolean again = child == null && node.refresh() && index < node.getChildCount();
    return again ? node.getChild(index) : child;
  }

  private void write(AccessibilityNodeInfo node, int parent) {
    // First, because asking for a test tag reads the node again.
    String tag = testTag(node);
    int mask = readProps(node, tag);
    readActions(node);
    int rare = rare(node);
    node.getBoundsInScreen(bounds);
    nodes.i32(parent);
    nodes.i32(flags(node) | HAS_BOUNDS | HAS_NUMBERS | (rare == NONE ? 0 : HAS_RARE));
    nodes.u16(mask);
    nodes.u16(actions.size());
    nodes.i64(node.hashCode() & 0xffffffffL);
    nodes.i32(bounds.left);
    nodes.i32(bounds.top);
    nodes.i32(bounds.right);
    nodes.i32(bounds.bottom);
    nodes.i32(node.getInputType());
    nodes.i32(node.getMaxTextLength());
    nodes.i32(node.getDrawingOrder());
    if (rare != NONE) {
      nodes.i32(rare);
    }
    for (int prop = 0; prop < props.length; prop++) {
      if ((mask & 1 << prop) != 0) {
        nodes.i32(props[prop]);
      }
    }
    for (int i = 0; i < actions.size(); i++) {
      nodes.i32(string(actions.get(i)));
    }
  }

  /** In the order of the form's properties; the last one of them is not the platform's. */
  private int readProps(AccessibilityNodeInfo node, String tag) {
    int sdk = Build.VERSION.SDK_INT;
    AccessibilityNodeInfo label = node.getLabeledBy();
    return prop(0, node.getClassName())
        | prop(1, node.getViewIdResourceName())
        | prop(2, sdk < 33 ? null : node.getUniqueId())
        | prop(3, tag)
        | prop(4, node.getText())
        | prop(5, node.getContentDescription())
        | prop(6, node.getHintText())
        | prop(7, label == null ? null : label.getText())
        | prop(8, sdk < 30 ? null : node.getStateDescription())
        | prop(9, sdk < 28 ? null : node.getPaneTitle())
        | prop(10, node.getExtras().getCharSequence(ROLE))
        | prop(11, node.getPackageName())
        | prop(12, sdk < 28 ? null : node.getTooltipText())
        | prop(13, node.getError());
  }

  private int prop(int prop, CharSequence value) {
    if (value == null) {
      return 0;
    }
    props[prop] = string(value.toString());
    return 1 << prop;
  }

  private int string(String value) {
    Integer index = known.get(value);
    if (index == null) {
      index = known.size();
      known.put(value, index);
      strings.text(value);
    }
    return index;
  }

  /** In the order of the form's flags. */
  private static int flags(AccessibilityNodeInfo node) {
    int sdk = Build.VERSION.SDK_INT;
    return flag(0, node.isEnabled())
        | flag(1, node.isVisibleToUser())
        | flag(2, node.isImportantForAccessibility())
        | flag(3, node.isClickable())
        | flag(4, node.isLongClickable())
        | flag(5, node.isCheckable())
        | flag(6, node.isChecked())
        | flag(7, node.isSelected())
        | flag(8, node.isFocusable())
        | flag(9, node.isFocused())
        | flag(10, node.isEditable())
        | flag(11, node.isScrollable())
        | flag(12, node.isPassword())
        | flag(13, sdk >= 28 && node.isHeading())
        | flag(14, node.isMultiLine())
        | flag(15, node.isShowingHintText())
        | flag(16, node.isContentInvalid())
        | flag(17, sdk >= 33 && node.isTextSelectable());
  }

  private static int flag(int flag, boolean on) {
    return on ? 1 << flag : 0;
  }

  private void readActions(AccessibilityNodeInfo node) {
    actions.clear();
    List<AccessibilityAction> offered = node.getActionList();
    for (int i = 0; i < offered.size(); i++) {
      actions.add(ActionNames.of(offered.get(i).getId()));
    }
  }

  /** The place of what few nodes have, or {@link #NONE}. */
  private int rare(AccessibilityNodeInfo node) {
    CollectionItemInfo item = node.getCollectionItemInfo();
    CollectionInfo collection = node.getCollectionInfo();
    RangeInfo range = node.getRangeInfo();
    int parts = flag(0, item != null) | flag(1, collection != null) | flag(2, range != null);
    if (parts == 0) {
      return NONE;
    }
    rares.i32(parts);
    if (item != null) {
      item(item);
    }
    if (collection != null) {
      collection(collection);
    }
    if (range != null) {
      range(range);
    }
    return rareCount++;
  }

  @SuppressWarnings("deprecation")
  private void item(CollectionItemInfo item) {
    rares.i32(item.getRowIndex());
    rares.i32(item.getRowSpan());
    rares.i32(item.getColumnIndex());
    rares.i32(item.getColumnSpan());
    rares.i32(flag(0, item.isHeading()));
  }

  private void collection(CollectionInfo collection) {
    rares.i32(collection.getRowCount());
    rares.i32(collection.getColumnCount());
    rares.i32(flag(0, collection.isHierarchical()));
  }

  private void range(RangeInfo range) {
    rares.i32(range.getType());
    rares.f64(range.getMin());
    rares.f64(range.getMax());
    rares.f64(range.getCurrent());
  }

  /** The answer may come without the tag when it was read ahead: then it is asked for again. */
  private static String testTag(AccessibilityNodeInfo node) {
    List<String> extra = node.getAvailableExtraData();
    if (extra == null || !extra.contains(TEST_TAG)) {
      return null;
    }
    CharSequence tag = node.getExtras().getCharSequence(TEST_TAG);
    for (int left = TAG_TRIES; tag == null && left > 0; left--) {
      node.refreshWithExtraData(TEST_TAG, new Bundle());
      tag = node.getExtras().getCharSequence(TEST_TAG);
    }
    return tag == null ? null : tag.toString();
  }
}
