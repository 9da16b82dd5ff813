package dev.trailblaze.agent;

/**
 * Makes a mistake of {@code control.c}: {@code java -Xcheck:jni -Dcontrol=LIBRARY … Control MISTAKE}. The checks that the
 * library has to pass must complain here.
 */
public final class Control {
  private static final int LEAKS = 100_000;

  private Control() {}

  static native void pending();

  static native void locals();

  static native void deleted();

  static native void leak();

  public static void main(String[] arguments) throws Exception {
    System.load(System.getProperty("control"));
    switch (arguments[0]) {
      case "pending":
        pending();
        break;
      case "locals":
        locals();
        break;
      case "deleted":
        deleted();
        break;
      case "leak":
        Gauge before = Gauge.read();
        for (int done = 0; done < LEAKS; done++) {
          leak();
        }
        System.out.println("upcalls=" + LEAKS + " " + before.growth());
        break;
      default:
        throw new IllegalArgumentException(arguments[0]);
    }
  }
}
