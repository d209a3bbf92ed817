import { exactOffset, type Path } from '../../lib/tree.js';
import type { Flaw } from '../finding.js';
import type { Step } from '../grammar/workflow.js';

/** A flaw at a key of a step. Nested forms have the key one level deeper. */
export function flawAt(
  step: Step,
  way: Path,
  code: Flaw['code'],
  message: string,
  more: Partial<Flaw> = {},
): Flaw {
  const { source, path, offset } = step;
  const ways = [
    [...path, ...way],
    [...path, 'agent', ...way],
    [...path, 'call_workflow', ...way],
  ];
  const found = ways.find((candidate) => exactOffset(source.root, candidate) !== undefined);
  const place = found === undefined ? undefined : exactOffset(source.root, found);
  return { code, message, source, offset: place ?? offset, path: found ?? [...path, ...way], ...more };
}
