// A toolset of Trailblaze's own SDK whose tool looks at the screen, which takes one callback.
import { trailblaze } from "@trailblaze/scripting";

trailblaze.tool({
  name: "bench_look",
  description: "Looks once.",
  handler: async (_, { client }) => {
    if (!(await client.isVisible("0"))) throw new Error("the value is not there");
    return "seen";
  },
});
