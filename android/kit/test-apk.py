#!/usr/bin/env python3
"""test-apk.py APK: tests of build-apk.sh and check-apk.py, with the agent's APK and the tools of the kit ($ANDROID_KIT).

Every mistake that check-apk.py is there for is made once, in what the tools say of a good APK or in a copy of it. An SDK
of scripts, which note how they are called and pass it on to the kit's tools, shows which tools build-apk.sh takes."""
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

KIT = pathlib.Path(__file__).resolve().parent
APK = pathlib.Path()
MIN, TARGET = "26", "35"
TOOLS = ["aapt2", "apksigner", "d8", "dexdump", "zipalign"]


def load(name):
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), KIT / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


check_apk = load("check-apk")


class Checks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.told = check_apk.ask(str(APK), MIN)

    def broken(self, topic, old, new, error):
        self.assertIn(old, self.told[topic])
        told = {**self.told, topic: self.told[topic].replace(old, new)}
        self.assertEqual(check_apk.errors_of(told, MIN, TARGET, True), [error])

    def test_a_good_one(self):
        self.assertEqual(check_apk.errors_of(self.told, MIN, TARGET, True), [])
        self.assertEqual(check_apk.alignment_errors(str(APK)), [])

    def test_signatures(self):
        for scheme in ("v2", "v3"):
            line = f"Verified using {scheme} scheme (APK Signature Scheme {scheme}): "
            self.broken("signature", line + "true", line + "false", f"not signed by {scheme}")

    def test_badging(self):
        self.broken("badging", "name='dev.trailblaze.agent'", "name='dev.other'", "the package is not dev.trailblaze.agent")
        self.broken("badging", "\nsdkVersion:'26'", "\nsdkVersion:'27'", "the lowest API level is 27, not 26")
        self.broken("badging", "\nsdkVersion:'26'", "", "the lowest API level is not given, not 26")
        self.broken("badging", "targetSdkVersion:'35'", "targetSdkVersion:'34'", "the target API level is 34, not 35")
        self.broken("badging", " 'x86_64'", "", "no libraries for x86_64")
        self.broken("badging", "'arm64-v8a' ", "", "no libraries for arm64-v8a")

    def test_manifest(self):
        instrumentation = "the manifest has no TrailblazeInstrumentation that instruments the agent itself"
        self.broken("manifest", '".TrailblazeInstrumentation"', '".Other"', instrumentation)
        target = 'targetPackage(0x01010021)="dev.trailblaze.agent"'
        self.broken("manifest", target, target.replace("agent", "app"), instrumentation)
        bind = "android.permission.BIND_ACCESSIBILITY_SERVICE"
        service = f"the manifest has no TrailblazeAccessibilityService with {bind}"
        self.broken("manifest", bind, "android.permission.INTERNET", service)
        self.broken("manifest", '".TrailblazeAccessibilityService"', '".Other"', service)

    def test_classes(self):
        for name in check_apk.CLASSES:
            self.broken("dex", f"Ldev/trailblaze/{name};", "Lother;", f"the dex has no {name}")

    def test_alignment(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder, "copy.apk")
            for method, error in ((zipfile.ZIP_STORED, "not a multiple of 16384"), (zipfile.ZIP_DEFLATED, "is compressed")):
                with zipfile.ZipFile(copy, "w", method) as apk:
                    apk.writestr("lib/x86_64/libtrailblaze.so", bytes(64))
                self.assertIn(error, check_apk.alignment_errors(str(copy))[0])


class Sdk(unittest.TestCase):
    def setUp(self):
        self.temp = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temp.name)
        self.addCleanup(self.temp.cleanup)
        self.sdk = self.folder / "sdk"
        for version in ("9.0.0", "35.0.0", "36.0.0", "37.0.0-rc1"):
            self.build_tools(version)
        (self.sdk / "build-tools/36.0.0/d8").unlink()
        for platform in ("android-9", "android-35", "android-36", "android-Next", "android-37-ext2"):
            (self.sdk / "platforms" / platform).mkdir(parents=True)
        for platform in ("android-9", "android-35", "android-Next", "android-37-ext2"):
            (self.sdk / "platforms" / platform / "android.jar").symlink_to(self.kit("sdk/android.jar"))

    @staticmethod
    def kit(path):
        return pathlib.Path(os.environ["ANDROID_KIT"], path)

    def build_tools(self, version):
        folder = self.sdk / "build-tools" / version
        folder.mkdir(parents=True)
        for tool in TOOLS:
            script = folder / tool
            # d8 takes a folder for its output and a jar; dx a file and a jar.
            passed_on = f'exec {shutil.which(tool)} "$@"' if tool != "d8" else (
                f'exec java -cp {self.kit("sdk/dx.jar")} com.android.dx.command.Main --dex --min-sdk-version="$3" '
                '--output="$7/classes.dex" "$8"')
            script.write_text(f'#!/bin/sh\necho "{version} {tool} $*" >>"{self.folder}/calls"\n{passed_on}\n')
            script.chmod(0o755)

    def run_build(self, *arguments, **variables):
        names = ("ANDROID_HOME", "ANDROID_SDK_ROOT", "APK_ASSETS", "APK_JAVA")
        env = {key: value for key, value in os.environ.items() if key not in names}
        env.update((key, str(value)) for key, value in variables.items())
        return subprocess.run([KIT / "build-apk.sh", *arguments], env=env, text=True, capture_output=True)

    def write(self, path, text):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def test_its_newest_tools_are_taken(self):
        self.write("app/AndroidManifest.xml", '<manifest package="com.example"><application/></manifest>')
        self.write("app/res/values/strings.xml", '<resources><string name="label">Mine</string></resources>')
        self.write("app/src/main/java/com/example/App.java", "package com.example;\n\nclass App {}\n")
        self.write("assets/trailblaze/trails/mine.trail.yaml", "- tools:\n    - pressBack: {}\n")
        self.write("java/com/example/Mine.java", "package com.example;\n\nclass Mine {}\n")
        out = self.folder / "out.apk"
        done = self.run_build(self.folder / "app", self.folder / "libs", out, ANDROID_HOME=self.sdk,
                              APK_ASSETS=self.folder / "assets", APK_JAVA=self.folder / "java")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("packed with the SDK's tools, build-tools 35.0.0 and android-35\n", done.stdout)
        calls = [line.split(" ", 2) for line in (self.folder / "calls").read_text().splitlines()]
        self.assertEqual({version for version, _, _ in calls}, {"35.0.0"})
        self.assertEqual(sorted({tool for _, tool, _ in calls}), TOOLS)
        self.assertTrue(any(f"-I {self.sdk}/platforms/android-35/android.jar" in rest for _, _, rest in calls))
        with zipfile.ZipFile(out) as apk:
            self.assertIn("assets/trailblaze/trails/mine.trail.yaml", apk.namelist())
            self.assertIn(b"Lcom/example/Mine;", apk.read("classes.dex"))

    def test_one_that_lacks_something_is_not_taken(self):
        said = self.run_build("--sdk", ANDROID_SDK_ROOT=self.sdk)
        self.assertEqual((said.returncode, said.stdout), (0, "the SDK's tools, build-tools 35.0.0 and android-35\n"))
        for version in ("9.0.0", "35.0.0"):
            (self.sdk / "build-tools" / version / "apksigner").unlink()
        said = self.run_build("--sdk", ANDROID_HOME=self.sdk)
        self.assertEqual(said.stdout, f"the kit's tools, because {self.sdk} lacks build-tools or a platform\n")
        self.assertEqual(said.returncode, 1)
        self.assertEqual(self.run_build("--sdk").stdout, "the kit's tools\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: test-apk.py APK")
    APK = pathlib.Path(sys.argv.pop()).resolve()
    unittest.main()
