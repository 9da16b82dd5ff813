//! The built-in tools on the home screen.

use serde_json::{Value, json};
use trailblaze_model::failure::FailureKind;

pub(super) enum Expect {
    Actions(&'static [&'static str]),
    Says(&'static str, Value),
    Fails(FailureKind, &'static str),
}

use Expect::{Actions, Fails, Says};

/// A tool, its arguments, and what comes of it.
pub(super) type Row = (&'static str, Value, Expect);

pub(super) fn touching() -> Vec<Row> {
    use FailureKind::{InvalidArguments, MissingRequiredArgs, NotFound};
    vec![
        ("tap", json!({ "text": "Sign in" }), Actions(&["tap 100 50"])),
        ("tap", json!({ "text": "sign .*", "index": 1 }), Actions(&["tap 100 150"])),
        ("tap", json!({ "id": "name", "longPress": true }), Actions(&["longPress 100 320 500"])),
        ("tap", json!({ "x": 7, "y": 9 }), Actions(&["tap 7 9"])),
        ("tap", json!({}), Fails(MissingRequiredArgs, "'tap' needs 'text', 'id' or 'ref', or 'x' and 'y'")),
        ("tap", json!({ "x": 1 }), Fails(MissingRequiredArgs, "'tap' needs 'y' as well as 'x'")),
        ("tap", json!({ "y": 1 }), Fails(MissingRequiredArgs, "'tap' needs 'x' as well as 'y'")),
        (
            "tap",
            json!({ "x": 1, "y": 1, "id": "a" }),
            Fails(InvalidArguments, "'tap' takes an element or a point, not both"),
        ),
        ("tap", json!({ "text": "Sign" }), Fails(NotFound, "no element with text 'Sign' within 5 s")),
        ("tap", json!({ "ref": "a1" }), Fails(NotFound, "nothing on the screen is called 'a1'")),
        ("tap", json!({ "ref": "m1" }), Actions(&["tap 250 50"])),
        ("tap", json!({ "ref": "m1", "longPress": true }), Actions(&["longPress 250 50 500"])),
        (
            "tap",
            json!({ "ref": "m1", "text": "a" }),
            Fails(InvalidArguments, "'tap' takes 'ref' or something else, not both"),
        ),
        ("tapOnElementByNodeId", json!({ "nodeId": 7 }), Actions(&["tap 100 50"])),
        (
            "tapOnElementByNodeId",
            json!({ "nodeId": 7, "longPress": true }),
            Actions(&["longPress 100 50 500"]),
        ),
        (
            "tapOnElementByNodeId",
            json!({ "nodeId": 8 }),
            Fails(NotFound, "no element of the screen has the number 8"),
        ),
        ("longPress", json!({ "ref": "m1" }), Actions(&["longPress 250 50 500"])),
        ("dragTo", json!({ "ref": "m1", "toX": 9, "toY": 8 }), Actions(&["drag 250 50 9 8 1000"])),
        (
            "dragTo",
            json!({ "ref": "m1", "toRef": "m1", "durationMs": 5 }),
            Actions(&["drag 250 50 250 50 5"]),
        ),
        (
            "dragTo",
            json!({ "ref": "m1", "toX": 9 }),
            Fails(MissingRequiredArgs, "'dragTo' needs 'toRef', or 'toX' and 'toY'"),
        ),
        (
            "swipeBetweenElements",
            json!({ "fromText": "Sign in", "toText": "old text" }),
            Actions(&["swipe 100 50 100 320 400"]),
        ),
        (
            "swipeBetweenElements",
            json!({ "from": { "androidAccessibility": { "textRegex": "Sign in" } }, "toText": "old", "drag": true }),
            Actions(&["drag 100 50 100 320 1000"]),
        ),
        (
            "swipeBetweenElements",
            json!({ "fromText": "Sign in" }),
            Fails(MissingRequiredArgs, "'swipeBetweenElements' needs either 'to' or 'toText'"),
        ),
        (
            "touchWithFingers",
            json!({ "fingers": [{ "points": ["1,2", "50%,50%"] }, { "points": ["3,4"], "startMs": 5, "durationMs": 6 }] }),
            Actions(&[concat!(
                r#"fingers [{"points":[[1,2],[199,399]],"startMs":0,"durationMs":400},"#,
                r#"{"points":[[3,4]],"startMs":5,"durationMs":6}]"#
            )]),
        ),
        (
            "touchWithFingers",
            json!({ "fingers": [{ "points": ["400,2"] }] }),
            Fails(InvalidArguments, "the point 400,2 lies outside of the screen, which is 400 x 800"),
        ),
        ("pinch", json!({ "scale": 2, "text": "Sign in" }), Actions(&["pinch 2.0 [100,50]"])),
        ("tapOnPoint", json!({ "x": 7, "y": 9 }), Actions(&["tap 7 9"])),
        ("tapOnPoint", json!({ "x": 7, "y": 9, "longPress": true }), Actions(&["longPress 7 9 500"])),
        ("tapOnElementWithText", json!({ "text": "gn ou" }), Actions(&["tap 100 150"])),
        ("tapOnElementWithText", json!({ "text": "sign", "enabled": false }), Actions(&["tap 100 150"])),
        (
            "tapOnElementWithText",
            json!({ "text": "Row", "id": "ro.", "index": 1 }),
            Actions(&["tap 100 460"]),
        ),
        ("tapOnElementWithText", json!({ "text": "Row", "selected": true }), Actions(&["tap 100 420"])),
        (
            "tapOnElementWithText",
            json!({ "text": "Row", "index": 2 }),
            Fails(NotFound, "no element with text 'Row', index 2 within 5 s"),
        ),
        (
            "tapOnElementWithAccessibilityText",
            json!({ "accessibilityText": "menu" }),
            Actions(&["tap 250 50"]),
        ),
        (
            "tapOnElementWithAccessibilityText",
            json!({ "accessibilityText": "Sign in" }),
            Fails(NotFound, "no element with description 'Sign in' within 5 s"),
        ),
        ("longPressOnElementWithText", json!({ "text": "gn ou" }), Actions(&["longPress 100 150 500"])),
        (
            "longPressElementWithAccessibilityText",
            json!({ "accessibilityText": "menu" }),
            Actions(&["longPress 250 50 500"]),
        ),
        ("swipe", json!({}), Actions(&["swipe 200 400 200 720 400"])),
        ("swipe", json!({ "direction": "UP" }), Actions(&["swipe 200 400 200 80 400"])),
        ("swipe", json!({ "direction": "LEFT" }), Actions(&["swipe 360 400 40 400 400"])),
        ("swipe", json!({ "direction": "RIGHT", "durationMs": 90 }), Actions(&["swipe 40 400 360 400 90"])),
        (
            "swipe",
            json!({ "direction": "LEFT", "swipeOnElementText": "Sign i" }),
            Actions(&["swipe 100 50 40 50 400"]),
        ),
        (
            "swipe",
            json!({ "swipeOnElementText": "none" }),
            Fails(NotFound, "no element with text 'none' within 5 s"),
        ),
        (
            "swipeWithRelativeCoordinates",
            json!({ "startRelative": "50%,80%", "endRelative": "50%, 20%" }),
            Actions(&["swipe 200 640 200 160 400"]),
        ),
        (
            "swipeWithRelativeCoordinates",
            json!({ "startRelative": "0%,50%", "endRelative": "100%,50%", "swipeOnElementText": "Sign in" }),
            Actions(&["swipe 0 50 200 50 400"]),
        ),
        (
            "swipeWithRelativeCoordinates",
            json!({ "startRelative": "50,80", "endRelative": "50%,20%" }),
            Fails(InvalidArguments, "'startRelative': '50,80' is no point like \"50%,20%\""),
        ),
        (
            "dragByPoints",
            json!({ "startX": 1, "startY": 2, "endX": 3, "endY": 4 }),
            Actions(&["drag 1 2 3 4 1000"]),
        ),
        ("scroll", json!({}), Actions(&["swipe 200 400 200 80 400"])),
        (
            "scroll",
            json!({ "direction": "UP", "amount": 2 }),
            Actions(&["swipe 200 400 200 720 400", "swipe 200 400 200 720 400"]),
        ),
        ("pinch", json!({ "scale": 1.5 }), Actions(&["pinch 1.5"])),
        ("pinch", json!({ "scale": 0 }), Fails(InvalidArguments, "'pinch': 'scale' must be at least 0.01")),
        ("scrollUntilTextIsVisible", json!({ "text": "sign o" }), Actions(&[])),
        ("scrollUntilTextIsVisible", json!({ "textRegex": "Sign o.+" }), Actions(&[])),
        ("scrollUntilTextIsVisible", json!({ "id": "name" }), Actions(&[])),
        (
            "scrollUntilTextIsVisible",
            json!({}),
            Fails(MissingRequiredArgs, "'scrollUntilTextIsVisible' needs 'text', 'textRegex' or 'id'"),
        ),
    ]
}

pub(super) fn typing() -> Vec<Row> {
    use FailureKind::{InvalidArguments, MaestroValidation};
    vec![
        ("inputText", json!({ "text": "new" }), Actions(&["setText 4 old textnew"])),
        ("eraseText", json!({}), Actions(&["eraseText 8"])),
        ("eraseText", json!({ "charactersToErase": 3 }), Actions(&["eraseText 3"])),
        ("clearText", json!({}), Actions(&["eraseText 8"])),
        ("hideKeyboard", json!({}), Actions(&[])),
        ("pressKey", json!({ "keyCode": "BACK" }), Actions(&["back"])),
        ("pressKey", json!({ "keyCode": "home" }), Actions(&["home"])),
        ("pressKey", json!({ "keyCode": "ENTER" }), Actions(&["key ENTER"])),
        ("pressKey", json!({ "keyCode": "BACKSPACE" }), Actions(&["key BACKSPACE"])),
        ("pressKey", json!({ "keyCode": "TAB" }), Actions(&["key TAB"])),
        ("pressKey", json!({ "keyCode": "ESCAPE" }), Actions(&["key ESCAPE"])),
        (
            "pressKey",
            json!({ "keyCode": "SPACE" }),
            Fails(
                InvalidArguments,
                "'pressKey': 'keyCode' must be one of BACK, ENTER, HOME, BACKSPACE, TAB, ESCAPE, not 'SPACE'",
            ),
        ),
        ("pressBack", json!({}), Actions(&["back"])),
        ("pressHome", json!({}), Actions(&["home"])),
        ("mobile_setClipboard", json!({ "text": 12 }), Actions(&["setClipboard 12"])),
        ("setClipboard", json!({ "text": "a" }), Actions(&["setClipboard a"])),
        ("mobile_pasteClipboard", json!({}), Actions(&["pasteClipboard"])),
        ("pasteClipboard", json!({}), Actions(&["pasteClipboard"])),
        (
            "maestro",
            json!({ "commands": ["back", { "pressKey": "Enter" }] }),
            Actions(&["back", "key ENTER"]),
        ),
        ("mobile_maestro", json!({ "commands": ["back"] }), Actions(&["back"])),
        ("maestro", json!({ "commands": [] }), Fails(MaestroValidation, "'commands' is empty")),
    ]
}

pub(super) fn checking() -> Vec<Row> {
    use FailureKind::{AssertionFailed, InvalidArguments, MissingRequiredArgs, NeedsModel};
    vec![
        ("assertVisible", json!({ "text": "sign in" }), Actions(&[])),
        ("assertVisible", json!({ "id": "com.a:id/name", "expectedText": " old text " }), Actions(&[])),
        (
            "assertVisible",
            json!({ "id": "name", "expectedText": "new", "timeoutMs": 200 }),
            Fails(AssertionFailed, "id 'name' says 'old text', not 'new'"),
        ),
        (
            "assertVisible",
            json!({ "text": "gone", "timeoutMs": 250 }),
            Fails(AssertionFailed, "no element with text 'gone' within 250 ms"),
        ),
        ("assertVisible", json!({}), Fails(MissingRequiredArgs, "'assertVisible' needs 'text' or 'id'")),
        ("assertVisibleWithText", json!({ "text": "Sign (in|up)" }), Actions(&[])),
        ("assertVisibleWithText", json!({ "text": "Row", "index": 1, "id": "row" }), Actions(&[])),
        (
            "assertVisibleWithText",
            json!({ "text": "Sign" }),
            Fails(AssertionFailed, "no element with text 'Sign' within 5 s"),
        ),
        (
            "assertVisibleWithText",
            json!({ "text": "Sign in", "enabled": false }),
            Fails(AssertionFailed, "no element with text 'Sign in', not enabled within 5 s"),
        ),
        ("assertNotVisibleWithText", json!({ "text": "Sign" }), Actions(&[])),
        (
            "assertNotVisibleWithText",
            json!({ "text": "SIGN IN" }),
            Fails(AssertionFailed, "text 'SIGN IN' is still visible after 5 s"),
        ),
        ("assertNotVisibleWithText", json!({ "text": "(?-i)SIGN IN" }), Actions(&[])),
        ("assertVisibleWithAccessibilityText", json!({ "accessibilityText": "open menu" }), Actions(&[])),
        (
            "assertVisibleWithAccessibilityText",
            json!({ "accessibilityText": "Sign in" }),
            Fails(AssertionFailed, "no element with description 'Sign in' within 5 s"),
        ),
        ("assertVisibleWithResourceId", json!({ "resourceId": "row", "selected": true }), Actions(&[])),
        (
            "assertVisibleWithResourceId",
            json!({ "resourceId": "row", "accessibilityText": "x" }),
            Fails(AssertionFailed, "no element with id 'row', description 'x' within 5 s"),
        ),
        ("waitUntilVisible", json!({ "text": "Sign in", "timeoutMs": 10 }), Actions(&[])),
        (
            "waitUntilVisible",
            json!({ "text": "gone", "timeoutMs": 3000 }),
            Fails(AssertionFailed, "no element with text 'gone' within 3 s"),
        ),
        ("isVisible", json!({ "text": "Sign in" }), Says("true", json!({ "value": true }))),
        ("isVisible", json!({ "id": "none", "timeoutMs": 300 }), Says("false", json!({ "value": false }))),
        ("isVisible", json!({}), Fails(MissingRequiredArgs, "'isVisible' needs 'text' or 'id'")),
        ("hasText", json!({ "text": "gn i" }), Says("true", json!({ "value": true }))),
        ("hasText", json!({ "text": ".*" }), Says("false", json!({ "value": false }))),
        ("getElementText", json!({ "id": "name" }), Says("old text", json!({ "value": "old text" }))),
        ("getElementText", json!({ "id": "none" }), Says("null", json!({ "value": null }))),
        ("getElementCount", json!({ "text": "Row" }), Says("2", json!({ "value": 2 }))),
        ("getElementCount", json!({ "id": "none" }), Says("0", json!({ "value": 0 }))),
        ("getElementCount", json!({}), Fails(MissingRequiredArgs, "'getElementCount' needs 'text' or 'id'")),
        ("wait", json!({}), Actions(&[])),
        ("assertEquals", json!({ "actual": "${total}", "expected": 42 }), Actions(&[])),
        (
            "assertEquals",
            json!({ "actual": "a", "expected": "A" }),
            Fails(AssertionFailed, "'a' is not equal to 'A'"),
        ),
        ("assertNotEquals", json!({ "actual": "a", "expected": "b" }), Actions(&[])),
        ("assertNotEquals", json!({ "actual": 1, "expected": "1" }), Fails(AssertionFailed, "both are '1'")),
        (
            "assertMath",
            json!({ "expression": "(${total} - 2) / 4", "expected": 10 }),
            Says("(42 - 2) / 4 = 10", Value::Null),
        ),
        ("assertMath", json!({ "expression": "1/3", "expected": "0.33333" }), Actions(&[])),
        (
            "assertMath",
            json!({ "expression": "2^3 % 5", "expected": "3.0002" }),
            Fails(AssertionFailed, "2^3 % 5 is 3, not 3.0002"),
        ),
        (
            "assertMath",
            json!({ "expression": "1 +", "expected": 1 }),
            Fails(InvalidArguments, "'1 +' ends too early"),
        ),
        (
            "assertMath",
            json!({ "expression": "[[the total]]", "expected": 1 }),
            Fails(NeedsModel, "'[[the total]]' asks a model for a value, and none is set"),
        ),
        ("dumpMemory", json!({}), Says("total = 42", json!({ "total": "42" }))),
    ]
}

pub(super) fn apps() -> Vec<Row> {
    use FailureKind::InvalidArguments;
    vec![
        (
            "launchApp",
            json!({ "appId": "com.a" }),
            Actions(&["stopApp com.a", "clearAppData com.a", "launchApp com.a"]),
        ),
        (
            "launchApp",
            json!({ "appId": "com.a", "launchMode": "force_restart" }),
            Actions(&["stopApp com.a", "launchApp com.a"]),
        ),
        ("launchApp", json!({ "appId": "com.a", "launchMode": "RESUME" }), Actions(&["launchApp com.a"])),
        ("stopApp", json!({ "appId": "com.a" }), Actions(&["stopApp com.a"])),
        ("openUrl", json!({ "url": "https://a.example" }), Actions(&["openLink https://a.example"])),
        ("mobile_clearAppData", json!({ "appId": "com.a" }), Actions(&["clearAppData com.a"])),
        ("clearAppData", json!({ "packageId": "com.a" }), Actions(&["clearAppData com.a"])),
        (
            "mobile_listInstalledApps",
            json!({}),
            Says(
                "com.example.app\ncom.example.other",
                json!({ "apps": ["com.example.app", "com.example.other"] }),
            ),
        ),
        (
            "mobile_listInstalledAppsDetailed",
            json!({ "includeSystemApps": false }),
            Says(
                "com.example.app\ncom.example.other",
                json!({ "apps": ["com.example.app", "com.example.other"] }),
            ),
        ),
        ("networkConnection", json!({ "connected": false }), Actions(&["setConnected false"])),
        (
            "setOrientation",
            json!({ "orientation": "landscape_left" }),
            Actions(&["setOrientation landscapeLeft"]),
        ),
        (
            "setOrientation",
            json!({ "orientation": "sideways" }),
            Fails(
                InvalidArguments,
                "'setOrientation': 'orientation' must be one of PORTRAIT, LANDSCAPE_LEFT, LANDSCAPE_RIGHT, UPSIDE_DOWN, not 'sideways'",
            ),
        ),
        (
            "setLocation",
            json!({ "latitude": "-33.8568", "longitude": 151.2153 }),
            Actions(&["setLocation -33.8568 151.2153"]),
        ),
        (
            "setLocation",
            json!({ "latitude": 91, "longitude": 0 }),
            Fails(InvalidArguments, "'setLocation': 'latitude' must be at most 90"),
        ),
        (
            "setLocation",
            json!({ "latitude": 0, "longitude": -180.5 }),
            Fails(InvalidArguments, "'setLocation': 'longitude' must be at least -180"),
        ),
        (
            "grantPermission",
            json!({ "packageId": "a", "permission": "p" }),
            Actions(&["grantPermission a p"]),
        ),
        (
            "android_grantPermissions",
            json!({ "appId": "a", "permissions": ["p", "q"] }),
            Actions(&["grantPermission a p", "grantPermission a q"]),
        ),
        ("adbShell", json!({ "command": "echo 'a b'" }), Says("done", Value::Null)),
        ("adbShell", json!({ "command": "echo 'a b'" }), Actions(&["shell echo 'a b'"])),
        ("android_adbShell", json!({ "command": ["echo a | wc"] }), Actions(&["shell echo a | wc"])),
        ("android_adbShell", json!({ "command": ["echo", "a b"] }), Actions(&["shell echo 'a b'"])),
        (
            "android_adbShell",
            json!({ "command": ["ls", "-l"], "runAs": "com.a" }),
            Actions(&["shell run-as com.a ls -l"]),
        ),
        (
            "android_adbShell",
            json!({ "command": ["ls | wc"], "runAs": "com.a" }),
            Actions(&["shell run-as com.a sh -c 'ls | wc'"]),
        ),
        (
            "android_sendBroadcast",
            json!({
                "action": "a.GO", "componentPackage": "a", "componentClass": ".In",
                "extras": [
                    { "key": "s", "value": "x y" }, { "key": "i", "value": 1 }, { "key": "b", "value": true },
                    { "key": "f", "value": 1.5 }, { "key": "l", "value": 5_000_000_000_i64 },
                ],
            }),
            Actions(&[
                "shell am broadcast -a a.GO -n a/.In --es s 'x y' --ei i 1 --ez b true --ef f 1.5 --el l 5000000000",
            ]),
        ),
        (
            "android_grantAppOpsPermission",
            json!({ "appId": "a", "permission": "MANAGE_EXTERNAL_STORAGE" }),
            Actions(&["shell appops set a MANAGE_EXTERNAL_STORAGE allow"]),
        ),
        (
            "android_systemUiDemoMode",
            json!({ "enable": false }),
            Actions(&["shell am broadcast -a com.android.systemui.demo -e command exit"]),
        ),
        (
            "android_systemUiDemoMode",
            json!({}),
            Actions(&[
                "shell settings put global sysui_demo_allowed 1",
                "shell am broadcast -a com.android.systemui.demo -e command enter",
                "shell am broadcast -a com.android.systemui.demo -e command clock -e hhmm 1200",
                "shell am broadcast -a com.android.systemui.demo -e command battery -e level 100 -e plugged false",
                "shell am broadcast -a com.android.systemui.demo -e command notifications -e visible false",
            ]),
        ),
        (
            "android_writeBytesToFile",
            json!({ "devicePath": "/sdcard/a b", "base64Content": "Zm9v\nYg==" }),
            Actions(&["shell echo Zm9vYg== | base64 -d > '/sdcard/a b'"]),
        ),
        (
            "android_writeBytesToFile",
            json!({ "devicePath": "/a", "base64Content": "$(reboot)" }),
            Fails(FailureKind::InvalidArguments, "the content is not base64"),
        ),
        (
            "android_writeFileToDownloads",
            json!({ "fileName": "a.txt", "content": "foob" }),
            Actions(&["shell echo Zm9vYg== | base64 -d > /sdcard/Download/a.txt"]),
        ),
        (
            "android_writeImageToMediaStore",
            json!({ "fileName": "a.png", "base64Content": "Zm9v" }),
            Actions(&[
                "shell echo Zm9v | base64 -d > /sdcard/Pictures/a.png",
                "shell am broadcast -a android.intent.action.MEDIA_SCANNER_SCAN_FILE -d file:///sdcard/Pictures/a.png",
            ]),
        ),
    ]
}
