package dev.trailblaze.sample;

import android.view.MotionEvent;
import android.view.View;
import android.widget.TextView;

/** One screen of the app: a layout and what happens on it. */
abstract class Screen implements View.OnClickListener {
  final MainActivity app;
  final View view;

  Screen(MainActivity app, int layout) {
    this.app = app;
    view = app.getLayoutInflater().inflate(layout, null);
  }

  /** When the back key is pressed. */
  abstract void back();

  /** A touch before the views get it; true takes it away from them. */
  boolean onTouch(MotionEvent event) {
    return false;
  }

  @Override
  public void onClick(View clicked) {}

  final void listen(int... ids) {
    for (int id : ids) {
      view.findViewById(id).setOnClickListener(this);
    }
  }

  final void tabs(int selected) {
    view.findViewById(selected).setSelected(true);
    listenTab(R.id.tab_parcels);
    listenTab(R.id.tab_route);
    listenTab(R.id.tab_settings);
  }

  private void listenTab(final int tab) {
    view.findViewById(tab).setOnClickListener(new View.OnClickListener() {
      @Override
      public void onClick(View clicked) {
        app.openTab(tab);
      }
    });
  }

  @SuppressWarnings("unchecked")
  final <V extends View> V find(int id) {
    return (V) view.findViewById(id);
  }

  final void say(int id, CharSequence text) {
    ((TextView) view.findViewById(id)).setText(text);
  }

  final void show(int id, int visibility) {
    view.findViewById(id).setVisibility(visibility);
  }

  final String typed(int field) {
    return ((TextView) view.findViewById(field)).getText().toString();
  }

  /** Shows a complaint under a field, or takes it away. */
  final boolean complain(int field, boolean wrong, int complaint) {
    if (wrong) {
      say(field, app.getString(complaint));
    }
    show(field, wrong ? View.VISIBLE : View.INVISIBLE);
    return wrong;
  }
}
