// The parcels on the screen. Nothing here touches the phone, so that it is easy to test.
import type { Screen, ScreenNode } from "@trailblaze/scripting";

export interface Row {
  name: string;
  /** Such as 'P-1003'. */
  code: string;
  street: string;
  /** 'Delivered', 'Card left' or 'Pinned'; undefined while the parcel is still to do. */
  status: string | undefined;
}

/** The part of an id behind the package. */
const idOf = (node: ScreenNode): string | undefined => node.id?.split("/").at(-1);

/** The rows of the list from top to bottom; one that is cut off before its address is left out. */
export function rowsOf({ nodes }: Pick<Screen, "nodes">): Row[] {
  const rows: Row[] = [];
  let name: string | undefined;
  for (const node of nodes) {
    const text = node.text ?? "";
    if (idOf(node) === "parcel_name") name = text;
    if (idOf(node) === "parcel_address" && name !== undefined) {
      const [code = "", street = ""] = text.split(", ");
      rows.push({ name, code, street, status: undefined });
      name = undefined;
    }
    const last = rows.at(-1);
    if (idOf(node) === "parcel_status" && last && text) last.status = text;
  }
  return rows;
}

/** The number in front of '3 of 24 parcels' or '24 parcels today'. */
export function countOf(text: string | null): number {
  const digits = text?.match(/^\d+/)?.[0];
  if (digits === undefined) throw new Error(`'${text}' is no number of parcels`);
  return Number(digits);
}
