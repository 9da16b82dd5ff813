#!/usr/bin/env python3
"""check-apk.py [--agent] APK MIN TARGET: is this APK what a phone would take?

Asks apksigner, aapt2, dexdump and zipalign, whichever of them the PATH has. Fails on: a signature that is not v2 and v3,
other API levels than MIN and TARGET, stored entries that do not lie at multiples of 4, libraries that do not lie at
multiples of 16 KB or are compressed. With --agent also on: another package, an ABI that is missing, a manifest without
the instrumentation or the service, and a dex without the classes that are found by name."""
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

PACKAGE = "dev.trailblaze.agent"
ABIS = ["arm64-v8a", "x86_64"]
CLASSES = ["agent/TrailblazeInstrumentation", "agent/TrailblazeAccessibilityService", "agent/Bridge", "agent/Native",
           "tool/TrailblazeTool", "tool/TrailblazeCommands"]


def said(*command):
    """What a program printed; its failure is an error."""
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        sys.exit(f"check-apk: {command[0]}: {error.strerror}")
    if done.returncode:
        sys.exit(f"check-apk: {' '.join(command)}: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def ask(apk, min_api):
    """Everything that the tools have to say of an APK, by topic."""
    dex = []
    with zipfile.ZipFile(apk) as entries, tempfile.TemporaryDirectory() as folder:
        for name in entries.namelist():
            if re.fullmatch(r"classes\d*\.dex", name):
                dex.append(said("dexdump", entries.extract(name, folder)))
    return {
        "signature": said("apksigner", "verify", "--verbose", "--min-sdk-version", min_api, apk),
        "badging": said("aapt2", "dump", "badging", apk),
        "manifest": said("aapt2", "dump", "xmltree", "--file", "AndroidManifest.xml", apk),
        "dex": "".join(dex),
    }


def signature_errors(told):
    return [f"not signed by {scheme}" for scheme in ("v2", "v3")
            if not re.search(rf"^Verified using {scheme} scheme.*: true$", told, re.M)]


def level_errors(badging, min_api, target):
    errors = []
    # Newer tools have another name for the lowest level.
    for name, wanted in (("(?:minS|s)dkVersion", min_api), ("targetSdkVersion", target)):
        found = re.search(rf"^{name}:'(\d+)'$", badging, re.M)
        if not found or found[1] != wanted:
            what = "lowest" if wanted == min_api else "target"
            errors.append(f"the {what} API level is {found[1] if found else 'not given'}, not {wanted}")
    return errors


def elements(tree):
    """(name, attributes) of each element that aapt2 prints."""
    for part in re.split(r"^\s*E: ", tree, flags=re.M)[1:]:
        pairs = re.findall(r'^\s*A: (?:\S*:)?(\w+)(?:\(0x[0-9a-f]+\))?="([^"]*)"', part, re.M)
        yield part.split()[0], dict(pairs)


def agent_errors(told):
    errors = []
    if f"package: name='{PACKAGE}'" not in told["badging"]:
        errors.append(f"the package is not {PACKAGE}")
    native = re.search(r"^native-code: (.*)$", told["badging"], re.M)
    errors += [f"no libraries for {abi}" for abi in ABIS if f"'{abi}'" not in (native[1] if native else "")]

    def has(element, name, **attributes):
        wanted = {key: {value} for key, value in attributes.items()}
        wanted["name"] = {f".{name}", f"{PACKAGE}.{name}"}
        return any(found == element and all(given.get(key) in values for key, values in wanted.items())
                   for found, given in elements(told["manifest"]))

    if not has("instrumentation", "TrailblazeInstrumentation", targetPackage=PACKAGE):
        errors.append("the manifest has no TrailblazeInstrumentation that instruments the agent itself")
    bind = "android.permission.BIND_ACCESSIBILITY_SERVICE"
    if not has("service", "TrailblazeAccessibilityService", permission=bind):
        errors.append(f"the manifest has no TrailblazeAccessibilityService with {bind}")
    errors += [f"the dex has no {name}" for name in CLASSES
               if f"Class descriptor  : 'Ldev/trailblaze/{name};'" not in told["dex"]]
    return errors


def alignment_errors(apk):
    packer = pathlib.Path(__file__).resolve().with_name("pack-apk.py")
    done = subprocess.run([sys.executable, packer, "--check", apk], capture_output=True, text=True)
    errors = [done.stderr.strip()] if done.returncode else []
    # Only newer ones know pages of 16 KB.
    usage = subprocess.run(["zipalign"], capture_output=True, text=True)
    pages = ["-P", "16"] if "-P " in usage.stdout + usage.stderr else ["-p"]
    if subprocess.run(["zipalign", "-c", *pages, "4", apk], capture_output=True).returncode:
        errors.append(f"zipalign -c {' '.join(pages)} 4: not aligned")
    return errors


def errors_of(told, min_api, target, agent):
    errors = signature_errors(told["signature"]) + level_errors(told["badging"], min_api, target)
    return errors + (agent_errors(told) if agent else [])


def main():
    arguments = sys.argv[1:]
    agent = "--agent" in arguments
    arguments = [argument for argument in arguments if argument != "--agent"]
    if len(arguments) != 3:
        sys.exit("usage: check-apk.py [--agent] APK MIN TARGET")
    apk, min_api, target = arguments
    told = ask(apk, min_api)
    errors = errors_of(told, min_api, target, agent) + alignment_errors(apk)
    for error in errors:
        print(f"error: {error}")
    if not errors:
        print(f"signed by v2 and v3, API {min_api} to {target}, aligned, {told['dex'].count('Class descriptor')} classes")
    sys.exit(bool(errors))


if __name__ == "__main__":
    main()
