package dev.trailblaze.sample;

import android.view.GestureDetector;
import android.view.MotionEvent;
import android.view.View;

/** The details: a photo to enlarge and to keep, swiping to the next parcel. */
final class ParcelScreen extends Screen {
  private static final int SWIPE_DP = 60;
  private static final int[] STATUS = {R.string.to_deliver, R.string.delivered, R.string.card_left};

  private final Parcel parcel;
  private int zoom = 1;
  private float downX;
  private float downY;

  ParcelScreen(MainActivity app, Parcel parcel) {
    super(app, R.layout.parcel);
    this.parcel = parcel;
    listen(R.id.back, R.id.call, R.id.hand_over, R.id.absent);
    watchPhoto();
    refresh();
  }

  private void watchPhoto() {
    final GestureDetector taps = new GestureDetector(app, new GestureDetector.SimpleOnGestureListener() {
      @Override
      public boolean onDoubleTap(MotionEvent event) {
        zoom = 3 - zoom;
        refresh();
        return true;
      }
    });
    View photo = find(R.id.photo);
    photo.setOnTouchListener(new View.OnTouchListener() {
      @Override
      public boolean onTouch(View touched, MotionEvent event) {
        taps.onTouchEvent(event);
        return false;
      }
    });
    photo.setOnLongClickListener(new View.OnLongClickListener() {
      @Override
      public boolean onLongClick(View pressed) {
        app.toast(app.getString(R.string.photo_saved));
        return true;
      }
    });
  }

  private void refresh() {
    boolean open = parcel.status == Parcel.TO_DELIVER;
    int place = app.round.parcels.indexOf(parcel) + 1;
    say(R.id.title, parcel.code);
    say(R.id.zoom, app.getString(R.string.zoom, zoom));
    say(R.id.name, parcel.name);
    say(R.id.street, parcel.street);
    say(R.id.due, app.getString(R.string.due, parcel.due));
    say(R.id.status, app.getString(STATUS[parcel.status]));
    say(R.id.position, app.getString(R.string.position, place, app.round.parcels.size()));
    find(R.id.hand_over).setEnabled(open);
    find(R.id.absent).setEnabled(open);
  }

  @Override
  public void onClick(View clicked) {
    int id = clicked.getId();
    if (id == R.id.back) {
      back();
    } else if (id == R.id.call) {
      app.toast(app.getString(R.string.calling, parcel.name));
    } else if (id == R.id.hand_over) {
      app.show(new HandOverScreen(app, parcel));
    } else {
      app.askAbsent(parcel, new Runnable() {
        @Override
        public void run() {
          refresh();
        }
      });
    }
  }

  @Override
  boolean onTouch(MotionEvent event) {
    if (event.getActionMasked() == MotionEvent.ACTION_DOWN) {
      downX = event.getRawX();
      downY = event.getRawY();
    }
    return event.getActionMasked() == MotionEvent.ACTION_UP
        && isSwipe(event.getRawX() - downX, event.getRawY() - downY)
        && showNext(event.getRawX() < downX ? 1 : -1);
  }

  private boolean isSwipe(float dx, float dy) {
    float least = SWIPE_DP * app.getResources().getDisplayMetrics().density;
    return Math.abs(dx) > least && Math.abs(dx) > 2 * Math.abs(dy);
  }

  private boolean showNext(int step) {
    int next = app.round.parcels.indexOf(parcel) + step;
    if (next >= 0 && next < app.round.parcels.size()) {
      app.show(new ParcelScreen(app, app.round.parcels.get(next)));
    }
    return true;
  }

  @Override
  void back() {
    app.openTab(R.id.tab_parcels);
  }
}
