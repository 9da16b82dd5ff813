"""Lets gcloud's own code read a plan, without a network: its parser of the command line, and for Test Lab its reader of the
argument file and its checks of every value too. Only the catalogue of devices is played by this file.

    python gcloud.py SDK_ROOT WORD…

The words are those of the command line behind `gcloud`. What was understood is printed as JSON.
"""

import json
import sys

root, words = sys.argv[1], sys.argv[2:]
sys.path[:0] = [f"{root}/lib", f"{root}/lib/third_party"]

from googlecloudsdk import gcloud_main
from googlecloudsdk.api_lib.firebase.test.android import arg_manager

TEST_LAB = [
    "app", "device", "directories_to_pull", "environment_variables", "num_flaky_test_attempts", "test", "test_runner_class",
    "test_targets", "test_targets_for_shard", "timeout", "type", "use_orchestrator",
]
DEVICE_RUN = [
    "additional_test_options", "apps", "device", "flaky_test_attempts", "instrumentation_timeout", "labels",
    "other_files_to_push", "paths_to_pull", "test", "test_runner_class",
]


class Catalogue:
    """Knows every device, as the real one would if it had been asked."""

    def ValidateDimensionAndValue(self, dimension, value):
        assert dimension in ("model", "version", "locale", "orientation"), dimension
        assert isinstance(value, str), (dimension, value)
        return value

    def __getattr__(self, name):
        if name.startswith("GetDefault"):
            return lambda: "default"
        raise AttributeError(name)


cli = gcloud_main.CreateCLI([])
args = cli._CLI__parser.parse_args(words)
names = DEVICE_RUN
if "device-run" not in words:
    names = TEST_LAB
    arg_manager.AndroidArgsManager(catalog_mgr=Catalogue()).Prepare(args)
print(json.dumps({name: getattr(args, name, None) for name in names}))
