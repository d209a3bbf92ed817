import { expect, it } from 'vitest';
import { sessionOf } from '../../test/support/gateway.js';
import type { Access } from '../access/index.js';
import { content, type Session } from '../core/index.js';
import { emptyObject } from '../lib/json-text.js';
import { createFakeProvider } from '../testing/index.js';
import { mergeCatalogs } from './catalog.js';
import { createContestedNames } from './contested-names.js';

it.each([
  ['the one that sees both servers', 0],
  ['the one that sees only the second', 1],
])('decides a contested name for each session, even if %s lists first', (_, first) => {
  const done = () => content(emptyObject);
  const catalog = mergeCatalogs([
    createFakeProvider('one', { same: done }),
    createFakeProvider('two', { same: done }),
  ]);
  const [both, second] = [
    { ...sessionOf(), id: 'both' },
    { ...sessionOf(), id: 'second' },
  ];
  const owner = catalog.tools.get('same')?.provider.source;
  const access = {
    visible: (session: Session, spec: { readonly source: string }) => ({
      visible: session.id === 'both' || spec.source !== owner,
    }),
  } as unknown as Access;
  const dropped = catalog.contests.tools.get('same')?.later.map(({ spec }) => spec) ?? [];
  const contested = createContestedNames(catalog, access);
  const listFor = (session: Session) => contested.leaveDropped(session, 'tools', dropped);
  const sessions = first === 0 ? [both, second] : [second, both];
  for (const session of sessions) listFor(session);
  expect(listFor(both)).toEqual([]);
  expect(listFor(second)).toEqual(dropped);
  expect(dropped).toHaveLength(1);
});
