package dev.trailblaze.sample;

import android.view.KeyEvent;
import android.view.View;
import android.widget.Button;
import android.widget.CheckBox;
import android.widget.TextView;
import java.util.regex.Pattern;

/** Any address will do; there is one password. */
final class SignInScreen extends Screen {
  private static final Pattern EMAIL = Pattern.compile("\\S+@\\S+\\.\\S+");
  private static final String PASSWORD = "on-time-7";
  private static final long ANSWER_MS = 800;

  private final Button signIn;
  private boolean busy;

  SignInScreen(MainActivity app) {
    super(app, R.layout.sign_in);
    signIn = find(R.id.sign_in);
    watch(R.id.email, R.id.email_error);
    watch(R.id.password, R.id.password_error);
    listen(R.id.sign_in, R.id.forgot);
    ((TextView) find(R.id.password)).setOnEditorActionListener(new TextView.OnEditorActionListener() {
      @Override
      public boolean onEditorAction(TextView field, int action, KeyEvent event) {
        return signIn.isEnabled() && signIn.performClick();
      }
    });
  }

  private void watch(int field, final int complaint) {
    ((TextView) find(field)).addTextChangedListener(new Typing() {
      @Override
      void changed(String text) {
        show(complaint, View.INVISIBLE);
        refresh();
      }
    });
  }

  private void refresh() {
    boolean filled = !typed(R.id.email).isEmpty() && !typed(R.id.password).isEmpty();
    signIn.setEnabled(filled && !busy);
    signIn.setText(busy ? R.string.signing_in : R.string.sign_in);
  }

  @Override
  public void onClick(View clicked) {
    boolean wrong = !EMAIL.matcher(typed(R.id.email)).matches();
    if (complain(R.id.email_error, wrong, R.string.bad_email)) {
      return;
    }
    if (clicked == signIn) {
      ask();
    } else {
      app.toast(app.getString(R.string.link_sent, typed(R.id.email)));
    }
  }

  private void ask() {
    busy = true;
    refresh();
    app.later.postDelayed(new Runnable() {
      @Override
      public void run() {
        busy = false;
        refresh();
        if (!complain(R.id.password_error, !typed(R.id.password).equals(PASSWORD), R.string.no_match)) {
          app.signIn(typed(R.id.email), ((CheckBox) find(R.id.remember)).isChecked());
        }
      }
    }, ANSWER_MS);
  }

  @Override
  void back() {
    app.finish();
  }
}
