package dev.trailblaze.sample;

import android.Manifest;
import android.app.Activity;
import android.app.Dialog;
import android.content.Intent;
import android.content.SharedPreferences;
import android.content.pm.PackageManager;
import android.net.Uri;
import android.os.Bundle;
import android.os.Handler;
import android.os.Looper;
import android.view.MotionEvent;
import android.view.View;
import android.view.Window;
import android.widget.TextView;
import android.widget.Toast;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parcel, an app for couriers: the only activity, which shows one screen at a time. */
public final class MainActivity extends Activity {
  private static final Pattern CODE = Pattern.compile("P-\\d{4}");

  final Handler later = new Handler(Looper.getMainLooper());
  SharedPreferences saved;
  Round round;
  String courier;
  boolean tip = true;
  boolean vibrate = true;
  boolean bigMap;
  RouteScreen route;
  private final Outside outside = new Outside(this);
  private boolean online = true;
  private Uri link;
  private Screen screen;

  @Override
  protected void onCreate(Bundle state) {
    super.onCreate(state);
    saved = getSharedPreferences("parcel", MODE_PRIVATE);
    round = new Round(saved);
    courier = saved.getString("courier", null);
    if (courier == null) {
      show(new SignInScreen(this));
    } else {
      show(new ParcelsScreen(this));
    }
    outside.listen();
    follow(getIntent());
  }

  @Override
  protected void onNewIntent(Intent intent) {
    super.onNewIntent(intent);
    follow(intent);
  }

  @Override
  protected void onDestroy() {
    later.removeCallbacksAndMessages(null);
    unregisterReceiver(outside);
    super.onDestroy();
  }

  @Override
  @SuppressWarnings("deprecation")
  public void onBackPressed() {
    screen.back();
  }

  @Override
  public boolean dispatchTouchEvent(MotionEvent event) {
    if (screen.onTouch(event)) {
      event.setAction(MotionEvent.ACTION_CANCEL);
    }
    return super.dispatchTouchEvent(event);
  }

  void show(Screen next) {
    screen = next;
    setContentView(next.view);
    showOnline();
  }

  void setOnline(boolean online) {
    this.online = online;
    showOnline();
  }

  /** Screens with tabs have a bar for it. */
  private void showOnline() {
    View bar = findViewById(R.id.offline);
    if (bar != null) {
      bar.setVisibility(online ? View.GONE : View.VISIBLE);
    }
  }

  void openTab(int tab) {
    if (tab == R.id.tab_route) {
      route = route == null ? new RouteScreen(this) : route;
      show(route);
    } else if (tab == R.id.tab_settings) {
      show(new SettingsScreen(this));
    } else {
      show(new ParcelsScreen(this));
    }
  }

  void toast(String text) {
    Toast.makeText(this, text, Toast.LENGTH_SHORT).show();
  }

  // Links

  private void follow(Intent intent) {
    if (intent.getData() == null) {
      return;
    }
    if (courier == null) {
      link = intent.getData();
      return;
    }
    Matcher code = CODE.matcher(intent.getData().toString());
    Parcel parcel = code.find() ? round.find(code.group()) : null;
    if (parcel != null) {
      show(new ParcelScreen(this, parcel));
    } else if ("/settings".equals(intent.getData().getPath())) {
      show(new SettingsScreen(this));
    }
  }

  // Who is signed in

  void signIn(String email, boolean remember) {
    courier = email;
    remember(remember);
    show(new ParcelsScreen(this));
    if (link != null) {
      follow(new Intent().setData(link));
      link = null;
    }
    if (!saved.contains("notifications") && !isPermissionGranted()) {
      askForNotifications();
    }
  }

  void signOut() {
    courier = null;
    route = null;
    remember(false);
    show(new SignInScreen(this));
  }

  boolean isRemembered() {
    return saved.contains("courier");
  }

  void remember(boolean on) {
    if (on) {
      saved.edit().putString("courier", courier).apply();
    } else {
      saved.edit().remove("courier").apply();
    }
  }

  // Notifications

  private boolean isPermissionGranted() {
    return checkSelfPermission(Manifest.permission.POST_NOTIFICATIONS) == PackageManager.PERMISSION_GRANTED;
  }

  boolean isNotifying() {
    return saved.getBoolean("notifications", isPermissionGranted());
  }

  void setNotifying(boolean on) {
    saved.edit().putBoolean("notifications", on).apply();
    if (screen instanceof SettingsScreen) {
      ((SettingsScreen) screen).refresh();
    }
  }

  void askForNotifications() {
    final Dialog dialog = dialog(R.layout.dialog_permission);
    ask(dialog, R.string.permission_title, getString(R.string.permission_message));
    dialog.setCancelable(false);
    answer(dialog, R.id.allow, new Runnable() {
      @Override
      public void run() {
        setNotifying(true);
      }
    });
    answer(dialog, R.id.dont_allow, new Runnable() {
      @Override
      public void run() {
        setNotifying(false);
      }
    });
    dialog.show();
  }

  // Dialogs

  Dialog dialog(int layout) {
    Dialog dialog = new Dialog(this);
    dialog.requestWindowFeature(Window.FEATURE_NO_TITLE);
    dialog.setContentView(layout);
    return dialog;
  }

  /** A question with "yes" and "cancel". */
  void ask(int title, String message, int yes, Runnable action) {
    Dialog dialog = dialog(R.layout.dialog_question);
    ask(dialog, title, message);
    ((TextView) dialog.findViewById(R.id.yes)).setText(yes);
    answer(dialog, R.id.yes, action);
    answer(dialog, R.id.cancel, null);
    dialog.show();
  }

  void askAbsent(final Parcel parcel, final Runnable then) {
    ask(R.string.card_title, getString(R.string.card_message, parcel.name), R.string.card_yes, new Runnable() {
      @Override
      public void run() {
        parcel.status = Parcel.CARD_LEFT;
        round.save(parcel);
        then.run();
      }
    });
  }

  private void ask(Dialog dialog, int title, String message) {
    dialog.setTitle(title);
    ((TextView) dialog.findViewById(R.id.dialog_title)).setText(title);
    ((TextView) dialog.findViewById(R.id.dialog_message)).setText(message);
  }

  void answer(final Dialog dialog, int button, final Runnable action) {
    dialog.findViewById(button).setOnClickListener(new View.OnClickListener() {
      @Override
      public void onClick(View clicked) {
        dialog.dismiss();
        if (action != null) {
          action.run();
        }
      }
    });
  }
}
