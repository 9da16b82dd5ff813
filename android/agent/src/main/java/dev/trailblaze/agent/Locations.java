package dev.trailblaze.agent;

import android.content.Context;
import android.location.Criteria;
import android.location.Location;
import android.location.LocationManager;
import android.os.SystemClock;

/** Providers of locations that say what they are told. Each stands in for the real one until it is removed. */
final class Locations {
  private static final float ACCURACY_METERS = 1;

  private final Context context;

  Locations(Context context) {
    this.context = context;
  }

  void add(String name) {
    manager()
        .addTestProvider(
            name, false, false, false, false, true, true, true, Criteria.POWER_LOW, Criteria.ACCURACY_FINE);
    manager().setTestProviderEnabled(name, true);
  }

  /** The platform refuses a location without accuracy or time. */
  void set(String provider, double latitude, double longitude) {
    Location location = new Location(provider);
    location.setLatitude(latitude);
    location.setLongitude(longitude);
    location.setAccuracy(ACCURACY_METERS);
    location.setTime(System.currentTimeMillis());
    location.setElapsedRealtimeNanos(SystemClock.elapsedRealtimeNanos());
    manager().setTestProviderLocation(provider, location);
  }

  void remove(String name) {
    manager().removeTestProvider(name);
  }

  private LocationManager manager() {
    return (LocationManager) context.getSystemService(Context.LOCATION_SERVICE);
  }
}
