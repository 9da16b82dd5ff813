package androidx.test.runner.intent;

/** Hears of intents. */
public interface IntentMonitor {}
