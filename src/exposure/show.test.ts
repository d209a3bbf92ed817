import { expect, it } from 'vitest';
import type { Session } from '../core/index.js';
import { createFakeProvider } from '../testing/index.js';
import { createEagerSurface } from './show.js';

it('an eager surface shows all that is visible, and the very same list', () => {
  const session: Session = { id: 's', principal: { kind: 'user', id: 'a', zone: 'z' }, scope: 'connection' };
  const { tools } = createFakeProvider('one', { a: () => Promise.reject(new Error('not called')) }).list();
  expect(createEagerSurface().show(session, tools)).toBe(tools);
});
