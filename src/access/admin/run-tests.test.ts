import { afterEach, describe, expect, it } from 'vitest';
import { openTestAdmin, type TestAdmin } from '../../../test/support/admin-service.js';

let opened: TestAdmin | undefined;
afterEach(() => opened?.close());

async function open(): Promise<TestAdmin> {
  opened?.close();
  opened = await openTestAdmin();
  await opened.service.profileAssign('agent:alice', 'coding');
  await opened.service.grant('agent:bob', 'server:github', { see: true });
  return opened;
}

const assign = (profile: string) => ({
  user: 'principal:agent/alice',
  relation: 'assignee',
  object: `profile:${profile}`,
});

describe('assertions', () => {
  it('compare the stored rights with the expected ones', async () => {
    const { service } = await open();
    const run = await service.test({
      tests: [
        {
          name: 'alice writes',
          as: 'agent:alice',
          can: ['Read', 'Write'],
          cannot: ['Bash', 'github_*'],
          exactly: ['Read', 'Glob', 'Grep', 'Write', 'builtin/Edit'],
        },
        {
          name: 'bob looks',
          as: 'agent:bob',
          sees: ['server:github'],
          cannot: ['server:github'],
          hides: ['Bash'],
        },
        { name: 'bounded', as: 'agent:alice', profile: 'minimal', exactly: ['Read', 'Glob', 'Grep'] },
      ],
    });
    expect(run).toMatchObject({ failed: 0, passed: 9, revision: 2 });
    expect(run.tests.map(({ name, passed }) => [name, passed])).toEqual([
      ['alice writes', true],
      ['bob looks', true],
      ['bounded', true],
    ]);
  });

  it('report the actual result when they fail; tools not listed under `exactly` are denied', async () => {
    const { service } = await open();
    const { tests, failed } = await service.test({
      tests: [
        {
          as: 'agent:alice',
          can: ['Bash', 'Raed'],
          cannot: ['Write'],
          sees: ['tier:3'],
          hides: ['Read'],
          exactly: ['Read', 'Bash'],
        },
      ],
    });
    expect(failed).toBe(6);
    expect(tests[0]).toMatchObject({ name: 'agent:alice (tests.0)', passed: false });
    expect(tests[0]?.checks.map(({ says, why }) => `${says} | ${String(why)}`)).toEqual([
      'can Bash | may not call Bash: no_grant',
      'can Raed | no tool matches "Raed"; did you mean Read?',
      'cannot Write | may call Write: granted',
      'sees tier:3 | may not see Bash: no_grant and 2 more',
      'hides Read | may see Read: granted',
      'exactly Read, Bash | may not call Bash; may also call Edit, Glob, Grep, Write',
    ]);
  });

  it('can contain their own tuples and profiles, and then use nothing else', async () => {
    const { service, store } = await open();
    const revision = await store.head('local');
    const run = await service.test({
      default_profile: 'none',
      profiles: {
        tiny: { tools: ['Read'], see_only: ['Bash'] },
        more: { extends: 'tiny', tools: ['!Bash', 'Write'] },
      },
      principals: { 'agent:carl': { profile: 'tiny', remove: ['Read'] } },
      tuples: [assign('more')],
      tests: [
        { name: 'own', as: 'agent:alice', exactly: ['Read', 'Write'], hides: ['Bash'] },
        { name: 'nothing', as: 'agent:bob', exactly: [], hides: ['server:github'] },
        { name: 'named', as: 'agent:carl', exactly: [], sees: ['Bash'] },
      ],
    });
    expect(run.tests.flatMap(({ checks }) => checks.filter(({ passed }) => !passed))).toEqual([]);
    expect(run.revision).toBeUndefined();
    const onlyTuples = { tuples: [assign('execution')], tests: [{ as: 'agent:alice', can: ['Bash'] }] };
    expect(await service.test(onlyTuples)).toMatchObject({ failed: 0 });
    const onlyProfiles = { profiles: { coding: { tools: [] } }, tests: [{ as: 'agent:alice', exactly: [] }] };
    expect(await service.test(onlyProfiles)).toMatchObject({ failed: 0 });
    expect(await store.head('local')).toBe(revision);
  });

  it.each([
    [{}, 'tests: must be a list of 1 to 1000'],
    [{ tests: [{}] }, 'tests.0.as: must name a principal, such as agent:alice'],
    [
      { tests: [{ as: 'agent:a' }] },
      'tests.0: has no expectation; add one of can, cannot, sees, hides, exactly',
    ],
    [
      { tests: [{ as: 'agent:a', cna: [] }] },
      'tests.0.cna: must be one of can, cannot, sees, hides, exactly',
    ],
    [{ tests: [{ as: 'agent:a', can: 'Read' }] }, 'tests.0.can: must be a list of strings'],
    [{ tests: [{ as: 'agent:a', can: [] }], test: 1 }, 'test: unknown field'],
    [
      { tests: [{ as: 'agent:a', can: [] }], profiles: { a: { tool: [] } } },
      'profiles.a.tool: unknown field',
    ],
    [
      { tests: [{ as: 'agent:a', can: [] }], profiles: { a: { extends: 'gone' } } },
      expect.stringContaining('gone'),
    ],
    [
      { tests: [{ as: 'agent:a', can: [] }], tuples: [assign('x'), { ...assign('x'), relation: 'y' }] },
      expect.any(String),
    ],
  ])('that are invalid are refused: %j', async (document, problem) => {
    const { service } = await open();
    const refusal: unknown = await service.test(document).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'access.bad_document' });
    expect((refusal as { readonly problems: readonly string[] }).problems).toContainEqual(problem);
  });

  it('for an invalid principal are refused', async () => {
    const { service } = await open();
    await expect(service.test({ tests: [{ as: 'role:devs', can: ['Read'] }] })).rejects.toMatchObject({
      code: 'access.bad_principal',
    });
  });
});
