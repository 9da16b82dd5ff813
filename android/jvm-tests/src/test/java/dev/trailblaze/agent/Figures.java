package dev.trailblaze.agent;

import android.content.Context;
import android.graphics.Rect;
import android.view.View;
import android.view.accessibility.AccessibilityNodeInfo;
import android.view.accessibility.AccessibilityWindowInfo;
import android.widget.LinearLayout;
import android.widget.TextView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** How long a capture takes, and how much of that the framework's own getters would take anyway. */
final class Figures {
  private static final String ROLE = "AccessibilityNodeInfo.roleDescription";
  private static final int ROUNDS = 100;
  private static final Rect BOUNDS = new Rect();

  private Figures() {}

  /** Rows of three texts each, all on the screen. */
  static View screen(Context context, int nodes) {
    LinearLayout column = column(context, LinearLayout.VERTICAL);
    for (int row = 0; row < nodes / 4; row++) {
      LinearLayout line = column(context, LinearLayout.HORIZONTAL);
      for (String text : new String[] {"Row " + row, "Street number " + row, "due at " + row}) {
        TextView view = new TextView(context);
        view.setText(text);
        view.setContentDescription(text + ", read aloud");
        view.setOnClickListener(clicked -> {});
        line.addView(view, new LinearLayout.LayoutParams(300, 18));
      }
      column.addView(line);
    }
    return column;
  }

  private static LinearLayout column(Context context, int orientation) {
    LinearLayout column = new LinearLayout(context);
    column.setOrientation(orientation);
    return column;
  }

  /** The walk asks the app for children, so the own share is measured on nodes that have none. */
  static void print(Seams seams, Bridge bridge) {
    Flattener flattener = new Flattener();
    int[] display = bridge.display();
    int count = walk(seams.roots(Seams.UI_AUTOMATION).get(0).node);
    double[] screens = new double[ROUNDS];
    double[] walks = new double[ROUNDS];
    double[] writes = new double[ROUNDS];
    double[] reads = new double[ROUNDS];
    int bytes = 0;
    for (int round = 0; round < ROUNDS; round++) {
      long start = System.nanoTime();
      bytes = flattener.flatten(seams.roots(Seams.UI_AUTOMATION), display, 0).capacity();
      screens[round] = since(start);
      List<Root> leaves = leaves(flattener, count);
      start = System.nanoTime();
      walk(seams.roots(Seams.UI_AUTOMATION).get(0).node);
      walks[round] = since(start);
      start = System.nanoTime();
      flattener.flatten(leaves, display, 0);
      writes[round] = since(start);
      start = System.nanoTime();
      for (Root leaf : leaves) {
        read(leaf.node);
      }
      reads[round] = since(start);
    }
    System.out.printf(Locale.ROOT, "FIGURES %d nodes, %d bytes, median of %d: whole capture %.2f ms, the same walk with"
        + " getters alone %.2f ms; without the walk %.2f ms, getters alone %.2f ms: own share %.2f ms%n",
        count, bytes, ROUNDS, median(screens), median(walks), median(writes), median(reads),
        median(writes) - median(reads));
  }

  private static double since(long start) {
    return (System.nanoTime() - start) / 1e6;
  }

  /** As many nodes as there are, but only such without children. */
  private static List<Root> leaves(Flattener flattener, int count) {
    List<Root> leaves = new ArrayList<>();
    for (int i = 0; leaves.size() < count; i = (i + 1) % count) {
      if (flattener.node(i).getChildCount() == 0) {
        leaves.add(new Root(flattener.node(i), AccessibilityWindowInfo.TYPE_APPLICATION));
      }
    }
    return leaves;
  }

  private static double median(double[] times) {
    Arrays.sort(times);
    return times[times.length / 2];
  }

  private static int walk(AccessibilityNodeInfo node) {
    read(node);
    int count = 1;
    for (int i = 0; i < node.getChildCount(); i++) {
      count += walk(node.getChild(i));
    }
    return count;
  }

  /** Everything that a flattened node asks for. */
  private static int read(AccessibilityNodeInfo node) {
    node.getBoundsInScreen(BOUNDS);
    int sum = node.getInputType() + node.getMaxTextLength() + node.getDrawingOrder() + node.hashCode()
        + one(node.getAvailableExtraData()) + one(node.getLabeledBy()) + one(node.getClassName())
        + one(node.getViewIdResourceName()) + one(node.getUniqueId()) + one(node.getText())
        + one(node.getContentDescription()) + one(node.getHintText()) + one(node.getStateDescription())
        + one(node.getPaneTitle()) + one(node.getExtras().getCharSequence(ROLE)) + one(node.getPackageName())
        + one(node.getTooltipText()) + one(node.getError()) + one(node.getCollectionItemInfo())
        + one(node.getCollectionInfo()) + one(node.getRangeInfo())
        + one(node.isEnabled()) + one(node.isVisibleToUser()) + one(node.isImportantForAccessibility())
        + one(node.isClickable()) + one(node.isLongClickable()) + one(node.isCheckable()) + one(node.isChecked())
        + one(node.isSelected()) + one(node.isFocusable()) + one(node.isFocused()) + one(node.isEditable())
        + one(node.isScrollable()) + one(node.isPassword()) + one(node.isHeading()) + one(node.isMultiLine())
        + one(node.isShowingHintText()) + one(node.isContentInvalid()) + one(node.isTextSelectable());
    for (AccessibilityNodeInfo.AccessibilityAction action : node.getActionList()) {
      sum += action.getId();
    }
    return sum;
  }

  private static int one(Object value) {
    return value == null ? 0 : 1;
  }

  private static int one(boolean flag) {
    return flag ? 1 : 0;
  }
}
