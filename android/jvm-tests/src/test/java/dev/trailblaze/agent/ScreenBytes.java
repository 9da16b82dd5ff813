package dev.trailblaze.agent;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/** Reads the binary screen form, independently of what wrote it. */
final class ScreenBytes {
  static final String[] PROPS = {
    "className", "resourceId", "uniqueId", "composeTestTag", "text", "contentDescription", "hintText", "labeledByText",
    "stateDescription", "paneTitle", "roleDescription", "packageName", "tooltipText", "error", "ref",
  };
  static final List<String> FLAGS = List.of(
      "isEnabled", "isVisibleToUser", "isImportantForAccessibility", "isClickable", "isLongClickable", "isCheckable",
      "isChecked", "isSelected", "isFocusable", "isFocused", "isEditable", "isScrollable", "isPassword", "isHeading",
      "isMultiLine", "isShowingHintText", "isContentInvalid", "isTextSelectable");

  static final class Node {
    int index;
    int parent;
    int flags;
    long id;
    int[] bounds;
    int inputType;
    int maxTextLength;
    int rare = -1;
    final String[] props = new String[PROPS.length];
    final List<String> actions = new ArrayList<>();

    boolean is(String flag) {
      return (flags & 1 << FLAGS.indexOf(flag)) != 0;
    }

    String prop(String name) {
      return props[List.of(PROPS).indexOf(name)];
    }

    /** The resource id without its package. */
    String name() {
      String id = prop("resourceId");
      return id == null ? "" : id.substring(id.indexOf('/') + 1);
    }

    String text() {
      return prop("text");
    }

    int x() {
      return (bounds[0] + bounds[2]) / 2;
    }

    int y() {
      return (bounds[1] + bounds[3]) / 2;
    }
  }

  /** The parts that are there: the numbers of item, collection and range. */
  record Rare(int[] item, int[] collection, double[] range) {}

  final int rotation;
  final int width;
  final int height;
  final long time;
  final List<int[]> windows = new ArrayList<>();
  final List<Node> nodes = new ArrayList<>();
  final List<Rare> rares = new ArrayList<>();

  ScreenBytes(ByteBuffer buffer) {
    ByteBuffer in = buffer.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    byte[] magic = new byte[4];
    in.get(magic);
    check(new String(magic, StandardCharsets.US_ASCII).equals("TBSC"), "magic");
    check(in.getShort() == 1, "version");
    rotation = in.get();
    check(in.get() == 0, "dialect");
    width = in.getInt();
    height = in.getInt();
    time = in.getLong();
    int windowCount = in.getInt();
    int nodeCount = in.getInt();
    int rareCount = in.getInt();
    int stringCount = in.getInt();
    for (int i = 0; i < windowCount; i++) {
      windows.add(new int[] {in.getInt(), in.getInt()});
    }
    List<int[]> strings = new ArrayList<>();
    for (int i = 0; i < nodeCount; i++) {
      nodes.add(node(in, i, strings));
    }
    for (int i = 0; i < rareCount; i++) {
      rares.add(rare(in));
    }
    String[] texts = new String[stringCount];
    for (int i = 0; i < stringCount; i++) {
      byte[] bytes = new byte[in.getInt()];
      in.get(bytes);
      texts[i] = new String(bytes, StandardCharsets.UTF_8);
    }
    check(!in.hasRemaining(), in.remaining() + " bytes left over");
    for (int[] use : strings) {
      Node node = nodes.get(use[0]);
      if (use[1] < 0) {
        node.actions.add(texts[use[2]]);
      } else {
        node.props[use[1]] = texts[use[2]];
      }
    }
  }

  /** @param strings gets node, property (or -1 for an action) and string */
  private static Node node(ByteBuffer in, int index, List<int[]> strings) {
    Node node = new Node();
    node.index = index;
    node.parent = in.getInt();
    int marked = in.getInt();
    node.flags = marked & 0x1fffffff;
    check(node.flags >>> FLAGS.size() == 0, "flags");
    int mask = in.getShort();
    int actions = in.getShort();
    node.id = in.getLong();
    if ((marked & 1 << 31) != 0) {
      node.bounds = new int[] {in.getInt(), in.getInt(), in.getInt(), in.getInt()};
    }
    if ((marked & 1 << 30) != 0) {
      node.inputType = in.getInt();
      node.maxTextLength = in.getInt();
      in.getInt();
    }
    if ((marked & 1 << 29) != 0) {
      node.rare = in.getInt();
    }
    for (int prop = 0; prop < PROPS.length; prop++) {
      if ((mask & 1 << prop) != 0) {
        strings.add(new int[] {index, prop, in.getInt()});
      }
    }
    for (int i = 0; i < actions; i++) {
      strings.add(new int[] {index, -1, in.getInt()});
    }
    return node;
  }

  private static Rare rare(ByteBuffer in) {
    int parts = in.getInt();
    int[] item = (parts & 1) == 0 ? null : ints(in, 5);
    int[] collection = (parts & 2) == 0 ? null : ints(in, 3);
    double[] range = (parts & 4) == 0
        ? null
        : new double[] {in.getInt(), in.getDouble(), in.getDouble(), in.getDouble()};
    return new Rare(item, collection, range);
  }

  private static int[] ints(ByteBuffer in, int count) {
    int[] ints = new int[count];
    for (int i = 0; i < count; i++) {
      ints[i] = in.getInt();
    }
    return ints;
  }

  private static void check(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }

  /** The only node of this kind; null when there is none. */
  private Node only(Predicate<Node> wanted, String what) {
    List<Node> found = nodes.stream().filter(wanted).toList();
    check(found.size() < 2, found.size() + " nodes with " + what);
    return found.isEmpty() ? null : found.get(0);
  }

  Node byId(String name) {
    return only(node -> node.name().equals(name), "id " + name);
  }

  Node byText(String text) {
    return only(node -> text.equals(node.text()), "text " + text);
  }

  @Override
  public String toString() {
    StringBuilder out = new StringBuilder();
    for (Node node : nodes) {
      out.append(node.index).append(" in ").append(node.parent).append(' ').append(node.prop("className"))
          .append(" #").append(node.name()).append(" '").append(node.text()).append("' ")
          .append(Arrays.toString(node.bounds)).append('\n');
    }
    return out.toString();
  }
}
