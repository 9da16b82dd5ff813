package dev.trailblaze.sample;

import android.view.MotionEvent;
import android.view.View;
import android.widget.LinearLayout;
import android.widget.ProgressBar;
import android.widget.TextView;
import java.util.List;

/** Planning takes three seconds; a slider starts the tour. */
final class RouteScreen extends Screen implements Runnable, View.OnTouchListener {
  private static final long FRAME_MS = 200;
  private static final int FRAMES = 15;
  private static final int SLIDE_DP = 200;
  private static final int STOPS = 4;

  private int frame;
  private float downX = Float.NaN;

  RouteScreen(MainActivity app) {
    super(app, R.layout.route);
    tabs(R.id.tab_route);
    find(R.id.slider).setOnTouchListener(this);
    app.later.postDelayed(this, FRAME_MS);
  }

  @Override
  public void run() {
    ProgressBar spinner = find(R.id.spinner);
    spinner.setProgress(++frame % (spinner.getMax() + 1));
    if (frame < FRAMES) {
      app.later.postDelayed(this, FRAME_MS);
    } else {
      ready();
    }
  }

  private void ready() {
    List<Parcel> stops = app.round.toDeliver();
    say(R.id.summary, app.getString(R.string.summary, stops.size()));
    LinearLayout list = find(R.id.stops);
    for (Parcel stop : stops.subList(0, Math.min(STOPS, stops.size()))) {
      TextView line = new TextView(app, null, 0, R.style.Row_Text);
      line.setText(app.getString(R.string.address, stop.due + "  " + stop.name, stop.street));
      list.addView(line);
    }
    show(R.id.waiting, View.GONE);
    show(R.id.planned, View.VISIBLE);
    show(R.id.slider, View.VISIBLE);
  }

  @Override
  public boolean onTouch(View slider, MotionEvent event) {
    float least = SLIDE_DP * app.getResources().getDisplayMetrics().density;
    if (event.getActionMasked() == MotionEvent.ACTION_DOWN) {
      downX = event.getX() <= find(R.id.knob).getRight() ? event.getX() : Float.NaN;
    } else if (event.getActionMasked() == MotionEvent.ACTION_UP && event.getX() - downX > least) {
      say(R.id.headline, app.getString(R.string.tour_started));
      show(R.id.slider, View.GONE);
    }
    return true;
  }

  @Override
  void back() {
    app.openTab(R.id.tab_parcels);
  }
}
