import { openAuthority, createPolicy, type Authority } from '../../src/access/authorizer/index.js';
import { createDesk, type Desk, type DeskParts } from '../../src/access/admin/index.js';
import { loadConditions } from '../../src/access/engine/index.js';
import { shippedModel } from '../../src/access/model.generated.js';
import type { AccessStore } from '../../src/access/ports/index.js';
import {
  type ProfileSource,
  profileWarnings,
  resolveProfiles,
  type ResolveOptions,
} from '../../src/access/profiles/index.js';
import { nearest } from '../../src/lib/nearest.js';
import { JsonText } from '../../src/lib/json-text.js';
import type { Spec, ToolSpec } from '../../src/core/index.js';
import { createMemoryStore } from '../../src/stores/memory/index.js';

/** A desk on a store in memory, with a catalogue and profiles of its own. */
export interface TestDesk {
  readonly desk: Desk;
  readonly store: AccessStore;
  readonly authority: Authority;
  readonly parts: DeskParts;
  /** What `now` says from here on. */
  setTime(at: number): void;
  close(): void;
}

export interface DeskPlace {
  readonly store?: AccessStore;
  readonly specs?: readonly Spec[];
  readonly profiles?: readonly ProfileSource[];
  readonly options?: Partial<ResolveOptions>;
  readonly more?: Partial<DeskParts>;
}

export function tool(name: string, more: Partial<ToolSpec> = {}): ToolSpec {
  const fixed = { effect: 'read', hints: {}, definition: JsonText.from({ name }) } as const;
  return { kind: 'tool', name, localName: name, source: 'builtin', ...fixed, ...more };
}

const github = 'server:github' as const;
export const deskTools: readonly Spec[] = [
  ...['Read', 'Glob', 'Grep', 'Write', 'Edit'].map((name) => tool(name, { tier: 1 })),
  ...['Bash', 'BashOutput', 'KillBash'].map((name) => tool(name, { tier: 3 })),
  tool('github_create_issue', { localName: 'create_issue', source: github }),
  tool('github_get_issue', { localName: 'get_issue', source: github }),
  {
    kind: 'prompt',
    name: 'github_review',
    localName: 'review',
    source: github,
    definition: JsonText.from({ name: 'github_review' }),
  },
];

export const startOfTest = Date.parse('2026-08-01T12:00:00Z');

export async function openTestDesk(place: DeskPlace = {}): Promise<TestDesk> {
  const { specs = deskTools, profiles: sources = [], options, more } = place;
  let time = startOfTest;
  const now = (): number => time;
  const store = place.store ?? { ...createMemoryStore(), time: now };
  const builtins = new Set(
    specs.flatMap((spec) => (spec.source === 'builtin' && 'name' in spec ? [spec.name] : [])),
  );
  const isBuiltin = (name: string): boolean => builtins.has(name);
  const profiles = resolveProfiles(sources, { isBuiltin, nearest, ...options });
  const conditions = await loadConditions(shippedModel);
  const authority = openAuthority({
    store,
    zone: 'local',
    model: shippedModel,
    conditions,
    policy: createPolicy(profiles),
    isAlive: () => true,
    confirm: () => true,
    now,
    log: () => undefined,
  });
  const parts: DeskParts = {
    store,
    zone: 'local',
    authority,
    model: shippedModel,
    conditions,
    modelId: 'shipped',
    profiles: () => profiles,
    profileWarnings: (tools) =>
      profileWarnings(profiles, tools, nearest).map(({ code, message }) => `${code}: ${message}`),
    catalogue: () => Promise.resolve({ specs, unlisted: [] }),
    wholeCatalogue: () => Promise.resolve({ specs, unlisted: [] }),
    isBuiltin,
    nearest,
    now,
    gather: () => Promise.resolve(),
    by: { principal: 'user:ana' },
    operator: 'user:ana',
    ...more,
  };
  return {
    desk: createDesk(parts),
    store,
    authority,
    parts,
    setTime(at) {
      time = at;
    },
    close: () => authority.close(),
  };
}
