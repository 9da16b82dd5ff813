// 'trailblaze tool test' runs these, each on a fresh device.
import { assert, test } from "@trailblaze/scripting/test";

test("counts up to a number", async ({ client }) => {
  await client.launchApp("com.example.counter");
  const result = await client.callTool("counter_countTo", { target: 3 });
  assert.equal(result.text, "counted from 0 to 3");
  assert.equal(await client.getElementText("value"), "3");
});

test("does not count backwards", async ({ client }) => {
  await client.launchApp("com.example.counter");
  await client.callTool("counter_countTo", { target: 2 });
  await assert.rejects(() => client.callTool("counter_countTo", { target: 1 }), /is at 2 already/);
});
