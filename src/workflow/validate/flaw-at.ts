import { offsetAt, type Path } from '../../kernel/index.js';
import type { Flaw } from '../finding.js';
import type { Step } from '../grammar/workflow.js';

/** A flaw at a key of a step, wherever the key stands: the nested forms have it one level deeper. */
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
  const isThere = (candidate: Path): boolean =>
    offsetAt(source.root, candidate) !== offsetAt(source.root, candidate.slice(0, -1));
  const found = ways.find(isThere);
  const place = found === undefined ? offset : offsetAt(source.root, found);
  return { code, message, source, offset: place, path: found ?? [...path, ...way], ...more };
}
