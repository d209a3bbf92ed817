import { afterEach, describe, expect, it } from 'vitest';
import { type AdminPlace, openTestAdmin, type TestAdmin } from '../../../test/support/admin-service.js';

let opened: TestAdmin[] = [];
afterEach(() => {
  for (const service of opened) service.close();
  opened = [];
});

async function open(place: AdminPlace = {}): Promise<TestAdmin> {
  const service = await openTestAdmin(place);
  opened.push(service);
  return service;
}

const head = { tidegate: 'access', format: 1, zone: 'local' };
const member = { user: 'principal:agent/alice', relation: 'member', object: 'role:a' };

describe('a document of grants', () => {
  it('copies everything to another store, and a second import changes nothing', async () => {
    const { service } = await open();
    await service.profileAssign('agent:alice', 'coding');
    await service.grant('agent:alice', 'Bash', { until: '30d' });
    await service.grant('agent:bob', undefined, { admin: true });
    const document = await service.exportAll();
    expect(document).toMatchObject({ ...head, revision: 3, model: 'shipped' });
    expect(document.tuples).toHaveLength(3);

    const other = await open();
    const read: unknown = JSON.parse(JSON.stringify(document));
    expect(await other.service.importAll(read, { dryRun: true })).toMatchObject({
      changed: true,
      isDryRun: true,
      revision: 0,
      wrote: document.tuples.map((tuple) => expect.objectContaining(tuple) as unknown),
    });
    expect((await other.store.head('local')).revision).toBe(0);
    expect(await other.service.importAll(read)).toMatchObject({
      changed: true,
      isDryRun: false,
      revision: 1,
    });
    expect((await other.service.exportAll()).tuples).toEqual(document.tuples);
    expect(await other.service.importAll(read, { replace: true })).toMatchObject({
      changed: false,
      revision: 1,
    });
    expect(await other.service.importAll(read, { dryRun: true, replace: true })).toMatchObject({
      changed: false,
    });
    const [record] = await other.store.audit({ zone: 'local', action: 'access.import', limit: 1 });
    expect(record).toMatchObject({ target: 'local', detail: { replace: true } });
  });

  it('adds to existing grants, or replaces them', async () => {
    const { service, store } = await open();
    await service.grant('agent:bob', 'Bash');
    await service.importAll({ ...head, tuples: [member] });
    expect(await store.grants('local')).toHaveLength(2);
    const planned = await service.importAll({ ...head, tuples: [] }, { replace: true, dryRun: true });
    expect(planned.removed).toHaveLength(2);
    expect(await store.grants('local')).toHaveLength(2);
    expect((await service.importAll({ ...head, tuples: [] }, { replace: true })).removed).toHaveLength(2);
    expect(await store.grants('local')).toEqual([]);
  });

  it.each([
    ['a list instead of a mapping', 'tidegate', ['the document must be a mapping']],
    ['another format', { ...head, format: 2, tuples: [] }, [expect.stringContaining('format')]],
    ['an unknown field', { ...head, tuples: [], token: 1 }, ['token: unknown field']],
    ['no tuples', head, ['tuples: must be a list']],
    [
      'many kinds of invalid tuples',
      {
        ...head,
        tuples: [
          1,
          { ...member, why: 'x' },
          { ...member, relation: 5 },
          { ...member, condition: {} },
          { ...member, relation: 'owner' },
          { ...member, condition: { name: 'not_expired', context: {} } },
          member,
          member,
          { user: 'profile:coding#assignee', relation: 'caller', object: 'tool:builtin/Bash' },
          { user: 'group:glob/x', relation: 'group', object: 'tool:builtin/Bash' },
        ],
      },
      [
        'tuples.0: must be a mapping',
        'tuples.1: why: unknown field',
        'tuples.2: needs user, relation and object',
        'tuples.3: condition: needs name, and optionally context',
        'tuples.6: duplicate tuple: role:a#member@principal:agent/alice',
        'tuples.7: duplicate tuple: role:a#member@principal:agent/alice',
      ],
    ],
    [
      'a cycle of roles',
      {
        ...head,
        tuples: [
          { user: 'role:a#member', relation: 'member', object: 'role:b' },
          { user: 'role:b#member', relation: 'member', object: 'role:a' },
        ],
      },
      [expect.stringContaining('role:a in role:b in role:a')],
    ],
  ])('with %s is refused completely', async (_, document, problems) => {
    const { service, store } = await open();
    await expect(service.importAll(document)).rejects.toMatchObject({ code: 'access.bad_document' });
    const refusal: unknown = await service.importAll(document).catch((error: unknown) => error);
    const { problems: told } = refusal as { readonly problems: readonly string[] };
    for (const problem of problems) expect(told).toContainEqual(problem);
    expect((await store.head('local')).revision).toBe(0);
    expect(await store.grants('local')).toEqual([]);
  });

  it('reports all tuples that the model does not allow or that are derived, at once', async () => {
    const { service } = await open();
    const document = {
      ...head,
      tuples: [
        { ...member, relation: 'owner' },
        { user: 'principal:*', relation: 'caller', object: 'tool:builtin/Bash' },
        { user: 'profile:coding#assignee', relation: 'caller', object: 'tool:builtin/Bash' },
        { user: 'provider:server/x', relation: 'provider', object: 'tool:builtin/Bash' },
        { user: 'group:glob/x', relation: 'group', object: 'provider:builtin' },
      ],
    };
    await expect(service.importAll(document)).rejects.toMatchObject({
      message: 'Nothing was written: the document has 5 problems.',
    });
  });

  it('is refused if it is of another zone or creates a cycle with stored tuples; without a zone it is accepted', async () => {
    const { service } = await open();
    await expect(service.importAll({ ...head, zone: 'other', tuples: [] })).rejects.toMatchObject({
      code: 'access.wrong_zone',
    });
    await service.grant('role:a', 'role:b');
    const closing = { user: 'role:b#member', relation: 'member', object: 'role:a' };
    await expect(service.importAll({ ...head, tuples: [closing] })).rejects.toMatchObject({
      code: 'access.bad_document',
    });
    const { zone: _, ...anywhere } = head;
    expect(await service.importAll({ ...anywhere, tuples: [closing] }, { replace: true })).toMatchObject({
      changed: true,
    });
  });

  it('reports another model and unknown profiles', async () => {
    const { service } = await open();
    const tuples = [{ user: 'principal:agent/alice', relation: 'assignee', object: 'profile:gone' }];
    const refused = service.importAll({
      ...head,
      model: 'other',
      tuples: [...tuples, { ...tuples[0], object: 'profile:codign' }],
    });
    await expect(refused).rejects.toMatchObject({
      code: 'access.bad_document',
      problems: [
        expect.stringContaining('unknown profile "gone".'),
        expect.stringContaining('Did you mean "coding"?'),
      ],
    });
    expect(await service.exportAll()).toMatchObject({ tuples: [], revision: 0 });
    const { notes } = await service.importAll({ ...head, model: 'other', tuples }, { force: true });
    expect(notes.join(' ')).toMatch(/another model.*do not exist: gone/);
  });
});
