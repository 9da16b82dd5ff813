#!/usr/bin/env python3
"""test-packed.py TRAILBLAZE AGENT.apk [JARS]: APKs of 'trailblaze apk pack', seen by tools that we did not write.

apksigner, aapt2, dexdump, zipalign and keytool come from the PATH; JARS is a folder with LinkedIn's dex-test-parser,
which AWS Device Farm lists tests with."""
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

KIT = pathlib.Path(__file__).resolve().parent
MIN, TARGET = "26", "34"
PACKAGE, RUNNER = "com.example.trails", "dev.trailblaze.agent.TrailblazeInstrumentation"
TRAIL = "- prompts:\n    - step: Back\n      recording:\n        tools:\n          - pressBack: {}\n"
TRAILBLAZE = AGENT = JARS = None

spec = importlib.util.spec_from_file_location("check_apk", KIT / "check-apk.py")
check_apk = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check_apk)


def said(*command, **more):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **more)
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, command))}: {done.stdout}{done.stderr}")
    return done.stdout


class Packed(unittest.TestCase):
    def setUp(self):
        self.temp = tempfile.TemporaryDirectory()
        self.addCleanup(self.temp.cleanup)
        self.folder = pathlib.Path(self.temp.name)
        self.env = {**os.environ, "XDG_CACHE_HOME": str(self.folder / "caches")}

    def workspace(self, count):
        """Trails in suites of ten; one with a name that is no Java name."""
        root = self.folder / f"of-{count}"
        (root / "trails").mkdir(parents=True)
        (root / "trailblaze.yaml").write_text("")
        names = ["odd/2 much!"] + [f"suite-{index // 10}/does-{index}" for index in range(1, count)]
        for name in names:
            path = root / "trails" / f"{name}.trail.yaml"
            path.parent.mkdir(exist_ok=True)
            path.write_text(TRAIL)
        return root

    def pack(self, root, *more):
        out = self.folder / "out.apk"
        told = said(TRAILBLAZE, "apk", "pack", root, "--template", AGENT, "--out", out, "--json", *more, env=self.env)
        return out, json.loads(told)

    def check_signatures(self, apk):
        told = said("apksigner", "verify", "--verbose", "--print-certs", "--min-sdk-version", MIN, apk)
        for scheme, state in (("v1", "false"), ("v2", "true"), ("v3", "true")):
            self.assertRegex(told, rf"(?m)^Verified using {scheme} scheme.*: {state}$")
        self.assertNotIn("WARNING", told)
        return re.search(r"certificate SHA-256 digest: (\w+)", told)[1]

    def check_manifest(self, apk):
        badging = said("aapt2", "dump", "badging", apk)
        self.assertIn(f"package: name='{PACKAGE}' versionCode='42' versionName='4.2 β'", badging)
        self.assertIn("application-label:'Läden'", badging)
        self.assertEqual(check_apk.level_errors(badging, MIN, TARGET), [])
        tree = said("aapt2", "dump", "xmltree", "--file", "AndroidManifest.xml", apk)
        self.assertIn(f'"{RUNNER}"', tree)
        self.assertIn('"dev.trailblaze.agent.TrailblazeAccessibilityService"', tree)
        self.assertIn(f'targetPackage(0x01010021)="{PACKAGE}"', tree)
        self.assertNotIn('"dev.trailblaze.agent"', tree)

    def check_dex(self, apk, tests):
        with zipfile.ZipFile(apk) as entries:
            self.assertIsNone(entries.testzip())
            path = entries.extract("classes2.dex", self.folder)
        done = subprocess.run(["dexdump", "-a", path], capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        found, marked = [], 0
        name = None
        for line in done.stdout.splitlines():
            if match := re.match(r"  Class descriptor  : 'L(.*);'", line):
                name = match[1].replace("/", ".")
            if match := re.match(r"      name          : '(\w+)'", line):
                found.append(f"{name}#{match[1]}")
            marked += line == "  VISIBILITY_RUNTIME Lorg/junit/Test;"
        self.assertEqual((sorted(found), marked), (sorted(tests), len(tests)))

    def check_alignment(self, apk):
        said("zipalign", "-c", "-p", "4", apk)
        self.assertEqual(check_apk.alignment_errors(str(apk)), [])

    def check_farm(self, apk, tests):
        if JARS is None:
            return
        out = self.folder / "listed"
        out.mkdir(exist_ok=True)
        said("java", "-cp", f"{JARS}/*", "com.linkedin.dex.parser.DexParser", apk, out)
        self.assertEqual((out / "AllTests.txt").read_text().split(), sorted(tests))

    def test_of_one_and_of_many(self):
        for count in (1, 300):
            with self.subTest(count=count):
                root = self.workspace(count)
                asked = ["--package", PACKAGE, "--label", "Läden", "--version-code", "42", "--version-name", "4.2 β",
                         "--target-sdk", TARGET]
                apk, made = self.pack(root, *asked)
                tests = made["tests"]
                self.assertEqual(len(tests), count)
                self.check_signatures(apk)
                self.check_manifest(apk)
                self.check_dex(apk, tests)
                self.check_alignment(apk)
                self.check_farm(apk, tests)
                first = apk.read_bytes()
                self.pack(root, *asked)
                self.assertEqual(apk.read_bytes(), first, "the same input gives the same bytes")

    def test_of_keytool_and_debug_keys(self):
        root = self.workspace(1)
        password = self.folder / "password"
        password.write_text("trustno1\n")
        for kind, size in (("RSA", "-keysize 2048"), ("RSA", "-keysize 4096"), ("EC", "-groupname secp256r1")):
            with self.subTest(kind=kind, size=size):
                store = self.folder / f"{kind}{size[-4:]}.p12"
                named = ["-keystore", store, "-storetype", "PKCS12", "-storepass", "trustno1", "-alias", "mine"]
                said("keytool", "-genkeypair", *named, "-dname", "CN=mine", "-keyalg", kind, *size.split(), "-validity", 9999)
                apk, made = self.pack(root, "--key", store, "--key-password-file", password)
                self.assertFalse(made["debugKey"])
                told = said("keytool", "-list", "-v", *named)
                digest = re.search(r"SHA256: ([0-9A-F:]+)", told)[1].replace(":", "").lower()
                self.assertEqual(self.check_signatures(apk), digest)
        first, second = (self.check_signatures(self.pack(root)[0]) for _ in range(2))
        self.assertEqual(first, second, "the debug key is made once")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__.splitlines()[0])
    paths = [pathlib.Path(path).resolve() for path in sys.argv[1:]]
    TRAILBLAZE, AGENT = paths[:2]
    JARS = paths[2] if len(paths) == 3 else None
    unittest.main(argv=sys.argv[:1])
