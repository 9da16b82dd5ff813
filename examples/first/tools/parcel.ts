// What a courier does in Parcel that takes a loop or a decision. It runs in Trailblaze itself, on a laptop and on a
// phone; 'trailblaze tool test -w examples/first' tries it.
import { trailblaze, type TrailblazeClient } from "@trailblaze/scripting";
import { error } from "@trailblaze/scripting/result";

import { countOf, rowsOf, type Row } from "./rows";

/** Searches with a tool that is written in YAML; an empty query shows the whole round again. */
async function search(client: TrailblazeClient, query: string): Promise<number> {
  if (query !== "") {
    await client.callTool("parcel_fillField", { field: "search", value: query });
  } else if (await client.isVisible({ id: "search_clear" })) {
    await client.tap({ id: "search_clear" });
    await client.hideKeyboard();
  }
  return countOf(await client.getElementText("count"));
}

trailblaze.tool({
  name: "parcel_search",
  description: "Searches the round and says how many parcels were found.",
  input: {
    type: "object",
    properties: {
      query: { type: "string", description: "A part of a name, a street or a code; empty for all parcels" },
      atLeast: { type: "integer", minimum: 0, description: "Fail when there are fewer" },
    },
    required: ["query"],
    additionalProperties: false,
  },
  handler: async ({ query, atLeast = 0 }, { client }) => {
    const found = await search(client, query);
    if (found < atLeast) return error(`${found} parcels were found for '${query}', not ${atLeast} or more`);
    return { query, found };
  },
});

/** Holds one row and answers all that the app asks. */
async function leaveCard(client: TrailblazeClient, { name }: Row): Promise<void> {
  await client.longPress(name);
  await client.tap("Nobody home");
  await client.tap({ id: "yes" });
}

trailblaze.tool({
  name: "parcel_leaveCards",
  description: "Leaves a card at every parcel of a street that is still to do.",
  input: {
    type: "object",
    properties: { street: { type: "string", description: "The street without a number" } },
    required: ["street"],
    additionalProperties: false,
  },
  handler: async ({ street }, { client }) => {
    const found = await search(client, street);
    if (found === 0) return error(`no parcel goes to '${street}'`);
    const codes: string[] = [];
    // The list moves when something is pinned and changes with each card, so it is read again each time.
    for (let turn = 0; turn <= found; turn++) {
      const next = rowsOf(await client.captureScreen()).find((row) => !row.status || row.status === "Pinned");
      if (next === undefined) break;
      console.log(`leaving a card for ${next.name}`);
      await leaveCard(client, next);
      codes.push(next.code);
    }
    await search(client, "");
    return { street, cards: codes.length, codes };
  },
});
