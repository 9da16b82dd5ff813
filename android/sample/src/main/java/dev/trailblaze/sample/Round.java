package dev.trailblaze.sample;

import android.content.SharedPreferences;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The parcels of today. What became of them survives a restart. */
final class Round {
  private static final String[][] STOPS = {
    {"Ada Bauer", "3 Station Road"},
    {"Ben Carter", "18 Station Road"},
    {"Chloe Diaz", "5 Mill Lane"},
    {"Dario Esposito", "9 Mill Lane"},
    {"Emma Fischer", "31 Harbour Street"},
    {"Farid Ghani", "40 Harbour Street"},
    {"Grace Hughes", "2 Garden Square"},
    {"Hiro Ito", "7 Garden Square"},
    {"Ines Jansen", "11 Garden Square"},
    {"Jonas Keller", "64 Long Acre"},
    {"Kira Lund", "70 Long Acre"},
    {"Liam Moreau", "1 Bridge Street"},
    {"Mona Novak", "15 Bridge Street"},
    {"Noah Okafor", "22 Bridge Street"},
    {"Olga Petrova", "14 Mill Lane"},
    {"Pia Quist", "8 Church Hill"},
    {"Quentin Roy", "12 Church Hill"},
    {"Rosa Silva", "6 Market Place"},
    {"Samir Tahan", "10 Market Place"},
    {"Tess Unger", "27 Park Row"},
    {"Ugo Valli", "29 Park Row"},
    {"Vera Weiss", "33 Park Row"},
    {"Will Xu", "4 Tower Court"},
    {"Yara Zeman", "16 Tower Court"},
  };

  final List<Parcel> parcels = new ArrayList<Parcel>();
  private final SharedPreferences saved;

  Round(SharedPreferences saved) {
    this.saved = saved;
    for (String[] stop : STOPS) {
      Parcel parcel = new Parcel(parcels.size(), stop[0], stop[1]);
      parcel.status = saved.getInt(parcel.code, Parcel.TO_DELIVER);
      parcel.pinned = saved.getBoolean(parcel.code + ".pinned", false);
      parcels.add(parcel);
    }
  }

  /** One more, until the app ends. */
  void add(String name, String street) {
    parcels.add(new Parcel(parcels.size(), name, street));
  }

  void save(Parcel parcel) {
    saved.edit()
        .putInt(parcel.code, parcel.status)
        .putBoolean(parcel.code + ".pinned", parcel.pinned)
        .apply();
  }

  /** Null when there is none. */
  Parcel find(String code) {
    for (Parcel parcel : parcels) {
      if (parcel.code.equals(code)) {
        return parcel;
      }
    }
    return null;
  }

  List<Parcel> toDeliver() {
    List<Parcel> left = new ArrayList<Parcel>();
    for (Parcel parcel : parcels) {
      if (parcel.status == Parcel.TO_DELIVER) {
        left.add(parcel);
      }
    }
    return left;
  }

  /** Pinned ones first. */
  List<Parcel> search(String typed) {
    String query = typed.trim().toLowerCase(Locale.ROOT);
    List<Parcel> pinned = new ArrayList<Parcel>();
    List<Parcel> others = new ArrayList<Parcel>();
    for (Parcel parcel : parcels) {
      if (parcel.matches(query)) {
        (parcel.pinned ? pinned : others).add(parcel);
      }
    }
    pinned.addAll(others);
    return pinned;
  }
}
