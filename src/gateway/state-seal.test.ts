import { describe, expect, it } from 'vitest';
import { eve, sessionOf, toolRequest } from '../../test/support/gateway.js';
import { JsonText } from '../lib/json-text.js';
import { type Delegation, type Principal, principalKey, type Request } from '../core/index.js';
import { createStateSeal, type SealedState } from './state-seal.js';

const key = Buffer.alloc(32, 7);
const at = 1_000_000;
const seal = createStateSeal(() => at, key);
const request = toolRequest('pay', { amount: 5, to: 'bob' });
const parked: SealedState = { kind: 'parked', id: 'the-parked-call' };
const text = seal.close(request, parked);

function withArguments(source: string): Request {
  return toolRequest('pay', {}, { params: new JsonText(`{"name":"pay","arguments":${source}}`) });
}

describe('the seal of requestState', () => {
  it('returns what it sealed, for the same request', () => {
    expect(seal.open(request, text)).toMatchObject({ ok: true, state: parked });
    const upstream: SealedState = { kind: 'upstream', state: 'their own {"words"}' };
    expect(seal.open(request, seal.close(request, upstream))).toMatchObject({ ok: true, state: upstream });
    expect(seal.open(request, seal.close(request, { kind: 'upstream' }))).toMatchObject({ ok: true });
  });

  it('refuses a state with any single character changed', () => {
    for (let i = 0; i < text.length; i += 1) {
      for (const other of ['A', 'B', '_', '.', '=', ' ', 'é']) {
        if (text[i] === other) continue;
        const changed = text.slice(0, i) + other + text.slice(i + 1);
        expect(seal.open(request, changed)).toEqual({ ok: false, reason: 'forged' });
      }
    }
  });

  it.each([
    ['nothing', ''],
    ['a dot', '.'],
    ['less', text.slice(0, -1)],
    ['more', `${text}A`],
    ['padding', `${text}=`],
    ['another part', `${text}.AAAA`],
    ['a tail', `${text}-TAMPERED`],
    ['the body alone', text.split('.')[0] ?? ''],
    ['the body with an empty seal', `${text.split('.')[0] ?? ''}.`],
    ['two bodies', `${text.split('.')[0] ?? ''}.${text}`],
    ['words', 'not ours'],
  ])('refuses %s', (_name, forged) => {
    expect(seal.open(request, forged)).toEqual({ ok: false, reason: 'forged' });
  });

  it('refuses the body of one state with the seal of another', () => {
    const [body] = seal.close(request, { kind: 'parked', id: 'somebody-elses' }).split('.');
    const [, mac] = text.split('.');
    expect(seal.open(request, `${body ?? ''}.${mac ?? ''}`)).toEqual({ ok: false, reason: 'forged' });
  });

  it('refuses a state sealed by another gateway', () => {
    const other = createStateSeal(() => at);
    expect(seal.open(request, other.close(request, parked))).toEqual({ ok: false, reason: 'forged' });
    // Replicas share the key, and then it is the same gate.
    expect(createStateSeal(() => at, key).open(request, text)).toMatchObject({ ok: true });
  });

  it('is bound to the principal', () => {
    const stolen: Request = { ...request, session: sessionOf('session-1', eve) };
    expect(seal.open(stolen, text)).toEqual({ ok: false, reason: 'forged' });
  });

  it('is bound to the credential and its delegation chain', () => {
    const { principal } = request.session;
    const parent: Delegation = { principal, rights: 'own', tokenId: 'tok_parent' };
    const child: Delegation = { principal, rights: 'inherited', tokenId: 'tok_child' };
    const through = (chain: readonly Delegation[]): Request => ({
      ...request,
      session: { ...request.session, chain },
    });
    const asked = seal.close(through([parent]), parked);
    // The control: the same chain, built anew as for the next request.
    expect(seal.open(through([{ ...parent }]), asked)).toMatchObject({ ok: true });
    const others: readonly (readonly Delegation[])[] = [
      [],
      [parent, child],
      [{ ...parent, tokenId: 'tok_other' }],
      [{ ...parent, profile: 'minimal' }],
      [{ ...parent, tools: ['Read'] }],
      [{ ...parent, rights: 'all' }],
      [{ ...parent, principal: eve }],
    ];
    for (const chain of others)
      expect(seal.open(through(chain), asked)).toEqual({ ok: false, reason: 'forged' });
    const ofChild = seal.close(through([parent, child]), parked);
    expect(seal.open(through([parent]), ofChild)).toEqual({ ok: false, reason: 'forged' });
    expect(seal.open(through([child, parent]), ofChild)).toEqual({ ok: false, reason: 'forged' });
  });

  it('is bound to the target and its kind', () => {
    const others: readonly Request['wanted'][] = [
      { kind: 'tool', name: 'pay2' },
      { kind: 'prompt', name: 'pay' },
      { kind: 'resource', uri: 'pay' },
    ];
    for (const wanted of others) {
      expect(seal.open({ ...request, wanted }, text)).toEqual({ ok: false, reason: 'forged' });
    }
  });

  it.each([
    '{"amount":6,"to":"bob"}',
    '{"amount":5,"to":"bobby"}',
    '{"amount":5,"to":"bob","more":1}',
    '{"amount":5}',
    '{"amount":"5","to":"bob"}',
    '{"amount":5.0,"to":"bob"}',
    '{}',
    '[]',
    'null',
  ])('is bound to the arguments: refuses %s', (source) => {
    expect(seal.open(withArguments(source), text)).toEqual({ ok: false, reason: 'forged' });
  });

  it('accepts the same arguments in another spelling', () => {
    for (const source of ['{"to":"bob","amount":5}', ' { "amount" : 5 , "to" : "b\\u006fb" } ']) {
      expect(seal.open(withArguments(source), text)).toMatchObject({ ok: true });
    }
  });

  it('distinguishes numbers that JavaScript cannot', () => {
    const account = withArguments('{"n":9007199254740993}');
    const other = withArguments('{"n":9007199254740992}');
    // The control: as values they are the same.
    expect(account.params.value).toEqual(other.params.value);
    const closed = seal.close(account, parked);
    expect(seal.open(account, closed)).toMatchObject({ ok: true });
    expect(seal.open(other, closed)).toEqual({ ok: false, reason: 'forged' });
  });

  it('distinguishes numbers from strings that look like them', () => {
    const closed = seal.close(withArguments('{"n":["n1",1]}'), parked);
    expect(seal.open(withArguments('{"n":[1,"n1"]}'), closed)).toEqual({ ok: false, reason: 'forged' });
    expect(seal.open(withArguments('{"n":["1",1]}'), closed)).toEqual({ ok: false, reason: 'forged' });
    expect(seal.open(withArguments('{"n":["nn1","n1"]}'), closed)).toEqual({ ok: false, reason: 'forged' });
  });

  it('works without arguments', () => {
    const bare = toolRequest('pay', {}, { params: new JsonText('{"name":"pay"}') });
    expect(seal.open(bare, seal.close(bare, parked))).toMatchObject({ ok: true });
  });

  it('expires after ten minutes', () => {
    const later = (ms: number): ReturnType<typeof seal.open> =>
      createStateSeal(() => at + ms, key).open(request, text);
    expect(later(10 * 60_000)).toMatchObject({ ok: true });
    expect(later(10 * 60_000 + 1)).toEqual({ ok: false, reason: 'expired' });
  });

  it('needs its MAC: without that check a forged state would pass', () => {
    // The control: what a gate would do that believed the body.
    const believe = (state: string): SealedState =>
      JSON.parse(Buffer.from(state.split('.')[0] ?? '', 'base64url').toString('utf8')) as SealedState;
    const own = believe(text);
    const forged = Buffer.from(JSON.stringify({ ...own, id: 'somebody-elses' })).toString('base64url');
    expect(believe(`${forged}.x`)).toMatchObject({ kind: 'parked', id: 'somebody-elses' });
    expect(seal.open(request, `${forged}.${text.split('.')[1] ?? ''}`)).toEqual({
      ok: false,
      reason: 'forged',
    });
  });
});

describe('principalKey', () => {
  it('is different for every principal, whatever characters zones and ids contain', () => {
    const words = ['a', 'a/user:b', 'b', '/', '//', 'user:b', '', 'a/', '/user:b'];
    const kinds: readonly Principal['kind'][] = ['user', 'agent'];
    const keys = words.flatMap((zone) =>
      kinds.flatMap((kind) => words.map((id) => principalKey({ zone, kind, id }))),
    );
    expect(new Set(keys).size).toBe(keys.length);
  });
});
