#!/usr/bin/env bash
# setup.sh [ndk|sdk|arm64|all]: lays the stand-in for Android's tools out in the cache. Default: ndk and sdk.
#   ndk    what a library needs: clang, headers, link stubs, libunwind
#   sdk    what an APK needs besides: aapt2, dx, apksigner, zipalign, dexdump, android.jar; the JVM shim
#   arm64  qemu-user, an arm64 JRE and the arm64 shim, for 'run-jvm.sh --arm64'
# A step is skipped when its stamp in .done matches, and an interrupted one is done again. A line that starts with
# 'unavailable:' says what this machine cannot have; every other failure is a fault of the kit.
set -euo pipefail
shopt -s inherit_errexit

kit=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${TRAILBLAZE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/trailblaze}
dir=$cache/android
part=${1:-default}

LLVM=${LLVM:-22}
API=26
MAVEN_DEPENDENCY=org.apache.maven.plugins:maven-dependency-plugin:3.8.1
DX=com.jakewharton.android.repackaged:dalvik-dx:16.0.1
DX_SHA=1e4b645628e3bdb097b5331d669e177ef235a551582a8c646dbe36865e541907
ANDROID_ALL=org.robolectric:android-all:14-robolectric-10818077
ANDROID_ALL_SHA=6be2218c6a53fe3c57bc22ebdc723edcb7270a8a6f187545708aa5c0ed813977

say() { printf '%s\n' "$*" >&2; }

unavailable() {
  say "unavailable: $*"
  exit 1
}

# step NAME KEY FUNCTION: runs FUNCTION unless NAME was completed with the same KEY.
step() {
  if [ "$(cat "$dir/.done/$1" 2>/dev/null)" = "$2" ]; then return; fi
  say "android kit: $1"
  "$3"
  printf '%s\n' "$2" >"$dir/.done/$1"
}

# key PATH...: a digest of files of the kit, so that editing one makes its step run again.
key() { (cd "$kit" && find "$@" -type f -print0 | LC_ALL=C sort -z | xargs -0 cat | sha256sum | cut -c1-16); }

# apt_need PACKAGE...: installs what is not installed yet.
apt_need() {
  local missing=() package
  for package; do
    dpkg-query -Wf '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  [ "$(id -u)" = 0 ] || unavailable "apt-get install ${missing[*]} needs root; run it by hand"
  say "apt-get install ${missing[*]}"
  local install=(apt-get install -y -qq --no-install-recommends "${missing[@]}")
  export DEBIAN_FRONTEND=noninteractive
  "${install[@]}" >/dev/null 2>&1 || { apt-get update -qq >/dev/null 2>&1 && "${install[@]}" >/dev/null 2>&1; } ||
    unavailable "apt-get install ${missing[*]} failed"
}

# maven GROUP:NAME:VERSION SHA256 FILE: fetches one artifact to FILE and checks it.
maven() {
  local name version tmp=$dir/maven.tmp
  IFS=: read -r _ name version <<<"$1"
  rm -rf "$tmp"
  mkdir "$tmp"
  if ! mvn -q -B "$MAVEN_DEPENDENCY:copy" -Dartifact="$1" -DoutputDirectory="$tmp" >"$tmp/log" 2>&1; then
    cat "$tmp/log" >&2
    unavailable "maven cannot fetch $1"
  fi
  echo "$2  $tmp/$name-$version.jar" | sha256sum -c --quiet
  mv "$tmp/$name-$version.jar" "$3"
  rm -r "$tmp"
}

ndk_tree() {
  local pre=$dir/ndk/toolchains/llvm/prebuilt/linux-x86_64 include arch tool
  include=$pre/sysroot/usr/include
  rm -rf "$dir/ndk"
  mkdir -p "$pre/bin" "$include"
  printf 'Pkg.Desc = stand-in made of Debian clang\nPkg.Revision = 29.0.0\n' >"$dir/ndk/source.properties"
  cp -r "$kit/bionic/include/." "$include/"
  ln -s /usr/include/linux /usr/include/asm-generic "$include/"
  mkdir "$include/aarch64-linux-android" "$include/x86_64-linux-android"
  ln -s /usr/aarch64-linux-gnu/include/asm "$include/aarch64-linux-android/asm"
  ln -s /usr/include/x86_64-linux-gnu/asm "$include/x86_64-linux-android/asm"
  ln -s "/usr/lib/llvm-$LLVM/lib" "$pre/lib"
  for tool in clang clang++; do
    # -z defs makes a libc name that the stubs lack a link error.
    cat >"$pre/bin/$tool" <<X
#!/bin/sh
here=\$(dirname "\$(readlink -f "\$0")")
exec /usr/bin/$tool-$LLVM --sysroot="\$here/../sysroot" --ld-path=/usr/bin/ld.lld-$LLVM \\
  -Wno-unused-command-line-argument -Wl,-z,defs -Wl,-z,max-page-size=16384 "\$@"
X
    for arch in aarch64 x86_64; do
      cat >"$pre/bin/$arch-linux-android$API-$tool" <<X
#!/bin/sh
exec "\${0%/*}/$tool" --target=$arch-linux-android$API "\$@"
X
    done
  done
  chmod +x "$pre"/bin/*
  for tool in ar nm objcopy objdump ranlib readelf strip; do
    ln -s "/usr/bin/llvm-$tool-$LLVM" "$pre/bin/llvm-$tool"
  done
  for arch in aarch64 x86_64; do ndk_libs "$arch" "$pre"; done
}

# ndk_libs ARCH PREFIX: the start files, link stubs and libunwind.a of one ABI.
ndk_libs() {
  local cc=$2/bin/$1-linux-android$API-clang lib=$2/sysroot/usr/lib/$1-linux-android tmp name unwind file
  unwind=$(rustc --print sysroot)/lib/rustlib/src/rust/src/llvm-project/libunwind
  local flags=(-O2 -fPIC -funwind-tables -fvisibility=hidden -DNDEBUG -I"$unwind/include"
    -D_LIBUNWIND_HIDE_SYMBOLS -D_LIBUNWIND_IS_NATIVE_ONLY)
  tmp=$(mktemp -d)
  mkdir -p "$lib/$API"
  "$cc" -fsyntax-only -Wall -Wextra "$kit/bionic/abi.c"
  "$cc" -O2 -fPIC -DAPI=$API -c "$kit/bionic/crt.c" -o "$lib/$API/crtbegin_so.o"
  "$cc" -O2 -fPIC -DAPI=$API -c "$kit/bionic/start.c" -o "$lib/$API/crtbegin_dynamic.o"
  for name in so android; do "$cc" -x c -c /dev/null -o "$lib/$API/crtend_$name.o"; done
  for name in c m dl log android; do
    sed 's/#.*//' "$kit/bionic/symbols/lib$name.txt" | awk '
      NF == 0 { next }
      $2 == "data" { printf ".data\n.globl %s\n.type %s,%%object\n.size %s,8\n%s: .quad 0\n", $1, $1, $1, $1; next }
      { printf ".text\n.globl %s\n.type %s,%%function\n%s:\n", $1, $1, $1 }' >"$tmp/stub.S"
    "$cc" -shared -nostdlib -Wl,-soname,"lib$name.so" "$tmp/stub.S" -o "$lib/$API/lib$name.so"
  done
  "$cc++" "${flags[@]}" -std=c++17 -nostdinc++ -fno-exceptions -fno-rtti \
    -c "$unwind/src/libunwind.cpp" -o "$tmp/libunwind.o"
  for file in UnwindLevel1.c UnwindLevel1-gcc-ext.c UnwindRegistersSave.S UnwindRegistersRestore.S; do
    "$cc" "${flags[@]}" -fexceptions -c "$unwind/src/$file" -o "$tmp/$file.o"
  done
  "llvm-ar-$LLVM" rcs "$lib/libunwind.a" "$tmp"/*.o
  rm -r "$tmp"
}

ndk() {
  apt_need "clang-$LLVM" "lld-$LLVM" "llvm-$LLVM" "libclang1-$LLVM" "libclang-common-$LLVM-dev" \
    gcc libc6-dev linux-libc-dev-arm64-cross python3
  # The source of libunwind, which Rust's Android targets link against.
  [ -d "$(rustc --print sysroot)/lib/rustlib/src/rust/src/llvm-project/libunwind" ] ||
    rustup -q component add rust-src || unavailable "rustup component add rust-src failed"
  step ndk "$(key setup.sh bionic) $LLVM $(rustc -V)" ndk_tree
}

jars() {
  mkdir -p "$dir/sdk"
  maven "$DX" "$DX_SHA" "$dir/sdk/dx.jar"
  maven "$ANDROID_ALL" "$ANDROID_ALL_SHA" "$dir/sdk/android.jar"
}

# shim ARCH CC: libc, libm, libdl, liblog and libandroid over glibc, and the agent that loads them.
shim() {
  local out=$dir/shim/$1 cc=$2 home name
  home=$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")
  local flags=(-O1 -fPIC -shared -Wall -I"$home/include" -I"$home/include/linux")
  mkdir -p "$out"
  for name in c log; do "$cc" "${flags[@]}" -Wl,-soname,"lib$name.so" "$kit/shim/$name.c" -o "$out/lib$name.so"; done
  for name in m dl android; do
    "$cc" "${flags[@]}" -Wl,--no-as-needed -Wl,-soname,"lib$name.so" -x c /dev/null -lm -o "$out/lib$name.so"
  done
  "$cc" "${flags[@]}" "$kit/shim/agent.c" -o "$out/agent.so" -ldl
}
shim_x86_64() { shim x86_64 gcc; }
shim_aarch64() { shim aarch64 aarch64-linux-gnu-gcc; }

jdk() { command -v javac >/dev/null || apt_need openjdk-17-jdk-headless; }

sdk() {
  jdk
  command -v mvn >/dev/null || apt_need maven
  apt_need aapt apksigner zipalign dexdump gcc libc6-dev python3
  step jars "$DX_SHA $ANDROID_ALL_SHA" jars
  step shim-x86_64 "$(key setup.sh shim)" shim_x86_64
}

# An arm64 JRE, unpacked from Debian's own packages; the machine's apt state is left alone.
arm64_root() {
  local tmp=$dir/arm64.tmp package
  local apt=(apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State="$tmp/state"
    -o Dir::State::status=/dev/null -o Dir::Cache="$tmp/cache" -o APT::Sandbox::User=root)
  rm -rf "$tmp" "$dir/arm64"
  mkdir -p "$tmp"/{root,state/lists/partial,cache/archives/partial}
  "${apt[@]}" update 2>/dev/null || true # sources of other vendors may have no arm64
  for package in libc6 libgcc-s1 libstdc++6 zlib1g openjdk-17-jre-headless; do
    (cd "$tmp" && "${apt[@]}" download "$package:arm64") || unavailable "apt-get download $package:arm64 failed"
  done
  for package in "$tmp"/*.deb; do dpkg -x "$package" "$tmp/root"; done
  mv "$tmp/root" "$dir/arm64"
  rm -r "$tmp"
}

arm64() {
  jdk
  apt_need qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross
  step arm64-jre 17 arm64_root
  step shim-aarch64 "$(key setup.sh shim)" shim_aarch64
}

env_file() {
  local bin=$dir/ndk/toolchains/llvm/prebuilt/linux-x86_64/bin arch
  {
    cat <<X
# Source this to call cargo and cargo-ndk by hand.
export ANDROID_KIT='$dir' ANDROID_NDK_HOME='$dir/ndk' LIBCLANG_PATH='$bin/../lib'
export CARGO_NDK_PLATFORM=$API # the default of cargo-ndk has no stubs here
unset ANDROID_NDK_ROOT
case ":\$PATH:" in *":$cache/tools/bin:"*) ;; *) export PATH="$cache/tools/bin:\$PATH" ;; esac
# For a plain 'cargo build --target …'; cargo-ndk sets its own.
X
    for arch in aarch64 x86_64; do
      cat <<X
export CARGO_TARGET_${arch^^}_LINUX_ANDROID_LINKER='$bin/$arch-linux-android$API-clang'
export CC_${arch}_linux_android='$bin/$arch-linux-android$API-clang' AR_${arch}_linux_android='$bin/llvm-ar'
export BINDGEN_EXTRA_CLANG_ARGS_${arch}_linux_android='--sysroot=$bin/../sysroot --target=$arch-linux-android$API'
X
    done
  } >"$dir/env.sh.part"
  mv "$dir/env.sh.part" "$dir/env.sh"
}

[ "$(uname -sm)" = "Linux x86_64" ] || unavailable "the stand-in for the NDK is made for Linux on x86_64"
command -v apt-get >/dev/null || unavailable "the stand-in for the NDK is made of Debian packages, and there is no apt-get"
mkdir -p "$dir/.done"
dir=$(cd "$dir" && pwd)
cache=$(dirname "$dir")
# One at a time: other checkouts share the cache.
exec 9>"$dir/.done/lock"
flock 9

case $part in
  ndk | sdk | arm64) "$part" ;;
  default) ndk; sdk ;;
  all) ndk; sdk; arm64 ;;
  *) say "unknown part '$part'"; exit 2 ;;
esac
env_file
