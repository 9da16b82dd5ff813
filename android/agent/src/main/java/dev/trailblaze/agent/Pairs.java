package dev.trailblaze.agent;

import android.os.Bundle;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** Keys and values in turn, which is how a map crosses to the library. */
final class Pairs {
  private Pairs() {}

  static Bundle bundle(String[] pairs) {
    Bundle bundle = new Bundle();
    for (int i = 0; i < pairs.length; i += 2) {
      bundle.putString(pairs[i], pairs[i + 1]);
    }
    return bundle;
  }

  @SuppressWarnings("deprecation")
  static String[] of(Bundle bundle) {
    List<String> pairs = new ArrayList<String>();
    for (String key : new TreeSet<String>(bundle.keySet())) {
      pairs.add(key);
      pairs.add(String.valueOf(bundle.get(key)));
    }
    return pairs.toArray(new String[0]);
  }
}
