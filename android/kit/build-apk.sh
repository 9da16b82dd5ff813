#!/usr/bin/env bash
# build-apk.sh APP JNILIBS OUT.apk: packs, aligns, signs and checks an APK.
# build-apk.sh --sdk: says which SDK it would take; fails where it would take the tools of the kit.
#   APP/AndroidManifest.xml   required; the API levels come from gradle/libs.versions.toml
#   APP/src/main/java/        Java 8 sources, compiled and dexed
#   APP/res/, APP/assets/     optional
#   JNILIBS/<abi>/*.so        as "cargo ndk -o JNILIBS" leaves them; stripped and checked on the way
# The tools are those of the SDK in ANDROID_HOME or ANDROID_SDK_ROOT where it has all of them, else those of the kit.
# APK_ASSETS is a folder whose content comes into the assets as well, such as one with 'trailblaze/'.
# APK_JAVA is a folder with more Java sources, such as tools that are classes.
# APK_KEYSTORE, APK_STOREPASS and APK_ALIAS choose a key; without them a throw-away key in $ANDROID_KIT is used.
set -euo pipefail
shopt -s nullglob

kit=$(cd "$(dirname "$0")" && pwd)

# newest FOLDER PREFIX FILE...: the entry with the highest number after PREFIX that has all of the files.
newest() {
  local folder=$1 prefix=$2 entry file found=
  shift 2
  for entry in $(cd "$folder" 2>/dev/null && printf '%s\n' "$prefix"[0-9]* | grep -E '^[a-z-]*[0-9]+(\.[0-9]+)*$' | sort -V); do
    for file; do [ -f "$folder/$entry/$file" ] || continue 2; done
    found=$entry
  done
  [ -n "$found" ] && echo "$found"
}

sdk=${ANDROID_HOME:-${ANDROID_SDK_ROOT:-}}
if [ -n "$sdk" ] && tools=$(newest "$sdk/build-tools" '' aapt2 d8 zipalign apksigner dexdump) &&
  platform=$(newest "$sdk/platforms" android- android.jar); then
  jar=$sdk/platforms/$platform/android.jar
  export PATH=$sdk/build-tools/$tools:$PATH
  told="the SDK's tools, build-tools $tools and $platform"
else
  told="the kit's tools${sdk:+, because $sdk lacks build-tools or a platform}"
  sdk='' jar=${ANDROID_KIT:-}/sdk/android.jar
fi
if [ "$*" = --sdk ]; then
  echo "$told"
  [ -n "$sdk" ]
  exit
fi
: "${ANDROID_KIT:?source env.sh of the cache first}"
[ $# = 3 ] || { sed -n '2,12s/^# \?//p' "$0" >&2; exit 2; }
app=$1 libs=$2 out=$3
echo "packed with $told"
version() { sed -n "s/^$1 = \"\([0-9]*\)\"\$/\1/p" "$kit/../../gradle/libs.versions.toml"; }
min=$(version minSdk) target=$(version targetSdk)
stripper=("$ANDROID_NDK_HOME"/toolchains/llvm/prebuilt/*/bin/llvm-strip)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/classes" "$tmp/stage" "$(dirname "$out")"

# manifest and resources
link=(aapt2 link -I "$jar" --manifest "$app/AndroidManifest.xml" -o "$tmp/base.apk"
  --min-sdk-version "$min" --target-sdk-version "$target")
if [ -d "$app/res" ]; then
  aapt2 compile --dir "$app/res" -o "$tmp/res.zip"
  link+=("$tmp/res.zip" --java "$tmp/gen")
fi
"${link[@]}" 2> >(grep -v "Unknown chunk type" >&2) # aapt2 10 passes over one chunk of API 34's table

# code
find "$app/src/main/java" "$tmp/gen" ${APK_JAVA:+"$APK_JAVA"} -name '*.java' 2>/dev/null |
  sed 's/.*/"&"/' >"$tmp/sources" || true # a folder that is not there has no sources
if [ -s "$tmp/sources" ]; then
  javac -nowarn -Xlint:-options -encoding UTF-8 --release 8 -cp "$jar" -d "$tmp/classes" "@$tmp/sources"
  if [ -n "$sdk" ]; then
    jar cf "$tmp/classes.jar" -C "$tmp/classes" .
    d8 --release --min-api "$min" --lib "$jar" --output "$tmp/stage" "$tmp/classes.jar"
  else
    java -cp "$ANDROID_KIT/sdk/dx.jar" com.android.dx.command.Main --dex --min-sdk-version="$min" \
      --output="$tmp/stage/classes.dex" "$tmp/classes"
  fi
fi

# libraries and assets
for so in "$libs"/*/*.so; do
  abi=$(basename "$(dirname "$so")")
  mkdir -p "$tmp/stage/lib/$abi"
  "${stripper[0]}" --strip-unneeded -o "$tmp/stage/lib/$abi/$(basename "$so")" "$so"
done
[ ! -d "$tmp/stage/lib" ] || "$kit/check-so.py" "$tmp"/stage/lib/*/*.so
for assets in "$app/assets" "${APK_ASSETS:-}"; do
  [ -z "$assets" ] || [ ! -d "$assets" ] || { mkdir -p "$tmp/stage/assets" && cp -r "$assets/." "$tmp/stage/assets"; }
done
"$kit/pack-apk.py" "$tmp/packed.apk" "$tmp/base.apk" "$tmp/stage"

# signature
key=${APK_KEYSTORE:-$ANDROID_KIT/debug.jks} pass=${APK_STOREPASS:-android} alias=${APK_ALIAS:-debug}
mkdir -p "$ANDROID_KIT"
[ -f "$key" ] || keytool -genkeypair -keystore "$key" -storepass "$pass" -alias "$alias" \
  -dname CN=debug -keyalg RSA -keysize 2048 -validity 10000 >/dev/null 2>&1
APK_PASS=$pass apksigner sign --ks "$key" --ks-pass env:APK_PASS --ks-key-alias "$alias" \
  --min-sdk-version "$min" --v1-signing-enabled false --v4-signing-enabled false --out "$tmp/signed.apk" "$tmp/packed.apk"

# what came out
check=("$kit/check-apk.py")
[ "$(basename "$app")" != agent ] || check+=(--agent)
"${check[@]}" "$tmp/signed.apk" "$min" "$target"
mv "$tmp/signed.apk" "$out"
echo "$out: $(wc -c <"$out" | tr -d ' ') bytes"
