#!/usr/bin/env bash
# run-jvm.sh [--arm64] LIB.so JAVA_ARGS...: java with the Android library LIB.so over the glibc shim, -Xcheck:jni on.
# LIB.so is what unpack-relocs.py makes of the x86_64 one; with --arm64 (after 'setup.sh arm64') of the arm64-v8a one,
# under qemu-user. The Java side calls System.loadLibrary as it does on a device; the folder of LIB.so is
# java.library.path.
set -euo pipefail

: "${ANDROID_KIT:?source env.sh of the cache first}"
arch=x86_64 java=(java)
if [ "${1:-}" = --arm64 ]; then
  shift
  arch=aarch64 root=$ANDROID_KIT/arm64
  jre=$root/usr/lib/jvm/java-17-openjdk-arm64
  java=(qemu-aarch64 -L "$root" -E LD_LIBRARY_PATH="$jre/lib" "$jre/bin/java")
fi
lib=$(readlink -f "${1:?usage: run-jvm.sh [--arm64] LIB.so JAVA_ARGS...}")
shift
exec "${java[@]}" -Xcheck:jni -agentpath:"$ANDROID_KIT/shim/$arch/agent.so=$lib" \
  -Djava.library.path="$(dirname "$lib")" "$@"
