// What the figures here have in common.

const WARM_UP = 2_000;

/** The number behind an option such as `--calls`. */
export function option(name: string, otherwise: number): number {
  const at = process.argv.indexOf(name);
  return at < 0 ? otherwise : Number(process.argv[at + 1]);
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}

/** The median time in microseconds of something that is done again and again, one after the other. */
export async function micros(calls: number, once: () => Promise<unknown>): Promise<number> {
  for (let count = 0; count < WARM_UP; count += 1) await once();
  const times: number[] = [];
  for (let count = 0; count < calls; count += 1) {
    const start = Bun.nanoseconds();
    await once();
    times.push((Bun.nanoseconds() - start) / 1e3);
  }
  return median(times);
}

export const round = (value: number) => Math.round(value * 10) / 10;
