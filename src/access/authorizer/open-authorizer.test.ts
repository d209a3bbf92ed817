import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createFakeGrants, type FakeGrants } from '../../../test/support/grant-store.js';
import { JsonText } from '../../lib/json-text.js';
import type { Delegation, Principal, Session, ToolSpec } from '../../core/index.js';
import { type CompiledModel, compileModel, type Conditions, loadConditions } from '../engine/index.js';
import { StoreError } from '../ports/index.js';
import { resolveProfiles } from '../profiles/index.js';
import { type Authorizer, type AuthorizerParts, openAuthorizer } from './open-authorizer.js';
import { createPolicy } from './policy.js';

const alice: Principal = { kind: 'agent', id: 'alice', zone: 'local' };
const ana: Principal = { kind: 'user', id: 'ana', zone: 'local' };
const me = 'principal:agent/alice';
let model: CompiledModel;
let conditions: Conditions;

beforeAll(async () => {
  model = await compileModel(await readFile(fileURLToPath(new URL('../model.fga', import.meta.url)), 'utf8'));
  conditions = await loadConditions(model);
});

function tool(name: string, source: ToolSpec['source'] = 'builtin', localName = name): ToolSpec {
  const more = { effect: 'read', hints: {}, definition: JsonText.from({ name }) } as const;
  return { kind: 'tool', name, localName, source, ...more };
}

const read = tool('Read');
const write = tool('Write');
const bash = tool('Bash');
const issue = tool('github_create_issue', 'server:github', 'create_issue');
const all = [read, write, bash, issue];

function session(principal: Principal, chain?: readonly Delegation[]): Session {
  return { id: 's', principal, scope: 'connection', ...(chain && { chain }) };
}

const own = (more: Partial<Delegation> = {}): Delegation => ({ principal: alice, rights: 'own', ...more });
const ofAlice = (more: Partial<Delegation> = {}): Session => session(alice, [own(more)]);

function open(store: FakeGrants, more: Partial<AuthorizerParts> = {}, principals = {}): Authorizer {
  const isBuiltin = (name: string): boolean => /^[A-Z]/.test(name);
  const profiles = resolveProfiles([], { isBuiltin, defaultProfile: 'none', ...principals });
  return openAuthorizer({
    store,
    zone: 'local',
    model,
    conditions,
    policy: createPolicy(profiles),
    isAlive: () => true,
    confirm: () => true,
    now: () => Date.now(),
    log: () => undefined,
    ...more,
  });
}

function seen(authorizer: Authorizer, who: Session, specs: readonly ToolSpec[]): readonly string[] {
  return specs.filter((spec) => authorizer.visible(who, spec).visible).map(({ name }) => name);
}

async function names(authorizer: Authorizer, who: Session): Promise<string> {
  await authorizer.refresh(who);
  const listed = seen(authorizer, who, all);
  for (const spec of all) {
    const { isAllowed } = authorizer.explain(who, spec, 'see');
    expect([spec.name, isAllowed]).toEqual([spec.name, listed.includes(spec.name)]);
    expect(authorizer.explain(who, spec, 'call').isAllowed).toBe(authorizer.visible(who, spec).callable);
  }
  return listed.join(' ');
}

describe.each(['at once', 'later'] as const)('an authorizer with a store that answers %s', (when) => {
  it('shows what is granted, by tool, glob, server, tier and profile', async () => {
    const store = createFakeGrants(when);
    const authorizer = open(store);
    expect(await names(authorizer, ofAlice())).toBe('');
    store.put([me, 'caller', 'tool:builtin/Read']);
    expect(await names(authorizer, ofAlice())).toBe('Read');
    store.put([me, 'caller', 'group:glob/github_*']);
    expect(await names(authorizer, ofAlice())).toBe('Read github_create_issue');
    store.take([me, 'caller', 'group:glob/github_*'], [me, 'caller', 'tool:builtin/Read']);
    store.put([me, 'seer', 'provider:server/github'], [me, 'assignee', 'profile:coding']);
    expect(await names(authorizer, ofAlice())).toBe('Read Write github_create_issue');
    expect(authorizer.visible(ofAlice(), issue)).toEqual({ visible: true, callable: false });
    expect(authorizer.explain(ofAlice(), issue, 'call').reason).toBe('no_call_grant');
  });

  it('lets a block override every grant, including one on a server or from a profile', async () => {
    const store = createFakeGrants(when);
    const authorizer = open(store);
    store.put([me, 'assignee', 'profile:full'], [me, 'blocked', 'tool:builtin/Bash']);
    expect(await names(authorizer, ofAlice())).toBe('Read Write github_create_issue');
    store.put([me, 'blocked', 'provider:server/github']);
    expect(await names(authorizer, ofAlice())).toBe('Read Write');
    expect(authorizer.explain(ofAlice(), bash, 'call').reason).toBe('blocked');
  });

  it('drops revoked rights at once, and notifies listeners', async () => {
    const store = createFakeGrants(when);
    const authorizer = open(store);
    store.put([me, 'caller', 'tool:builtin/Read']);
    expect(await names(authorizer, ofAlice())).toBe('Read');
    const told = vi.fn();
    authorizer.onChange(told);
    store.take([me, 'caller', 'tool:builtin/Read']);
    store.tell();
    await vi.waitFor(() => expect(told).toHaveBeenCalledOnce());
    expect(authorizer.visible(ofAlice(), read).visible).toBe(false);
  });

  it('shows nothing to any caller while the store fails, and everything again afterwards', async () => {
    const store = createFakeGrants(when);
    const log = vi.fn();
    const authorizer = open(store, { log });
    const operator = session(ana, [{ principal: ana, rights: 'all' }]);
    store.put([me, 'assignee', 'profile:full']);
    expect(await names(authorizer, operator)).toBe(all.map(({ name }) => name).join(' '));
    store.fail(new StoreError('store.unavailable', 'gone'));
    expect(await names(authorizer, ofAlice())).toBe('');
    expect(await names(authorizer, operator)).toBe('');
    expect(authorizer.revision).toBeUndefined();
    expect(authorizer.explain(ofAlice(), read, 'call').reason).toBe('store_unavailable');
    expect(log).toHaveBeenCalledExactlyOnceWith(
      'warn',
      expect.any(String),
      expect.objectContaining({ code: 'store.unavailable' }),
    );
    store.fail(undefined);
    expect(await names(authorizer, ofAlice())).toBe(all.map(({ name }) => name).join(' '));
    expect(log).toHaveBeenLastCalledWith('info', expect.any(String));
  });

  it('detects a store that went back in time by its history', async () => {
    const store = createFakeGrants(when);
    store.put([me, 'caller', 'tool:builtin/Read'], [me, 'caller', 'tool:builtin/Write']);
    let current = store;
    const authorizer = open({
      ...store,
      head: (zone) => current.head(zone),
      changes: (zone, from) => current.changes(zone, from),
    });
    expect(await names(authorizer, ofAlice())).toBe('Read Write');
    current = createFakeGrants(when);
    current.put([me, 'caller', 'tool:builtin/Bash']);
    expect(await names(authorizer, ofAlice())).toBe('Bash');
  });

  it('ends a grant exactly at its expiry', async () => {
    const store = createFakeGrants(when);
    let now = Date.parse('2026-01-01T00:00:00Z');
    const authorizer = open(store, { now: () => now });
    const until = { name: 'not_expired', context: { until: '2026-01-02T00:00:00Z' } };
    store.add({ user: me, relation: 'caller', object: 'tool:builtin/Read', condition: until });
    expect(await names(authorizer, ofAlice())).toBe('Read');
    now = Date.parse('2026-01-02T00:00:00Z');
    expect(authorizer.visible(ofAlice(), read).visible).toBe(false);
    expect(authorizer.explain(ofAlice(), read, 'call').reason).toBe('grant_expired');
  });
});

describe('a chain', () => {
  const full = [me, 'assignee', 'profile:full'] as const;
  const child: Principal = { kind: 'agent', id: 'alice/helper', zone: 'local' };

  it('allows only what all of its links allow', async () => {
    const store = createFakeGrants('at once');
    const authorizer = open(store);
    store.put(full);
    const helper = session(child, [own(), { principal: child, rights: 'inherited', profile: 'coding' }]);
    expect(await names(authorizer, helper)).toBe('Read Write');
    store.take(full);
    store.put([me, 'assignee', 'profile:minimal']);
    expect(await names(authorizer, helper)).toBe('Read');
    expect(authorizer.explain(helper, write, 'call').reason).toBe('parent_lacks');
    store.put(['principal:agent/alice/helper', 'blocked', 'tool:builtin/Read']);
    expect(await names(authorizer, helper)).toBe('');
    expect(authorizer.explain(helper, read, 'call').reason).toBe('blocked');
  });

  it('allows nothing if one of its credentials is void or from another zone, or if it has no links', async () => {
    const store = createFakeGrants('at once');
    const dead = new Set<string>();
    const authorizer = open(store, { isAlive: (id) => !dead.has(id) });
    store.put(full);
    const linked = session(alice, [
      own({ tokenId: 'a' }),
      { principal: child, rights: 'inherited', tokenId: 'b' },
    ]);
    expect(await names(authorizer, linked)).not.toBe('');
    dead.add('a');
    expect(await names(authorizer, linked)).toBe('');
    expect(authorizer.explain(linked, read, 'call').reason).toBe('credential_void');
    expect(await names(authorizer, session({ ...alice, zone: 'other' }))).toBe('');
    expect(await names(authorizer, ofAlice({ principal: { ...alice, zone: 'other' } }))).toBe('');
    expect(await names(authorizer, session(alice, []))).toBe('');
  });

  it('uses the profile of the gateway as a limit, and as its own profile if it has none', async () => {
    const store = createFakeGrants('at once');
    const authorizer = open(store);
    expect(await names(authorizer, ofAlice({ profile: 'coding' }))).toBe('Read Write');
    store.put([me, 'assignee', 'profile:minimal']);
    expect(await names(authorizer, ofAlice({ profile: 'coding' }))).toBe('Read');
    store.take([me, 'assignee', 'profile:minimal']);
    store.put(full);
    expect(await names(authorizer, ofAlice({ profile: 'coding' }))).toBe('Read Write');
    expect(await names(authorizer, ofAlice({ profile: 'no-such-profile' }))).toBe('');
    expect(await names(authorizer, ofAlice({ tools: ['R*', '!Read', 'Bash'] }))).toBe('Bash');
  });

  it('recognizes admins of the zone, unless their link is limited', async () => {
    const store = createFakeGrants('at once');
    const authorizer = open(store);
    store.put([me, 'admin', 'zone:local']);
    expect(await names(authorizer, ofAlice())).toBe(all.map(({ name }) => name).join(' '));
    expect(authorizer.isAdmin(ofAlice())).toBe(true);
    expect(authorizer.isAdmin(ofAlice({ profile: 'full' }))).toBe(false);
    expect(authorizer.isAdmin(session(child, [own(), { principal: child, rights: 'inherited' }]))).toBe(
      false,
    );
    expect(authorizer.isAdmin(session(ana))).toBe(false);
  });

  it('uses the default profile, or the one the file sets for the principal, until one is assigned', async () => {
    const store = createFakeGrants('at once');
    const principals = [
      { principal: 'agent:alice', profile: 'coding', remove: ['Write'], add: ['github_*'] },
    ];
    const authorizer = open(store, {}, { principals, defaultProfile: 'minimal' });
    expect(await names(authorizer, ofAlice())).toBe('Read github_create_issue');
    expect(await names(authorizer, session(ana))).toBe('Read');
    store.put([me, 'assignee', 'profile:execution']);
    expect(await names(authorizer, ofAlice())).toBe('Read Bash github_create_issue');
  });
});

it('identifies the rights of a session until they may have changed', async () => {
  const store = createFakeGrants('at once');
  const authorizer = open(store);
  expect(authorizer.rightsOf(ofAlice())).toBe('none');
  store.put([me, 'caller', 'tool:builtin/Read']);
  await authorizer.refresh();
  const first = authorizer.rightsOf(ofAlice());
  expect(first).toBeTypeOf('symbol');
  await authorizer.refresh();
  expect(authorizer.rightsOf(ofAlice())).toBe(first);
  store.put([me, 'caller', 'tool:builtin/Write']);
  await authorizer.refresh();
  expect(authorizer.rightsOf(ofAlice())).not.toBe(first);
});

it('treats an id that no tuple can contain as no match, and hides nothing else', async () => {
  const store = createFakeGrants('at once');
  const authorizer = open(store);
  store.put([me, 'caller', 'group:glob/*']);
  await authorizer.refresh();
  const long = tool('x'.repeat(600));
  expect(seen(authorizer, ofAlice(), [read, long])).toEqual(['Read']);
  expect(authorizer.visible(ofAlice(), long).visible).toBe(false);
});

describe('tools that are part of the gateway', () => {
  const search: ToolSpec = { ...tool('tool_search'), reach: 'open' };
  const discover: ToolSpec = { ...tool('discovery_search_tools'), reach: 'named' };
  const seenBy = async (authorizer: Authorizer, who: Session): Promise<string> => {
    await authorizer.refresh(who);
    return seen(authorizer, who, [search, discover]).join(' ');
  };

  it('that are open are available without any grant, unless they are blocked', async () => {
    const store = createFakeGrants('at once');
    const authorizer = open(store);
    expect(await seenBy(authorizer, ofAlice())).toBe('tool_search');
    expect(authorizer.visible(ofAlice(), search)).toEqual({ visible: true, callable: true });
    expect(authorizer.explain(ofAlice(), search, 'call')).toMatchObject({ isAllowed: true, reason: 'open' });
    store.put([me, 'blocked', 'tool:builtin/tool_search']);
    expect(await seenBy(authorizer, ofAlice())).toBe('');
    expect(authorizer.explain(ofAlice(), search, 'call')).toMatchObject({
      isAllowed: false,
      reason: 'blocked',
    });
  });

  it('that are open pass a profile that does not name them, but not a list of tools', async () => {
    const authorizer = open(createFakeGrants('at once'));
    expect(await seenBy(authorizer, ofAlice({ profile: 'minimal' }))).toBe('tool_search');
    expect(await seenBy(authorizer, ofAlice({ profile: 'unheard' }))).toBe('');
    expect(await seenBy(authorizer, ofAlice({ tools: ['Read'] }))).toBe('');
  });

  it('that must be named are granted by name only, not by a pattern for everything', async () => {
    const store = createFakeGrants('at once');
    const authorizer = open(store);
    const operator = session(ana, [{ principal: ana, rights: 'all' }]);
    expect(await seenBy(authorizer, operator)).toBe('tool_search');
    for (const object of ['group:glob/*', 'provider:builtin', 'group:tier/1', 'group:glob/?iscovery*']) {
      store.put([me, 'caller', object]);
      expect(await seenBy(authorizer, ofAlice()), object).toBe('tool_search');
    }
    store.put([me, 'caller', 'group:glob/discovery_*']);
    expect(await seenBy(authorizer, ofAlice())).toBe('tool_search discovery_search_tools');
    expect(authorizer.explain(ofAlice(), discover, 'call')).toMatchObject({ isAllowed: true });
  });
});
