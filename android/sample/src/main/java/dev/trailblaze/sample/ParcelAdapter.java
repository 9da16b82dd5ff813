package dev.trailblaze.sample;

import android.view.View;
import android.view.ViewGroup;
import android.widget.BaseAdapter;
import android.widget.TextView;
import java.util.ArrayList;
import java.util.List;

/** The rows of the list. */
final class ParcelAdapter extends BaseAdapter {
  private final MainActivity app;
  private List<Parcel> parcels = new ArrayList<Parcel>();

  ParcelAdapter(MainActivity app) {
    this.app = app;
  }

  void show(List<Parcel> parcels) {
    this.parcels = parcels;
    notifyDataSetChanged();
  }

  @Override
  public int getCount() {
    return parcels.size();
  }

  @Override
  public Parcel getItem(int position) {
    return parcels.get(position);
  }

  @Override
  public long getItemId(int position) {
    return position;
  }

  @Override
  public View getView(int position, View old, ViewGroup parent) {
    View row = old == null ? app.getLayoutInflater().inflate(R.layout.parcel_row, parent, false) : old;
    Parcel parcel = parcels.get(position);
    say(row, R.id.parcel_name, parcel.name);
    say(row, R.id.parcel_address, app.getString(R.string.address, parcel.code, parcel.street));
    say(row, R.id.parcel_due, parcel.due);
    int status = status(parcel);
    row.findViewById(R.id.parcel_status).setVisibility(status == 0 ? View.GONE : View.VISIBLE);
    say(row, R.id.parcel_status, status == 0 ? "" : app.getString(status));
    return row;
  }

  /** A string, 0 when there is nothing to say. */
  private static int status(Parcel parcel) {
    switch (parcel.status) {
      case Parcel.DELIVERED:
        return R.string.delivered;
      case Parcel.CARD_LEFT:
        return R.string.card_left;
      default:
        return parcel.pinned ? R.string.pinned : 0;
    }
  }

  private static void say(View row, int id, String text) {
    ((TextView) row.findViewById(id)).setText(text);
  }
}
