import { trailblaze } from "@trailblaze/scripting";

trailblaze.tool({ name: "bench_nothing", description: "Does nothing.", handler: () => "done" });

trailblaze.tool({
  name: "bench_tenCommands",
  description: "Looks ten times.",
  handler: async (_, { client }) => {
    for (let i = 0; i < 10; i += 1) {
      if (!(await client.isVisible("0"))) throw new Error("the value is not there");
    }
    return "seen";
  },
});
