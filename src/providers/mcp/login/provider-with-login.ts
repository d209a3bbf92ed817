import { randomUUID } from 'node:crypto';
import { sha256Of } from '../../../lib/sha256.js';
import {
  type Call,
  type Catalogue,
  content,
  createFault,
  faultData,
  emptyCatalogue,
  type Exchange,
  faulted,
  type Outcome,
  type Provider,
  type ProviderStatus,
  type Source,
  type ToolSpec,
} from '../../../core/index.js';
import { JsonText } from '../../../lib/json-text.js';
import { isRecord } from '../../../lib/is-record.js';
import { LoginFailure } from './settings.js';
import type { UpstreamLogin } from './upstream-login.js';

export interface WithLoginParts {
  readonly server: string;
  readonly prefix: string;
  readonly source: Source;
  readonly login: UpstreamLogin;
  /** False if the process exits before a login in the browser can finish. */
  readonly givesLinks: boolean;
  /** How long a call waits for the user to log in. */
  readonly timeoutMs: number;
}

/**
 * Wraps a server that may require a login. The login is requested when a call needs it. While its tools are unknown, it
 * offers a login tool that returns the link; the tool disappears after the login.
 */
export function providerWithLogin(inner: Provider, parts: WithLoginParts): Provider {
  const { server, login } = parts;
  const tool = loginTool(parts);
  const context: LoginContext = { ...parts, inner, tool, ours: `login ${randomUUID()}` };
  const whileUnknown: Catalogue = { ...emptyCatalogue, tools: [tool] };
  /** After a login was needed, the login tool stays listed until the server's own tools are known. */
  let wasNeeded = false;
  login.onChange(() => {
    wasNeeded ||= login.isNeeded;
  });

  function list(): Catalogue {
    const known = inner.list();
    if (!wasNeeded || !isEmpty(known)) return known;
    const isOnItsWay = login.isNeeded || ['idle', 'pending'].includes(inner.status().state);
    return isOnItsWay ? whileUnknown : known;
  }

  return {
    ...inner,
    status: () => statusOf(inner.status(), server, login),
    list,
    ready: () => (login.isNeeded ? Promise.resolve() : inner.ready()),
    call(call, exchange) {
      if (isLoginTool(context, call)) return offerTool(context, call, exchange);
      if (login.isNeeded) return need(context, call, exchange);
      return inner
        .call(ownOf(context, call), exchange)
        .then((outcome) => (wantsLogin(outcome) ? need(context, call, exchange) : outcome));
    },
    onChange(listener) {
      const [stopInner, stopLogin] = [inner.onChange(listener), login.onChange(listener)];
      return () => {
        stopInner();
        stopLogin();
      };
    },
    close() {
      login.close();
      return inner.close();
    },
  };
}

interface LoginContext extends WithLoginParts {
  readonly inner: Provider;
  /** The login tool. */
  readonly tool: ToolSpec;
  /** Marks our own questions, whose answers must never go to the server. */
  readonly ours: string;
}

/** The answer of the login tool after the login. */
function present(context: LoginContext): Outcome {
  const isSilent =
    isEmpty(context.inner.list()) && !['idle', 'pending'].includes(context.inner.status().state);
  if (!isSilent) return text(`Tidegate is logged in to ${context.server}. List the tools again.`);
  const message = `Tidegate is logged in to ${context.server}, but the server lists no tools.`;
  return faulted(createFault('provider.unavailable', message));
}

async function need(context: LoginContext, call: Call, exchange: Exchange): Promise<Outcome> {
  if (isOurs(context, call)) return afterAnswer(context, call, exchange);
  if (!context.givesLinks)
    return faulted(fault(context.server, `The server ${context.server} requires a login.`));
  try {
    const link = await context.login.offer();
    return canOpenLinks(call, exchange) ? question(context, call, link) : wanted(context.server, link);
  } catch (error) {
    return wanted(context.server, undefined, error);
  }
}

/** The user agreed to open the browser. Waits here for the login to finish. */
async function afterAnswer(context: LoginContext, call: Call, exchange: Exchange): Promise<Outcome> {
  if (!isAccepted(call))
    return faulted(fault(context.server, `The login to ${context.server} was declined.`));
  const isOld = (): boolean => call.answers?.state === stateNow(context);
  if (context.login.isNeeded || isOld()) await context.login.settled(exchange.signal, context.timeoutMs);
  const isThere = !context.login.isNeeded && !isOld();
  if (!isThere) return faulted(fault(context.server, `The login to ${context.server} is not finished.`));
  return isLoginTool(context, call) ? present(context) : context.inner.call(ownOf(context, call), exchange);
}

function question(context: LoginContext, call: Call, link: string): Outcome {
  const params = {
    mode: 'url',
    message: `The server ${context.server} requires a login.`,
    url: link,
    ...(call.client.protocol === 'legacy' && { elicitationId: randomUUID() }),
  };
  const questions = JsonText.from({ login: { method: 'elicitation/create', params } });
  return { kind: 'asks', questions, state: stateNow(context) };
}

/** Identifies the insufficient token by its hash, without revealing it. */
function stateNow(context: LoginContext): string {
  return `${context.ours} ${sha256Of(context.login.tokens?.access ?? '')}`;
}

function isOurs(context: LoginContext, { answers }: Call): boolean {
  return answers?.state?.startsWith(context.ours) === true;
}

function ownOf(context: LoginContext, call: Call): Call {
  if (!isOurs(context, call)) return call;
  const { answers: _answers, ...rest } = call;
  return Object.freeze(rest);
}

function isLoginTool(context: LoginContext, { target }: Call): boolean {
  return target.kind === 'tool' && target.spec.definition === context.tool.definition;
}

async function offerTool(context: LoginContext, call: Call, exchange: Exchange): Promise<Outcome> {
  if (!context.login.isNeeded) return present(context);
  const outcome = await need(context, call, exchange);
  if (outcome.kind !== 'fault') return outcome;
  const { message, suggestion = '' } = outcome.fault;
  const link = faultData(outcome.fault, 'provider.login')?.link;
  // The link was requested, so returning it is a success.
  return link === undefined ? outcome : text(`${message} ${suggestion}\n${link}`);
}

function loginTool({ server, prefix, source }: WithLoginParts): ToolSpec {
  const name = `${prefix === '' ? `${server}_` : prefix}login`;
  const hints = { readOnly: false, destructive: false, idempotent: true, openWorld: true };
  const definition = JsonText.from({
    name,
    title: `Log in to ${server}`,
    description: `The server ${server} requires a login before it lists its tools. Returns a link that the user has to open; after the login, the server's tools replace this one.`,
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    annotations: {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: true,
    },
  });
  return { kind: 'tool', name, localName: 'login', source, effect: 'ask', hints, definition };
}

function statusOf(status: ProviderStatus, server: string, login: UpstreamLogin): ProviderStatus {
  // Reading the header also detects a login by another process.
  login.header();
  if (login.isNeeded) return { ...status, state: 'login', detail: `needs a login: tidegate login ${server}` };
  const { tokens } = login;
  if (status.detail !== undefined || tokens === undefined) return status;
  return { ...status, detail: loggedIn(tokens) };
}

function loggedIn({ until, refresh }: NonNullable<UpstreamLogin['tokens']>): string {
  if (refresh !== undefined) return 'logged in, renews automatically';
  return until === undefined ? 'logged in' : `logged in until ${new Date(until).toISOString().slice(0, 16)}Z`;
}

function isEmpty({ tools, prompts, resources, templates }: Catalogue): boolean {
  return tools.length + prompts.length + resources.length + templates.length === 0;
}

function wantsLogin(outcome: Outcome): boolean {
  return outcome.kind === 'fault' && outcome.fault.code === 'provider.login';
}

/** Whether the client can show a link to the user. */
function canOpenLinks({ client }: Call, exchange: Exchange): boolean {
  const { value } = client.capabilities;
  const elicitation = isRecord(value) ? value['elicitation'] : undefined;
  return exchange.canAnswer('elicitation/create') && isRecord(elicitation) && isRecord(elicitation['url']);
}

function isAccepted({ answers }: Call): boolean {
  const value = answers?.responses.value;
  const answer = isRecord(value) ? value['login'] : undefined;
  return isRecord(answer) && answer['action'] === 'accept';
}

function wanted(server: string, link: string | undefined, error?: unknown): Outcome {
  if (link !== undefined) return faulted(fault(server, `The server ${server} requires a login.`, link));
  const why = error instanceof LoginFailure ? ` No login link could be created: ${error.message}` : '';
  return faulted(fault(server, `The server ${server} requires a login.${why}`));
}

function fault(server: string, message: string, link?: string): ReturnType<typeof createFault> {
  const command = `run \`tidegate login ${server}\``;
  const how =
    link === undefined
      ? `Ask the user to ${command} on the machine that runs Tidegate, then call again.`
      : `Ask the user to open the link in a browser on the machine that runs Tidegate, or to ${command} there, then call again.`;
  return createFault('provider.login', message, {
    suggestion: how,
    ...(link !== undefined && { data: { link } }),
  });
}

function text(words: string): Outcome {
  return content(JsonText.from({ content: [{ type: 'text', text: words.trim() }] }));
}
