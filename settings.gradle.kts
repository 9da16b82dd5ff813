pluginManagement {
    repositories {
        google()
        mavenCentral()
        gradlePluginPortal()
    }
}

dependencyResolutionManagement {
    repositoriesMode = RepositoriesMode.FAIL_ON_PROJECT_REPOS
    repositories {
        google()
        mavenCentral()
    }
}

rootProject.name = "trailblaze"
include(":agent", ":sample")
project(":agent").projectDir = file("android/agent")
project(":sample").projectDir = file("android/sample")
