import { openAuthorizer, createPolicy, type Authorizer } from '../../src/access/authorizer/index.js';
import { createAdminService, type AdminService, type AdminParts } from '../../src/access/admin/index.js';
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

/** An admin service on a memory store, with its own catalog and profiles. */
export interface TestAdmin {
  readonly service: AdminService;
  readonly store: AccessStore;
  readonly authorizer: Authorizer;
  readonly parts: AdminParts;
  /** What `now` says from here on. */
  setTime(at: number): void;
  close(): void;
}

export interface AdminPlace {
  readonly store?: AccessStore;
  readonly specs?: readonly Spec[];
  readonly profiles?: readonly ProfileSource[];
  readonly options?: Partial<ResolveOptions>;
  readonly more?: Partial<AdminParts>;
}

export function tool(name: string, more: Partial<ToolSpec> = {}): ToolSpec {
  const fixed = { effect: 'read', hints: {}, definition: JsonText.from({ name }) } as const;
  return { kind: 'tool', name, localName: name, source: 'builtin', ...fixed, ...more };
}

const github = 'server:github' as const;
export const adminTools: readonly Spec[] = [
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

export async function openTestAdmin(place: AdminPlace = {}): Promise<TestAdmin> {
  const { specs = adminTools, profiles: sources = [], options, more } = place;
  let time = startOfTest;
  const now = (): number => time;
  const store = place.store ?? { ...createMemoryStore(), time: now };
  const builtins = new Set(
    specs.flatMap((spec) => (spec.source === 'builtin' && 'name' in spec ? [spec.name] : [])),
  );
  const isBuiltin = (name: string): boolean => builtins.has(name);
  const profiles = resolveProfiles(sources, { isBuiltin, nearest, ...options });
  const conditions = await loadConditions(shippedModel);
  const authorizer = openAuthorizer({
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
  const parts: AdminParts = {
    store,
    zone: 'local',
    authorizer,
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
    service: createAdminService(parts),
    store,
    authorizer,
    parts,
    setTime(at) {
      time = at;
    },
    close: () => authorizer.close(),
  };
}
