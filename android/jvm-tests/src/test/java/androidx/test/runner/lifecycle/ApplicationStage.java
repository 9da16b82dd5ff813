package androidx.test.runner.lifecycle;

/** Where an application is in its life. */
public enum ApplicationStage {
  PRE_ON_CREATE,
  CREATED
}
