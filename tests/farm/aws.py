"""Checks the calls of a plan for AWS Device Farm against the service's model in botocore, and the shape of its specs.

    python aws.py FOLDER

Types, required members, lengths, patterns and enums are checked; botocore itself leaves the last two to the service.
"""

import json
import pathlib
import re
import sys

import botocore.session
from botocore.validate import ParamValidator

folder = pathlib.Path(sys.argv[1])
model = botocore.session.get_session().get_service_model("devicefarm")


def texts(shape, value, path):
    """What botocore does not check: patterns and enums of texts, and lengths from above."""
    if shape.type_name == "structure":
        return [wrong for name, inner in value.items() for wrong in texts(shape.members[name], inner, f"{path}.{name}")]
    if shape.type_name == "list":
        return [wrong for index, inner in enumerate(value) for wrong in texts(shape.member, inner, f"{path}[{index}]")]
    if shape.type_name != "string":
        return []
    wrong = []
    pattern, longest = shape.metadata.get("pattern"), shape.metadata.get("max")
    if pattern and not re.search(pattern, value):
        wrong.append(f"{path}: '{value}' does not fit {pattern}")
    if longest is not None and len(value) > longest:
        wrong.append(f"{path}: {len(value)} characters, at most {longest}")
    if getattr(shape, "enum", None) and value not in shape.enum:
        wrong.append(f"{path}: '{value}' is none of {', '.join(shape.enum)}")
    return wrong


checked = []
for file in sorted(folder.glob("*.json")):
    operation = {"upload": "CreateUpload", "run": "ScheduleRun"}.get(file.name.split("-")[0])
    if operation is None:
        continue
    call = json.loads(file.read_text())
    shape = model.operation_model(operation).input_shape
    report = ParamValidator().validate(call, shape)
    wrong = texts(shape, call, operation) if not report.has_errors() else [report.generate_report()]
    if wrong:
        sys.exit(f"{file.name}: " + "; ".join(wrong))
    checked.append(f"{file.name} {operation}")
print("\n".join(checked))
