package dev.trailblaze.sample;

import android.text.Editable;
import android.text.TextWatcher;

/** Only the end of every change. */
abstract class Typing implements TextWatcher {
  abstract void changed(String text);

  @Override
  public final void afterTextChanged(Editable text) {
    changed(text.toString());
  }

  @Override
  public final void beforeTextChanged(CharSequence text, int start, int count, int after) {}

  @Override
  public final void onTextChanged(CharSequence text, int start, int before, int count) {}
}
