import type { Step } from './workflow.js';

/** A cycle of steps that wait for each other, so none of them could ever start. */
export function dependencyCircle(
  steps: ReadonlyMap<string, Step>,
  names: Iterable<string> = steps.keys(),
): readonly string[] | undefined {
  const known = new Set(names);
  const done = new Set<string>();
  const visit = (name: string, trail: readonly string[]): readonly string[] | undefined => {
    if (trail.includes(name)) return [...trail.slice(trail.indexOf(name)), name];
    if (done.has(name)) return undefined;
    for (const other of steps.get(name)?.common.depends_on ?? []) {
      const found = known.has(other) ? visit(other, [...trail, name]) : undefined;
      if (found !== undefined) return found;
    }
    done.add(name);
    return undefined;
  };
  for (const name of known) {
    const found = visit(name, []);
    if (found !== undefined) return found;
  }
  return undefined;
}
