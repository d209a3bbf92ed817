import { describe, expect, it } from 'vitest';
import {
  accessFrom,
  createOpenAccess,
  openHall,
  promptSpec,
  resourceSpec,
  templateSpec,
  toolRequest,
} from '../../test/support/gateway.js';
import { type Call, createFault, type Request, type Wanted } from '../core/index.js';
import { createFakeExchange, createFakeProvider } from '../testing/index.js';
import { admit, isAdmitted, withAnswers } from './admit.js';

const more = {
  prompts: [promptSpec('one', 'greet')],
  resources: [resourceSpec('one', 'test://a')],
  templates: [templateSpec('one', 'test://{id}/data')],
};

function provider(): ReturnType<typeof createFakeProvider> {
  return createFakeProvider(
    'one',
    { echo: () => ({ kind: 'fault', fault: createFault('internal', 'x') }) },
    more,
  );
}

function admitEcho(request: Request = toolRequest('echo')): Call {
  const fake = provider();
  const spec = fake.list().tools[0];
  if (spec === undefined) throw new Error('the fake lost its tool');
  const admission = admit(
    request,
    { target: { kind: 'tool', spec }, provider: fake },
    {
      resumed: false,
    },
  );
  if (!admission.ok) throw new Error('not admitted');
  return admission.call;
}

const wanteds: readonly Wanted[] = [
  { kind: 'tool', name: 'echo' },
  { kind: 'prompt', name: 'greet' },
  { kind: 'resource', uri: 'test://a' },
  { kind: 'resource', uri: 'test://7/data' },
  { kind: 'completion', of: { kind: 'prompt', name: 'greet' } },
  { kind: 'completion', of: { kind: 'template', uriTemplate: 'test://{id}/data' } },
];

describe('hidden and absent targets', () => {
  it.each(wanteds)('look the same: $kind', async (wanted) => {
    const request = toolRequest('', {}, { wanted });
    const fake = provider();
    const shown = openHall({ providers: [fake], access: createOpenAccess() });
    const hidden = openHall({ providers: [fake], access: createOpenAccess(() => true) });
    const absent = openHall({ providers: [createFakeProvider('one', {})], access: createOpenAccess() });
    // The control: without the access rule the same request reaches the provider.
    await shown.call(request, createFakeExchange());
    expect(fake.calls).toHaveLength(1);
    const [a, b] = [
      await hidden.call(request, createFakeExchange()),
      await absent.call(request, createFakeExchange()),
    ];
    expect(JSON.stringify(a)).toBe(JSON.stringify(b));
    expect(a.kind === 'fault' && a.fault.code).toMatch(/not_found$/);
    expect(fake.calls).toHaveLength(1);
  });

  it('are missing from the same lists and descriptions', () => {
    const session = toolRequest('echo').session;
    const hidden = openHall({ providers: [provider()], access: createOpenAccess(() => true) });
    expect(hidden.registry.list(session, 'tools')).toEqual([]);
    expect(hidden.registry.list(session, 'prompts')).toEqual([]);
    expect(hidden.registry.list(session, 'resources')).toEqual([]);
    expect(hidden.registry.list(session, 'templates')).toEqual([]);
    expect(hidden.registry.describe(session, 'echo')).toBeUndefined();
    expect(hidden.registry.instructions(session)).toBeUndefined();
  });

  it('[16.26] a target that may be seen but not called is not permitted', async () => {
    const fake = provider();
    const gateway = openHall({
      providers: [fake],
      access: accessFrom(() => ({ visible: true, callable: false })),
    });
    const outcome = await gateway.call(toolRequest('echo'), createFakeExchange());
    expect(outcome).toMatchObject({
      kind: 'fault',
      fault: { code: 'tool.not_permitted' },
    });
    expect(fake.calls).toEqual([]);
    expect(gateway.registry.list(toolRequest('echo').session, 'tools')).toHaveLength(1);
  });
});

describe('an admitted call', () => {
  it('contains what the request said and what the provider parsed', () => {
    const trace = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };
    const request = toolRequest('echo', { x: 1 }, { trace });
    const call = admitEcho(request);
    expect(call).toMatchObject({
      requestId: request.id,
      principal: request.session.principal,
      session: request.session,
      providerId: 'one',
      input: { name: 'echo', arguments: { x: 1 } },
      resumed: false,
      trace,
    });
    expect(call.params).toBe(request.params);
    expect(call.answers).toBeUndefined();
  });

  it('cannot be changed', () => {
    const call = admitEcho();
    expect(Object.isFrozen(call)).toBe(true);
    const open = call as { -readonly [K in keyof Call]: Call[K] };
    expect(() => {
      open.principal = { kind: 'user', id: 'eve', zone: 'local' };
    }).toThrow(TypeError);
    expect(() => {
      open.input = {};
    }).toThrow(TypeError);
  });

  it('is frozen in later rounds too, where only the answers differ', () => {
    const call = admitEcho();
    const answers = { responses: call.params, state: 'theirs' };
    const next = withAnswers(call, answers);
    expect(next).toEqual({ ...call, answers });
    expect(Object.isFrozen(next)).toBe(true);
    expect(isAdmitted(next)).toBe(true);
    expect(() => withAnswers({ ...call }, answers)).toThrow('never admitted');
  });

  it('is not created if the arguments are invalid', () => {
    const fault = createFault('input.invalid', 'no');
    const fake = { ...provider(), parse: () => ({ ok: false, fault }) as const };
    const spec = fake.list().tools[0];
    if (spec === undefined) throw new Error('the fake lost its tool');
    const found = { target: { kind: 'tool', spec }, provider: fake } as const;
    expect(admit(toolRequest('echo'), found, { resumed: false })).toEqual({ ok: false, fault });
  });
});
