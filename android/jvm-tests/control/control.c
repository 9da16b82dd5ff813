/* Mistakes that are made on purpose, so that silence elsewhere means something. Each is a method of Control.java. */
#include <jni.h>
#include <stdlib.h>
#include <string.h>

#define METHOD(name) JNIEXPORT void JNICALL Java_dev_trailblaze_agent_Control_##name(JNIEnv *env, jclass self)

/* Calls Java although an exception waits. */
METHOD(pending) {
  (*env)->ThrowNew(env, (*env)->FindClass(env, "java/lang/IllegalStateException"), "on purpose");
  (*env)->NewStringUTF(env, "too early");
}

/* Makes more local references than there is room for. */
METHOD(locals) {
  for (int made = 0; made < 200; made++) (*env)->NewLocalRef(env, self);
}

/* Uses a reference that is gone; the JVM ends here. */
METHOD(deleted) {
  jobject gone = (*env)->NewLocalRef(env, self);
  (*env)->DeleteLocalRef(env, gone);
  (*env)->GetObjectClass(env, gone);
}

/* Keeps a reference and half a kilobyte for ever. */
METHOD(leak) {
  (*env)->NewGlobalRef(env, self);
  memset(malloc(512), 1, 512);
}
