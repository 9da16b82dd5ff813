package dev.trailblaze.sample;

import java.util.Locale;

/** One parcel of the round. */
final class Parcel {
  /** Of {@link #status}; the numbers are saved. */
  static final int TO_DELIVER = 0;
  static final int DELIVERED = 1;
  static final int CARD_LEFT = 2;

  final String code;
  final String name;
  final String street;
  final String due;
  int status = TO_DELIVER;
  boolean pinned;

  Parcel(int index, String name, String street) {
    this.code = "P-" + (1001 + index);
    this.name = name;
    this.street = street;
    this.due = String.format(Locale.ROOT, "%02d:%02d", 9 + index / 4, index % 4 * 15);
  }

  boolean matches(String query) {
    return (code + " " + name + " " + street).toLowerCase(Locale.ROOT).contains(query);
  }
}
