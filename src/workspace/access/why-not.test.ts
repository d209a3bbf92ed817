import { describe, expect, it } from 'vitest';
import { callerOf, eve, sessionOf, toolRequest } from '../../../test/support/gateway.js';
import { tool } from '../../../test/support/admin-service.js';
import type { ChainAnswer } from '../../access/authorizer/index.js';
import type { Session, Spec, Wanted } from '../../core/index.js';
import { createWhyNot, type WhyNotParts } from './why-not.js';

const hidden = tool('hidden');
const session: Session = { ...sessionOf(), chain: callerOf(eve).chain };
const ask = (name: string) => toolRequest(name, {}, { session });

function open(more: Partial<WhyNotParts> & { readonly answer?: Partial<ChainAnswer> } = {}) {
  const explained: (string | undefined)[] = [];
  const listeners: (() => void)[] = [];
  let revision: number | undefined = 1;
  const authorizer = {
    explain(_: Session, spec: Spec | undefined): ChainAnswer {
      explained.push(spec?.kind === 'tool' ? spec.name : undefined);
      return { isAllowed: false, reason: 'blocked', revision, links: [], ...more.answer };
    },
    onChange(listener: () => void) {
      listeners.push(listener);
      return () => undefined;
    },
    get revision() {
      return revision;
    },
  };
  const lookup = (wanted: Wanted) =>
    wanted.kind === 'tool' && wanted.name === 'hidden' ? hidden : undefined;
  const whyNot = createWhyNot({ authorizer, lookup, isOffered: () => true, ...more });
  return {
    whyNot,
    explained,
    change: () => listeners.forEach((listener) => listener()),
    lose() {
      revision = undefined;
    },
  };
}

describe('the reason why something was not found', () => {
  it('is determined once, for absent and hidden names alike', () => {
    const { whyNot, explained } = open();
    for (let round = 0; round < 3; round += 1) {
      expect(whyNot(ask('hidden'))).toBe('blocked');
      expect(whyNot(ask('absent'))).toBe('unknown_tool');
    }
    expect(explained).toEqual(['hidden', '-']);
  });

  it('is determined again when rights change, and for another caller', () => {
    const { whyNot, explained, change } = open();
    whyNot(ask('hidden'));
    change();
    whyNot(ask('hidden'));
    whyNot(toolRequest('hidden', {}, { session: { ...session, chain: callerOf(eve).chain } }));
    expect(explained).toHaveLength(3);
  });

  it('is determined again when an absent name appears', () => {
    let isThere = false;
    const { whyNot } = open({ lookup: () => (isThere ? hidden : undefined) });
    expect(whyNot(ask('hidden'))).toBe('unknown_tool');
    isThere = true;
    expect(whyNot(ask('hidden'))).toBe('blocked');
  });

  it('is not cached while the store is unavailable, and is the same for everything', () => {
    const { whyNot, explained, lose } = open({ answer: { reason: 'store_unavailable' } });
    lose();
    for (const name of ['hidden', 'absent', 'hidden']) expect(whyNot(ask(name))).toBe('store_unavailable');
    expect(explained).toHaveLength(3);
  });

  it('is the tool limit of the gateway if rights would allow it', () => {
    const narrow = open({ answer: { isAllowed: true, reason: 'granted' }, isOffered: () => false });
    expect(narrow.whyNot(ask('hidden'))).toBe('tools_ceiling');
    expect(open({ answer: { isAllowed: true, reason: 'granted' } }).whyNot(ask('hidden'))).toBe('no_grant');
  });

  it('needs no store if only the operator calls', () => {
    const { whyNot } = open({ authorizer: undefined, isOffered: () => false });
    expect(whyNot(ask('hidden'))).toBe('tools_ceiling');
    expect(whyNot(ask('absent'))).toBe('unknown_tool');
  });
});
