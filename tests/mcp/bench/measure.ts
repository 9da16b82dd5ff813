// What the figures here have in common.

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}

/** The median time in microseconds of something that is done again and again, one after the other. */
export async function micros(times: number, once: () => Promise<unknown>): Promise<number> {
  const took: number[] = [];
  for (let count = 0; count < times; count += 1) {
    const start = Bun.nanoseconds();
    await once();
    took.push((Bun.nanoseconds() - start) / 1e3);
  }
  return median(took);
}

/**
 * Takes its turn with others: every line of stdin is a number, which is answered by a figure on a line. The end of stdin
 * is the end.
 */
export async function turns(turn: (number: number) => Promise<number>): Promise<void> {
  for await (const line of console) {
    // The last one is empty.
    if (line !== "") console.log((await turn(Number(line))).toFixed(1));
  }
}
