package androidx.test.internal.platform.util;

/** Would write the states of all threads into a file. */
public final class TestOutputEmitter {
  private TestOutputEmitter() {}

  public static void dumpThreadStates(String file) {}
}
