import { describe, expect, it } from 'vitest';
import { openHall, sessionOf, toolRequest } from '../../test/support/gateway.js';
import { type Access, accessFrom } from '../access/index.js';
import { content, type Outcome } from '../core/index.js';
import { emptyObject } from '../lib/json-text.js';
import { createFakeExchange, createFakeProvider } from '../testing/index.js';

const done = (): Outcome => content(emptyObject);

function manyTools(count: number): Parameters<typeof createFakeProvider>[1] {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`tool${String(at)}`, done]));
}

/** Access that hides `hidden` and counts how often it is asked. */
function open(count: number) {
  let hidden = '';
  let asked = 0;
  let rights: ReturnType<Access['rightsOf']> = Symbol('first');
  const access: Access = {
    ...accessFrom((_, spec) => {
      asked += 1;
      const isShown = spec.kind === 'tool' && spec.name !== hidden;
      return { visible: isShown, callable: isShown };
    }),
    rightsOf: () => rights,
  };
  const gateway = openHall({ providers: [createFakeProvider('one', manyTools(count))], access });
  return {
    gateway,
    asked: () => asked,
    change(name: string, next: ReturnType<Access['rightsOf']>) {
      hidden = name;
      rights = next;
    },
    call: async (name: string) => (await gateway.call(toolRequest(name), createFakeExchange())).kind,
    tools: (id?: string) => gateway.registry.visibleTools(sessionOf(id)),
  };
}

describe('the visible tools of a session', () => {
  it('are one value per revision, for calls, lists and lookups, with any number of tools', async () => {
    const { call, asked, tools } = open(1000);
    const first = tools();
    for (let i = 0; i < 50; i += 1) expect(await call('tool7')).toBe('content');
    expect(tools()).toBe(first);
    expect(first.get('tool7')).toBe(first.list[7]);
    expect(asked()).toBe(1000);
  });

  it('are the same value for sessions with equal delegations, and for others that see the same tools', () => {
    const { tools } = open(3);
    expect(tools('a')).toBe(tools('b'));
  });

  it('change with the rights, but are the same value if the result is the same', async () => {
    const { tools, change, call } = open(3);
    const first = tools();
    change('', Symbol('second'));
    expect(tools()).toBe(first);
    change('tool1', Symbol('third'));
    expect(tools().revision).not.toBe(first.revision);
    expect(tools().list.map(({ name }) => name)).toEqual(['tool0', 'tool2']);
    expect([await call('tool1'), await call('tool0')]).toEqual(['fault', 'content']);
  });

  it('are empty without rights, and looked up each time if the rights cannot be identified', () => {
    const { tools, change } = open(3);
    change('', 'none');
    expect(tools().list).toEqual([]);
    change('tool1', undefined);
    expect(tools().list).toHaveLength(2);
    change('tool2', undefined);
    expect(tools().get('tool2')).toBeUndefined();
  });
});
