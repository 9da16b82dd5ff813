package dev.trailblaze.sample;

import android.app.Dialog;
import android.view.MotionEvent;
import android.view.View;
import android.widget.AdapterView;
import android.widget.ListView;
import android.widget.TextView;

/** The list: searching, a menu for each row, pulling it down, a tip that can be swiped away. */
final class ParcelsScreen extends Screen {
  private static final long REFRESH_MS = 600;
  private static final int PULL_DP = 50;

  private final ParcelAdapter rows;
  private final ListView list;
  private float downX;
  private float downY;
  private boolean onTip;
  private boolean atTop;

  ParcelsScreen(MainActivity app) {
    super(app, R.layout.parcels);
    tabs(R.id.tab_parcels);
    rows = new ParcelAdapter(app);
    list = find(R.id.parcel_list);
    list.setAdapter(rows);
    list.setOnItemClickListener(new AdapterView.OnItemClickListener() {
      @Override
      public void onItemClick(AdapterView<?> parent, View row, int position, long id) {
        ParcelsScreen.this.app.show(new ParcelScreen(ParcelsScreen.this.app, rows.getItem(position)));
      }
    });
    list.setOnItemLongClickListener(new AdapterView.OnItemLongClickListener() {
      @Override
      public boolean onItemLongClick(AdapterView<?> parent, View row, int position, long id) {
        menu(rows.getItem(position));
        return true;
      }
    });
    ((TextView) find(R.id.search)).addTextChangedListener(new Typing() {
      @Override
      void changed(String text) {
        refresh();
      }
    });
    listen(R.id.search_clear);
    show(R.id.tip, app.tip ? View.VISIBLE : View.GONE);
    refresh();
  }

  private void refresh() {
    String query = typed(R.id.search);
    int all = app.round.parcels.size();
    rows.show(app.round.search(query));
    boolean everything = query.isEmpty();
    say(R.id.count, everything
        ? app.getString(R.string.count_all, all)
        : app.getString(R.string.count_some, rows.getCount(), all));
    show(R.id.search_clear, everything ? View.GONE : View.VISIBLE);
    show(R.id.empty, rows.getCount() == 0 ? View.VISIBLE : View.GONE);
  }

  @Override
  public void onClick(View clicked) {
    say(R.id.search, "");
    find(R.id.search).requestFocus();
  }

  private void menu(final Parcel parcel) {
    Dialog menu = app.dialog(R.layout.dialog_menu);
    ((TextView) menu.findViewById(R.id.menu_pin)).setText(parcel.pinned ? R.string.unpin : R.string.pin);
    app.answer(menu, R.id.menu_pin, new Runnable() {
      @Override
      public void run() {
        parcel.pinned = !parcel.pinned;
        app.round.save(parcel);
        refresh();
        list.setSelection(0);
      }
    });
    app.answer(menu, R.id.menu_absent, new Runnable() {
      @Override
      public void run() {
        app.askAbsent(parcel, new Runnable() {
          @Override
          public void run() {
            refresh();
          }
        });
      }
    });
    app.answer(menu, R.id.menu_share, new Runnable() {
      @Override
      public void run() {
        app.toast(app.getString(R.string.shared, parcel.code));
      }
    });
    menu.show();
  }

  /** Only watches: what was swiped is known when the finger is lifted. */
  @Override
  boolean onTouch(MotionEvent event) {
    float pull = PULL_DP * app.getResources().getDisplayMetrics().density;
    if (event.getActionMasked() == MotionEvent.ACTION_DOWN) {
      downX = event.getRawX();
      downY = event.getRawY();
      View tip = find(R.id.tip);
      onTip = app.tip && downY >= tip.getTop() && downY <= tip.getBottom();
      atTop = list.getChildCount() > 0 && list.getFirstVisiblePosition() == 0
          && list.getChildAt(0).getTop() == 0 && downY > tip.getBottom();
    } else if (event.getActionMasked() == MotionEvent.ACTION_UP) {
      if (onTip && Math.abs(event.getRawX() - downX) > pull) {
        app.tip = false;
        show(R.id.tip, View.GONE);
      } else if (atTop && event.getRawY() - downY > pull) {
        update();
      }
    }
    return false;
  }

  private void update() {
    app.later.postDelayed(new Runnable() {
      @Override
      public void run() {
        show(R.id.updated, View.VISIBLE);
      }
    }, REFRESH_MS);
  }

  @Override
  void back() {
    if (typed(R.id.search).isEmpty()) {
      app.finish();
    } else {
      say(R.id.search, "");
    }
  }
}
