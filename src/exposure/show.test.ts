import { expect, it } from 'vitest';
import type { Session } from '../core/index.js';
import { visibleToolsOf } from '../../test/support/gateway.js';
import { createFakeProvider } from '../testing/index.js';
import { createEagerExposure } from './show.js';

it('eager exposure shows all visible tools as the same list', () => {
  const session: Session = { id: 's', principal: { kind: 'user', id: 'a', zone: 'z' }, scope: 'connection' };
  const { tools } = createFakeProvider('one', { a: () => Promise.reject(new Error('not called')) }).list();
  expect(createEagerExposure().show(session, visibleToolsOf(tools))).toBe(tools);
});
