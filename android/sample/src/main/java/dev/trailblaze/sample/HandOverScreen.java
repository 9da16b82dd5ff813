package dev.trailblaze.sample;

import android.view.View;
import android.widget.TextView;

/** The form, which complains about each field. */
final class HandOverScreen extends Screen {
  private static final int PHONE_DIGITS = 6;

  private final Parcel parcel;

  HandOverScreen(MainActivity app, Parcel parcel) {
    super(app, R.layout.hand_over);
    this.parcel = parcel;
    say(R.id.subject, app.getString(R.string.address, parcel.code, parcel.name));
    listen(R.id.back, R.id.confirm);
    watch(R.id.recipient, R.id.recipient_error);
    watch(R.id.phone, R.id.phone_error);
    watch(R.id.boxes, R.id.boxes_error);
  }

  private void watch(int field, final int complaint) {
    ((TextView) find(field)).addTextChangedListener(new Typing() {
      @Override
      void changed(String text) {
        show(complaint, View.INVISIBLE);
      }
    });
  }

  @Override
  public void onClick(View clicked) {
    if (clicked.getId() == R.id.back) {
      back();
    } else if (!isAnythingWrong()) {
      app.show(new SavedScreen(app, parcel, typed(R.id.recipient)));
    }
  }

  /** Not short-circuited: every field has its say. */
  private boolean isAnythingWrong() {
    String digits = typed(R.id.phone).replaceAll("\\D", "");
    return complain(R.id.recipient_error, typed(R.id.recipient).trim().isEmpty(), R.string.bad_recipient)
        | complain(R.id.phone_error, digits.length() < PHONE_DIGITS, R.string.bad_phone)
        | complain(R.id.boxes_error, !typed(R.id.boxes).matches("[1-9]"), R.string.bad_boxes);
  }

  @Override
  void back() {
    app.show(new ParcelScreen(app, parcel));
  }
}
