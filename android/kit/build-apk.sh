#!/usr/bin/env bash
# build-apk.sh APP JNILIBS OUT.apk: packs, aligns, signs and verifies an APK.
#   APP/AndroidManifest.xml   required
#   APP/src/main/java/        Java 8 sources, compiled against API 34 and dexed
#   APP/res/, APP/assets/     optional
#   JNILIBS/<abi>/*.so        as "cargo ndk -o JNILIBS" leaves them; stripped and checked on the way
# APK_ASSETS is a folder whose content comes into the assets as well, such as one with 'trailblaze/'.
# APK_KEYSTORE, APK_STOREPASS and APK_ALIAS choose a key; without them a throw-away key in $ANDROID_KIT is used.
set -euo pipefail
shopt -s nullglob

kit=$(cd "$(dirname "$0")" && pwd)
: "${ANDROID_KIT:?source env.sh of the cache first}"
[ $# = 3 ] || { sed -n '2,8s/^# \?//p' "$0" >&2; exit 2; }
app=$1 libs=$2 out=$3
MIN_API=26 TARGET_API=34
jar=$ANDROID_KIT/sdk/android.jar
strip=$ANDROID_NDK_HOME/toolchains/llvm/prebuilt/linux-x86_64/bin/llvm-strip
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/classes" "$tmp/stage" "$(dirname "$out")"

# manifest and resources
link=(aapt2 link -I "$jar" --manifest "$app/AndroidManifest.xml" -o "$tmp/base.apk"
  --min-sdk-version "$MIN_API" --target-sdk-version "$TARGET_API")
if [ -d "$app/res" ]; then
  aapt2 compile --dir "$app/res" -o "$tmp/res.zip"
  link+=("$tmp/res.zip" --java "$tmp/gen")
fi
"${link[@]}" 2> >(grep -v "Unknown chunk type" >&2) # aapt2 10 passes over one chunk of API 34's table

# code
mapfile -t -d '' sources < <(find "$app/src/main/java" "$tmp/gen" -name '*.java' -print0 2>/dev/null)
if [ ${#sources[@]} -gt 0 ]; then
  javac -nowarn -Xlint:-options -encoding UTF-8 --release 8 -cp "$jar" -d "$tmp/classes" "${sources[@]}"
  java -cp "$ANDROID_KIT/sdk/dx.jar" com.android.dx.command.Main --dex --min-sdk-version=$MIN_API \
    --output="$tmp/stage/classes.dex" "$tmp/classes"
fi

# libraries and assets
for so in "$libs"/*/*.so; do
  abi=$(basename "$(dirname "$so")")
  mkdir -p "$tmp/stage/lib/$abi"
  "$strip" --strip-unneeded -o "$tmp/stage/lib/$abi/$(basename "$so")" "$so"
done
stripped=("$tmp"/stage/lib/*/*.so)
[ ${#stripped[@]} = 0 ] || "$kit/check-so.py" "${stripped[@]}"
for assets in "$app/assets" "${APK_ASSETS:-}"; do
  [ -z "$assets" ] || [ ! -d "$assets" ] || { mkdir -p "$tmp/stage/assets" && cp -r "$assets/." "$tmp/stage/assets"; }
done
"$kit/pack-apk.py" "$tmp/packed.apk" "$tmp/base.apk" "$tmp/stage"

# signature
key=${APK_KEYSTORE:-$ANDROID_KIT/debug.jks} pass=${APK_STOREPASS:-android} alias=${APK_ALIAS:-debug}
[ -f "$key" ] || keytool -genkeypair -keystore "$key" -storepass "$pass" -alias "$alias" \
  -dname CN=debug -keyalg RSA -keysize 2048 -validity 10000 >/dev/null 2>&1
APK_PASS=$pass apksigner sign --ks "$key" --ks-pass env:APK_PASS --ks-key-alias "$alias" \
  --min-sdk-version $MIN_API --v1-signing-enabled false --v4-signing-enabled false --out "$tmp/signed.apk" "$tmp/packed.apk"

# what came out
"$kit/pack-apk.py" --check "$tmp/signed.apk"
zipalign -c -p 4 "$tmp/signed.apk"
apksigner verify --verbose --min-sdk-version $MIN_API "$tmp/signed.apk" | grep -E '^Verified using v[23]'
aapt2 dump badging "$tmp/signed.apk" 2>/dev/null | grep -E '^(package|sdkVersion|targetSdk|native-code)'
aapt2 dump xmltree --file AndroidManifest.xml "$tmp/signed.apk" 2>/dev/null | grep -qE 'E: manifest'
[ ! -f "$tmp/stage/classes.dex" ] || echo "$(dexdump "$tmp/stage/classes.dex" | grep -c 'Class descriptor') classes"
mv "$tmp/signed.apk" "$out"
echo "$out: $(stat -c %s "$out") bytes"
