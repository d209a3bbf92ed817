import { type Access, accessFrom, createAccess } from '../../src/access/index.js';
import { type Gateway, type GatewayParts, openGateway } from '../../src/gateway/index.js';
import type {
  Caller,
  Client,
  Principal,
  PromptSpec,
  Request,
  ResourceSpec,
  Session,
  Spec,
  TemplateSpec,
  ToolSpec,
  VisibleTools,
} from '../../src/core/index.js';
import { JsonText } from '../../src/lib/json-text.js';
import { createEagerExposure } from '../../src/exposure/index.js';

/** People, requests and a gateway for tests of the hall and of what stands before it. */
export const ada: Principal = Object.freeze({ kind: 'user', id: 'ada', zone: 'local' });
export const eve: Principal = Object.freeze({ kind: 'user', id: 'eve', zone: 'local' });

export { accessFrom };

/** Somebody with rights of their own, by this credential. */
export function callerOf(principal: Principal, credential = `token:${principal.id}`): Caller {
  return { principal, chain: [{ principal, rights: 'own' }], credential };
}

export function sessionOf(id = 'session-1', principal: Principal = ada): Session {
  return { id, principal, scope: 'connection' };
}

const client: Client = { protocol: 'modern', protocolVersion: '2026-07-28', capabilities: JsonText.from({}) };

export function toolRequest(name: string, args: unknown = {}, more: Partial<Request> = {}): Request {
  return {
    id: 'request-1',
    session: sessionOf(),
    client,
    wanted: { kind: 'tool', name },
    params: JsonText.from({ name, arguments: args }),
    ...more,
  };
}

/** Everyone may call everything that this test does not hide. */
export function createOpenAccess(isHidden: (session: Session, spec: Spec) => boolean = () => false): Access {
  return accessFrom((session, spec) => {
    const isShown = !isHidden(session, spec);
    return { visible: isShown, callable: isShown };
  });
}

export function openHall(parts: Pick<GatewayParts, 'providers'> & Partial<GatewayParts>): Gateway {
  return openGateway({
    access: createAccess(({ id }) => id === ada.id),
    exposure: createEagerExposure(),
    stages: [],
    observers: [],
    redact: (text) => text,
    now: () => Date.now(),
    ...parts,
  });
}

export function promptSpec(id: string, name: string): PromptSpec {
  return {
    kind: 'prompt',
    name,
    localName: name,
    source: `server:${id}`,
    definition: JsonText.from({ name }),
  };
}

export function resourceSpec(id: string, uri: string): ResourceSpec {
  return { kind: 'resource', uri, source: `server:${id}`, definition: JsonText.from({ uri, name: uri }) };
}

export function templateSpec(id: string, uriTemplate: string): TemplateSpec {
  const definition = JsonText.from({ uriTemplate, name: uriTemplate });
  return { kind: 'template', uriTemplate, source: `server:${id}`, definition };
}

/** The visible tools of a session that sees these. */
export function visibleToolsOf(list: readonly ToolSpec[]): VisibleTools {
  return { revision: 1, list, get: (name) => list.find((tool) => tool.name === name) };
}
