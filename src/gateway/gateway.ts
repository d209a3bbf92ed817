import { type Access, withoutOperations } from '../access/index.js';
import {
  type Call,
  createFault,
  type Exchange,
  type Fault,
  faulted,
  type Observer,
  type Outcome,
  type Provider,
  type Request,
  type Session,
  type Stage,
  type ToolSpec,
} from '../core/index.js';
import type { JsonText } from '../lib/json-text.js';
import { callToolName, type Exposure } from '../exposure/index.js';
import { admit, type Admission, refused } from './admit.js';
import { callProvider } from './call-provider.js';
import { isCallTool, throughCallTool, toldByCallTool } from './call-tool.js';
import { openMultiRound } from './multi-round.js';
import type { NameClaims } from './name-claims.js';
import { createWatching } from './observe.js';
import { createPipeline, internalFault } from './pipeline.js';
import { openRegistry, type OpenRegistry, type Registry } from './registry.js';
import { createStateSeal, type StateSeal } from './state-seal.js';
import { ExchangeWhileAllowed, type Rights } from './while-allowed.js';

export interface GatewayParts {
  readonly providers: readonly Provider[];
  readonly access: Access;
  readonly exposure: Exposure;
  readonly stages: readonly Stage[];
  readonly observers: readonly Observer[];
  /** Removes secrets from texts before observers see them. */
  readonly redact: (text: string) => string;
  readonly now: () => number;
  /** Called once when a session ends, to release what belongs to it. */
  readonly onLeave?: (session: Session) => void;
  /** Describes invalid arguments, for callers that may not know the schema. */
  readonly checkArguments?: (tool: ToolSpec, params: JsonText) => readonly string[];
  /** Which provider had which name first. Default: kept in memory. */
  readonly claims?: NameClaims;
  /** Called when the set of dropped names changes. */
  readonly onCollisions?: () => void;
  /** Must be the same in all replicas. Default: random. */
  readonly seal?: StateSeal;
}

/** The only way to tools, prompts and resources. */
export interface Gateway {
  /** What exists, and what a session sees of it. */
  readonly registry: Registry;
  call(request: Request, exchange: Exchange): Promise<Outcome>;
  /** Ends the session and everything that belongs to it. */
  leave(session: Session): void;
  close(): Promise<void>;
}

export function openGateway(parts: GatewayParts): Gateway {
  const inside = openRegistry({ ...parts, access: withoutOperations(parts.access) });
  const { registry } = inside;
  const pipeline = createPipeline(parts.stages);
  const multiRound = openMultiRound(parts.seal ?? createStateSeal(parts.now));
  const watch = createWatching(parts);
  const rights = rightsIn(inside, parts.access);

  /** Observers, admission, pipeline, provider: every call takes this path. */
  async function call(asked: Request, caller: Exchange): Promise<Outcome> {
    const request = isCallTool(asked) ? await behindCallTool(asked).catch(() => asked) : asked;
    const watching = watch(request);
    let call: Call | undefined;
    let outcome: Outcome;
    try {
      // Refresh right before the check: a revoked right must not let the call through.
      await inside.prepare(request.session, request.wanted);
      const admission = admitted(request);
      if (admission.ok) ({ call } = admission);
      outcome = admission.ok
        ? await carried(request, watching.withSteps(caller), admission)
        : faulted(admission.fault);
    } catch (error) {
      outcome = faulted(internalFault(error));
    }
    watching.end(outcome, call);
    return request === asked ? outcome : toldByCallTool(outcome);
  }

  function admitted(request: Request): Admission {
    const { session, wanted } = request;
    const continued = multiRound.continued(request);
    if ('fault' in continued) return refused(continued.fault);
    const admission = admit(request, inside.find(session, wanted), continued);
    const problem = admission.ok ? activated(parts, registry, request, admission.call) : undefined;
    return problem === undefined ? admission : refused(problem);
  }

  function carried(
    request: Request,
    exchange: Exchange,
    { call, provider, parkedId }: Extract<Admission, { ok: true }>,
  ): Promise<Outcome> {
    if (parkedId !== undefined) return multiRound.resume(request, exchange, parkedId);
    const start = async (live: Exchange): Promise<Outcome> => {
      const own = new ExchangeWhileAllowed(live, request, rights);
      try {
        return await pipeline(call, own, (wrapped) => callProvider(provider, call, wrapped));
      } finally {
        own.release();
      }
    };
    return exchange.asking === 'live' ? start(exchange) : multiRound.run(request, exchange, start);
  }

  /** The request for the tool that call_tool names. Callers without access to call_tool get `tool.not_found`. */
  async function behindCallTool(request: Request): Promise<Request> {
    await registry.refresh(request.session);
    const found = inside.find(request.session, { kind: 'tool', name: callToolName });
    if (typeof found !== 'object' || found.target.kind !== 'tool') return request;
    return throughCallTool(request, found.target.spec.aliases) ?? request;
  }

  return {
    registry,
    call,
    leave(session) {
      parts.exposure.forget(session);
      parts.onLeave?.(session);
    },
    async close() {
      multiRound.close();
      await inside.close();
    },
  };
}

/** Activates the tool on use; checks its arguments if the client has not seen its schema. */
function activated(
  { exposure, checkArguments }: GatewayParts,
  registry: Registry,
  request: Request,
  { target }: Call,
): Fault | undefined {
  if (target.kind !== 'tool' || target.spec.reach === 'workflow') return undefined;
  const { session, client, via } = request;
  const wasDeferred = exposure.called(session, target.spec, registry.visibleTools(session), client);
  const isUnread = via !== undefined || wasDeferred;
  const issues = isUnread ? (checkArguments?.(target.spec, request.params) ?? []) : [];
  return issues.length > 0 ? unreadSchema(target.spec, issues) : undefined;
}

function rightsIn(inside: OpenRegistry, access: Access): Rights {
  return {
    async isAllowed({ session, wanted }) {
      await inside.registry.refresh(session);
      return typeof inside.find(session, wanted) === 'object';
    },
    onChange: (listener) => access.onChange(listener),
  };
}

function unreadSchema({ name, definition }: ToolSpec, issues: readonly string[]): Fault {
  const message = `Invalid arguments for ${name}: ${issues.join('; ')}.`;
  const { inputSchema } = definition.value as { readonly inputSchema?: unknown };
  return createFault('input.invalid', message, { data: { issues, input_schema: inputSchema } });
}
