// Tools for the counter. They run in Trailblaze itself, on a laptop and on a phone: no Node is needed.
import { client, trailblaze } from "@trailblaze/scripting";
import { error } from "@trailblaze/scripting/result";

async function count(): Promise<number> {
  return Number(await client.getElementText("value"));
}

trailblaze.tool({
  name: "counter_countTo",
  description: "Presses the plus button until the counter shows a number.",
  input: {
    type: "object",
    properties: { target: { type: "integer", description: "The number that the counter must show" } },
    required: ["target"],
    additionalProperties: false,
  },
  handler: async ({ target }) => {
    const from = await count();
    if (from > target) return error(`the counter is at ${from} already, which is more than ${target}`);
    for (let n = from; n < target; n++) await client.tap({ id: "plus" });
    await client.assertVisible({ id: "value", expectedText: String(target) });
    return `counted from ${from} to ${target}`;
  },
});
