package dev.trailblaze.sample;

import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;
import android.content.IntentFilter;
import android.os.Build;

/** What reaches the app from outside: flight mode, and parcels that the depot sends. */
final class Outside extends BroadcastReceiver {
  private static final String NEW_PARCEL = "com.example.parcel.NEW_PARCEL";

  private final MainActivity app;

  Outside(MainActivity app) {
    this.app = app;
  }

  void listen() {
    IntentFilter filter = new IntentFilter(NEW_PARCEL);
    filter.addAction(Intent.ACTION_AIRPLANE_MODE_CHANGED);
    if (Build.VERSION.SDK_INT >= 33) {
      app.registerReceiver(this, filter, Context.RECEIVER_EXPORTED);
    } else {
      app.registerReceiver(this, filter);
    }
  }

  @Override
  public void onReceive(Context context, Intent intent) {
    if (NEW_PARCEL.equals(intent.getAction())) {
      app.round.add(intent.getStringExtra("name"), app.getString(R.string.depot));
    } else {
      app.setOnline(!intent.getBooleanExtra("state", false));
    }
  }
}
