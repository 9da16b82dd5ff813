package dev.trailblaze.sample;

import android.view.View;
import android.widget.ProgressBar;

/** Saving takes a second. */
final class SavedScreen extends Screen implements Runnable {
  private static final long FRAME_MS = 100;

  private final Parcel parcel;
  private final String recipient;

  SavedScreen(MainActivity app, Parcel parcel, String recipient) {
    super(app, R.layout.saved);
    this.parcel = parcel;
    this.recipient = recipient;
    listen(R.id.done);
    app.later.postDelayed(this, FRAME_MS);
  }

  @Override
  public void run() {
    ProgressBar progress = find(R.id.progress);
    progress.setProgress(progress.getProgress() + 1);
    if (progress.getProgress() < progress.getMax()) {
      app.later.postDelayed(this, FRAME_MS);
    } else {
      done();
    }
  }

  private void done() {
    parcel.status = Parcel.DELIVERED;
    app.round.save(parcel);
    say(R.id.title, app.getString(R.string.delivered));
    say(R.id.result, app.getString(R.string.result, parcel.code, recipient));
    show(R.id.result, View.VISIBLE);
    show(R.id.done, View.VISIBLE);
    app.toast(app.getString(R.string.saved));
  }

  @Override
  public void onClick(View clicked) {
    back();
  }

  @Override
  void back() {
    app.openTab(R.id.tab_parcels);
  }
}
