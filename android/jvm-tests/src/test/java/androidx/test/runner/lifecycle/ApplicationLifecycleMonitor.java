package androidx.test.runner.lifecycle;

/** Hears of applications. */
public interface ApplicationLifecycleMonitor {}
