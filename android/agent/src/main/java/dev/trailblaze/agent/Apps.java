package dev.trailblaze.agent;

import android.content.ActivityNotFoundException;
import android.content.Context;
import android.content.Intent;
import android.content.pm.PackageInfo;
import android.net.Uri;
import java.util.List;

/** Other apps on the phone. */
final class Apps {
  private final Context context;

  Apps(Context context) {
    this.context = context;
  }

  boolean launch(String appId, String[] extras) {
    Intent intent = context.getPackageManager().getLaunchIntentForPackage(appId);
    if (intent == null) {
      return false;
    }
    for (int i = 0; i < extras.length; i += 3) {
      extra(intent, extras[i], extras[i + 1], extras[i + 2]);
    }
    context.startActivity(intent.addFlags(Intent.FLAG_ACTIVITY_NEW_TASK));
    return true;
  }

  private static void extra(Intent intent, String key, String type, String value) {
    switch (type) {
      case "b":
        intent.putExtra(key, Boolean.parseBoolean(value));
        break;
      case "i":
        intent.putExtra(key, Integer.parseInt(value));
        break;
      case "l":
        intent.putExtra(key, Long.parseLong(value));
        break;
      case "d":
        intent.putExtra(key, Double.parseDouble(value));
        break;
      default:
        intent.putExtra(key, value);
    }
  }

  boolean open(String link) {
    try {
      context.startActivity(
          new Intent(Intent.ACTION_VIEW, Uri.parse(link)).addFlags(Intent.FLAG_ACTIVITY_NEW_TASK));
      return true;
    } catch (ActivityNotFoundException nobody) {
      return false;
    }
  }

  String[] installed() {
    List<PackageInfo> packages = context.getPackageManager().getInstalledPackages(0);
    String[] names = new String[packages.size()];
    for (int i = 0; i < names.length; i++) {
      names[i] = packages.get(i).packageName;
    }
    return names;
  }
}
