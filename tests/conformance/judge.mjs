// What the suite found, against the list of what may fail. Knows nothing of files and processes.

/** Whether a check says that something is wrong. */
const isBad = ({ status }) => status === 'FAILURE' || status === 'WARNING';
const isDone = ({ status }) => status === 'SUCCESS' || isBad({ status });

/** The id under which a scenario without a single check fails. */
const NOTHING = 'checked-nothing';

/** The entries of the list that are meant for one half and one set, each with its reason. */
export function expectedIn(list, half, set) {
  const entries = list.filter((entry) => entry.half === half && entry.sets.includes(set));
  return new Map(entries.flatMap(({ fails, reason }) => fails.map((key) => [key, reason])));
}

/** What is wrong with the list itself. */
export function troubleIn(list, halves, sets) {
  const known = (word, words) => words.includes(word);
  const trouble = [];
  const seen = new Set();
  for (const { half, sets: named = [], reason, fails = [] } of list) {
    const name = fails[0] ?? JSON.stringify({ half, reason });
    if (!reason?.trim()) trouble.push(`${name} is expected to fail without a reason`);
    if (!known(half, halves)) trouble.push(`${name} is expected to fail in '${half}', which is no half`);
    if (fails.length === 0 || named.length === 0) trouble.push(`an entry of the list names nothing: ${name}`);
    for (const set of named) {
      if (!known(set, sets)) trouble.push(`${name} is expected to fail in '${set}', which is no requirement set`);
      for (const key of fails) {
        const place = `${half} ${set} ${key}`;
        if (seen.has(place)) trouble.push(`${place} is in the list twice`);
        seen.add(place);
      }
    }
  }
  return trouble;
}

/**
 * Judges one half and one set.
 *
 * @param {string[]} scenarios every scenario that has to be run
 * @param {Map<string, {id: string, status: string, errorMessage?: string}[]>} results the checks of each that was run
 * @param {Map<string, string>} expected the reasons, by `scenario` or `scenario:check`
 */
export function judge(scenarios, results, expected) {
  const problems = [];
  const counts = { scenarios: 0, checks: 0, expected: 0 };
  const used = new Set();
  if (scenarios.length === 0) problems.push('the set names no scenario');
  for (const scenario of scenarios) {
    const checks = results.get(scenario);
    if (!checks) {
      problems.push(`${scenario} was not run`);
      continue;
    }
    counts.scenarios += 1;
    counts.checks += checks.filter(({ status }) => status === 'SUCCESS').length;
    const bad = new Map(checks.filter(isBad).map(({ id, errorMessage }) => [id, errorMessage ?? '']));
    if (!checks.some(isDone)) bad.set(NOTHING, 'not a single check was made');
    if (expected.has(scenario)) {
      if (bad.size > 0) used.add(scenario);
      continue;
    }
    for (const [id, message] of bad) {
      const key = `${scenario}:${id}`;
      if (expected.has(key)) used.add(key);
      else problems.push(`${key} failed${message ? `: ${message}` : ''}`);
    }
  }
  counts.expected = used.size;
  for (const key of expected.keys()) {
    if (!used.has(key)) problems.push(`${key} is expected to fail and did not: take it out of the list`);
  }
  return { ...counts, problems };
}
