// 'trailblaze tool test -w examples/first' runs these, each on a phone of its own.
import { assert, test } from "@trailblaze/scripting/test";

import { countOf, rowsOf } from "./rows";

test("a row is read from its name, its address and its status", () => {
  const node = (id: string, text: string) => ({ id: `com.example.parcel:id/${id}`, text, bounds: null });
  const nodes = [
    node("parcel_name", "Ada Bauer"),
    node("parcel_address", "P-1001, 3 Station Road"),
    node("parcel_status", "Card left"),
    node("parcel_name", "Ben Carter"),
    node("parcel_address", "P-1002, 18 Station Road"),
    node("parcel_name", "Chloe Diaz"),
  ];
  assert.deepEqual(rowsOf({ nodes }), [
    { name: "Ada Bauer", code: "P-1001", street: "3 Station Road", status: "Card left" },
    { name: "Ben Carter", code: "P-1002", street: "18 Station Road", status: undefined },
  ]);
});

test("the number of parcels is read from the line above the list", () => {
  assert.equal(countOf("3 of 24 parcels"), 3);
  assert.equal(countOf("24 parcels today"), 24);
  assert.throws(() => countOf(null), /is no number of parcels/);
});

test("a search says how many parcels were found", async ({ client }) => {
  await client.callTool("parcel_startSignedIn");
  const search = async (query: string) => (await client.callTool("parcel_search", { query })).structured;
  assert.deepEqual(await search("mill"), { query: "mill", found: 3 });
  assert.deepEqual(await search("zebra crossing"), { query: "zebra crossing", found: 0 });
  assert.deepEqual(await search(""), { query: "", found: 24 });
});

test("too few parcels are a failure", async ({ client }) => {
  await client.callTool("parcel_startSignedIn");
  const search = client.callTool("parcel_search", { query: "mill", atLeast: 4 });
  await assert.rejects(search, /3 parcels were found for 'mill', not 4 or more/);
});

test("cards are left at all parcels of a street, and only once", async ({ client }) => {
  await client.callTool("parcel_startSignedIn");
  const leave = async () => (await client.callTool("parcel_leaveCards", { street: "Mill Lane" })).structured;
  assert.deepEqual(await leave(), { street: "Mill Lane", cards: 3, codes: ["P-1003", "P-1004", "P-1015"] });
  assert.deepEqual(await leave(), { street: "Mill Lane", cards: 0, codes: [] });
});

test("a street without parcels is a failure", async ({ client }) => {
  await client.callTool("parcel_startSignedIn");
  const leave = client.callTool("parcel_leaveCards", { street: "Elm Street" });
  await assert.rejects(leave, /no parcel goes to 'Elm Street'/);
});
