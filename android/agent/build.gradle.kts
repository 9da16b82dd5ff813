plugins {
    alias(libs.plugins.android.application)
}

val root = rootProject.projectDir
val libraries = layout.buildDirectory.dir("jniLibs")

// A folder that a property names, as seen from the root of the checkout.
fun folder(property: String): File? = providers.gradleProperty(property).orNull?.let { root.resolve(it) }

// The same call as in `cargo xtask android`; cargo-ndk finds the NDK that Android Studio has installed.
val cargoNdk by tasks.registering(Exec::class) {
    workingDir = root
    environment("ANDROID_NDK_HOME", android.ndkDirectory.absolutePath)
    environment("CARGO_NDK_PLATFORM", libs.versions.minSdk.get())
    commandLine(
        "cargo", "ndk", "-t", "arm64-v8a", "-t", "x86_64", "-o", libraries.get().asFile.absolutePath,
        "rustc", "--package", "trailblaze", "--lib", "--crate-type", "cdylib", "--profile", "android", "--locked",
    )
    // The library holds the built-in tools and the SDK of scripts as well.
    inputs.files(
        listOf("rust", "sdks", "trailblaze-config").map { fileTree(root.resolve(it)) },
        listOf(".cargo/config.toml", "Cargo.lock", "Cargo.toml").map { root.resolve(it) },
    )
    outputs.dir(libraries)
}

android {
    namespace = "dev.trailblaze.agent"
    compileSdk = libs.versions.compileSdk.get().toInt()
    ndkVersion = libs.versions.ndk.get()

    defaultConfig {
        applicationId = "dev.trailblaze.agent"
        minSdk = libs.versions.minSdk.get().toInt()
        targetSdk = libs.versions.targetSdk.get().toInt()
        ndk.abiFilters += listOf("arm64-v8a", "x86_64")
    }
    compileOptions {
        sourceCompatibility = JavaVersion.VERSION_1_8
        targetCompatibility = JavaVersion.VERSION_1_8
    }
    sourceSets["main"].apply {
        manifest.srcFile("AndroidManifest.xml")
        // Tools that are classes: -Ptools=FOLDER, a folder of Java sources.
        java.setSrcDirs(listOfNotNull("src/main/java", folder("tools")))
        res.setSrcDirs(listOf("res"))
        // A workspace to pack: -Ptrails=FOLDER, a folder that holds 'trailblaze/'.
        assets.setSrcDirs(listOfNotNull(folder("trails")))
        jniLibs.setSrcDirs(listOf(libraries))
    }
}

tasks.named("preBuild") { dependsOn(cargoNdk) }
