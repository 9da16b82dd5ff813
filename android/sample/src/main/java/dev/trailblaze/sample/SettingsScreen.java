package dev.trailblaze.sample;

import android.view.View;
import android.widget.CompoundButton;

/** Switches, a check box, and the way out. */
final class SettingsScreen extends Screen {
  SettingsScreen(MainActivity app) {
    super(app, R.layout.settings);
    tabs(R.id.tab_settings);
    say(R.id.account, app.getString(R.string.account, app.courier));
    box(R.id.vibrate).setChecked(app.vibrate);
    box(R.id.big_map).setChecked(app.bigMap);
    box(R.id.stay).setChecked(app.isRemembered());
    listen(R.id.notifications, R.id.vibrate, R.id.big_map, R.id.stay, R.id.sign_out);
    refresh();
  }

  private CompoundButton box(int id) {
    return find(id);
  }

  void refresh() {
    boolean on = app.isNotifying();
    box(R.id.notifications).setChecked(on);
    say(R.id.notifications_state,
        app.getString(on ? R.string.notifications_on : R.string.notifications_off));
  }

  @Override
  public void onClick(View clicked) {
    int id = clicked.getId();
    if (id == R.id.sign_out) {
      askSignOut();
    } else if (id == R.id.notifications) {
      notifications(box(id).isChecked());
    } else {
      app.vibrate = box(R.id.vibrate).isChecked();
      app.bigMap = box(R.id.big_map).isChecked();
      app.remember(box(R.id.stay).isChecked());
    }
  }

  private void notifications(boolean wanted) {
    if (wanted) {
      refresh();
      app.askForNotifications();
    } else {
      app.setNotifying(false);
    }
  }

  private void askSignOut() {
    app.ask(R.string.sign_out_title, app.getString(R.string.sign_out_message), R.string.sign_out_yes,
        new Runnable() {
          @Override
          public void run() {
            app.signOut();
          }
        });
  }

  @Override
  void back() {
    app.openTab(R.id.tab_parcels);
  }
}
