import { tierDescriptions } from './tier-descriptions.js';
import type { Tool } from './with-tools.js';

/** Facts about a tool besides its arguments, as label and value. */
export function factsOf({ source, effect, hints, tier, needs, optional = [] }: Tool): readonly Fact[] {
  return [
    ['source', source],
    ['effect', effect],
    ['hints', hintText(hints)],
    ...(tier === undefined ? [] : ([['tier', `${String(tier)}, ${tierDescriptions[tier]}`]] as const)),
    ...(needs === undefined ? [] : ([['needs', needs.join(', ') || 'nothing']] as const)),
    ...(optional.length === 0 ? [] : ([['may use', optional.join(', ')]] as const)),
  ];
}

export type Fact = readonly [word: string, value: string];

const hintNames = {
  readOnly: 'read-only',
  destructive: 'destructive',
  idempotent: 'idempotent',
  openWorld: 'open-world',
} as const satisfies Readonly<Record<keyof Tool['hints'], string>>;

function hintText(hints: Tool['hints']): string {
  const words = [
    hintWord('readOnly', hints.readOnly),
    hintWord('destructive', hints.destructive),
    hintWord('idempotent', hints.idempotent),
    hintWord('openWorld', hints.openWorld),
  ];
  return words.filter((word) => word !== '').join(', ') || 'none';
}

function hintWord(name: keyof Tool['hints'], value: boolean | undefined): string {
  if (value === undefined) return '';
  return value ? hintNames[name] : `not ${hintNames[name]}`;
}
