import { nearest } from '../../lib/nearest.js';
import { quote } from '../../lib/source-place.js';
import type { Report } from '../finding.js';
import { isRunnable, providerNamed, runnable } from '../grammar/providers.js';
import type { Step, StepOf, Workflow } from '../grammar/workflow.js';
import { mayRepeat } from '../run/retries.js';
import { builtinNames, isIsolated } from '../step-tools.js';
import { flawAt } from './flaw-at.js';
import { checkNatives } from './native-permissions.js';

/** Names that agent steps are checked against. Undefined: unknown, so not checked. */
export interface GatewayNames {
  readonly profiles?: readonly string[];
  readonly servers?: readonly string[];
  /** Why an agent of this provider may use its own tools; undefined if it is verified not to. */
  readonly doubts?: (provider: string) => string | undefined;
}

export function checkAgents(workflow: Workflow, names: GatewayNames, report: Report): void {
  for (const step of workflow.steps.values()) {
    if (step.kind !== 'agent') {
      checkRetry(step, report);
      continue;
    }
    checkRetry(step, report);
    checkProvider(step, names, report);
    checkProxy(step, report);
    checkNatives(step, report);
    checkGatewayTools(step, names, report);
    checkContinuation(step, workflow, report);
  }
}

type Agent = StepOf<'agent'>;

function checkRetry(step: Step, report: Report): void {
  const { retry } = step.common;
  if (retry === undefined || mayRepeat(step)) return;
  report(
    flawAt(
      step,
      ['retry'],
      'WORKFLOW.PARSE.IDLE_FIELD',
      `Steps of type ${step.kind} are retried only if they may run twice.`,
      {
        remedy: 'Add `may_repeat: true` to `retry`, or remove `retry`.',
      },
    ),
  );
}

function checkProvider(step: Agent, { doubts }: GatewayNames, report: Report): void {
  const { provider, mcp_proxy: proxy, tidegate: gate, options } = step.own;
  if (provider === undefined || provider.includes('{{')) return;
  const known = providerNamed(provider);
  if (known === undefined) {
    const near = nearest(provider, [...runnable, 'openai_compatible']);
    const names = [...new Set([...(near === undefined ? [] : [near]), ...runnable])];
    const isCustom = provider === 'custom';
    const message = isCustom
      ? 'Unknown provider "custom".'
      : `Unknown provider ${quote(provider)}. Available: ${names.join(', ')}.`;
    const remedy = isCustom ? 'Use a `command` step instead.' : near && `Did you mean ${near}?`;
    report(
      flawAt(
        step,
        ['provider'],
        'WORKFLOW.VALIDATION.UNKNOWN_PROVIDER',
        message,
        remedy === undefined ? {} : { remedy },
      ),
    );
  } else if (!isRunnable(known)) {
    report(
      flawAt(
        step,
        ['provider'],
        'EXECUTION.AGENT.UNSUPPORTED',
        `Tidegate cannot run the provider ${quote(provider)}. The step will fail.`,
        { severity: 'warning' },
      ),
    );
  } else if (known !== 'openai_compatible' && isIsolated(proxy, gate)) {
    const message = doubts === undefined ? undefined : doubts(known);
    const at = proxy === undefined ? 'tidegate' : 'mcp_proxy';
    if (message !== undefined) report(flawAt(step, [at], 'USER.MCP_PROXY.UNSUPPORTED_PROVIDER', message));
  }
  const key =
    typeof options === 'object' && options !== null && 'api_key' in options ? options.api_key : undefined;
  if (typeof key === 'string' && !key.includes('{{')) {
    report(
      flawAt(
        step,
        ['options', 'api_key'],
        'WORKFLOW.PARSE.IDLE_FIELD',
        'Anyone who can read this file can see the API key.',
        {
          remedy: 'Remove it and set OPENAI_API_KEY, or name another variable with api_key_env.',
        },
      ),
    );
  }
}

function checkProxy(step: Agent, report: Report): void {
  const { mcp_proxy: proxy, tidegate: gate = {} } = step.own;
  if (proxy?.enable !== true) return;
  const { intercept_builtins: hasBuiltins = true, plugin_tools: entries = [] } = proxy;
  const isMore =
    (gate.tools ?? []).some((pattern) => !pattern.startsWith('!')) || (gate.servers ?? []).length > 0;
  const isExposing = entries.some(({ expose = [] }) => expose.length > 0);
  if (!hasBuiltins && !isExposing && !isMore) {
    report(
      flawAt(
        step,
        ['mcp_proxy'],
        'USER.MCP_PROXY.EMPTY_PROXY',
        '`mcp_proxy` is enabled but provides no tools.',
      ),
    );
  }
  const taken = new Map<string, string>(
    hasBuiltins ? builtinNames.map((name) => [name, 'a built-in tool']) : [],
  );
  for (const [at, { plugin = '', expose = [] }] of entries.entries()) {
    const way = ['mcp_proxy', 'plugin_tools', at, 'expose'];
    if (expose.length === 0 && plugin !== '') {
      report(
        flawAt(
          step,
          ['mcp_proxy', 'plugin_tools', at],
          'WORKFLOW.PARSE.IDLE_FIELD',
          `No operation of the plugin ${quote(plugin)} is exposed.`,
          {
            remedy: 'List its operations under `expose`.',
          },
        ),
      );
    }
    for (const [index, operation] of expose.entries()) {
      const name = `${plugin}_${operation}`;
      const other = taken.get(name);
      if (other !== undefined) {
        const message = `${quote(name)} is also the name of ${other}.`;
        report(flawAt(step, [...way, index], 'USER.MCP_PROXY.NAME_COLLISION', message));
      }
      taken.set(name, `${plugin}.${operation}`);
    }
  }
}

function checkGatewayTools(step: Agent, { profiles, servers }: GatewayNames, report: Report): void {
  const { tidegate: block, mcp_proxy: proxy } = step.own;
  if (block === undefined) return;
  const { profile, servers: wanted = [] } = block;
  if (profile !== undefined && profiles !== undefined && !profiles.includes(profile)) {
    const near = nearest(profile, profiles);
    report(
      flawAt(
        step,
        ['tidegate', 'profile'],
        'WORKFLOW.VALIDATION.UNKNOWN_PROFILE',
        `There is no profile ${quote(profile)}.`,
        {
          ...(near !== undefined && { remedy: `Did you mean ${near}?` }),
        },
      ),
    );
  }
  for (const [at, server] of wanted.entries()) {
    if (servers === undefined || servers.includes(server)) continue;
    const near = nearest(server, servers);
    report(
      flawAt(
        step,
        ['tidegate', 'servers', at],
        'WORKFLOW.VALIDATION.UNKNOWN_SERVER',
        `The server ${quote(server)} is not configured.`,
        {
          ...(near !== undefined && { remedy: `Did you mean ${near}?` }),
        },
      ),
    );
  }
  for (const [at, pattern] of (block.tools ?? []).entries()) {
    const near = misspelt(pattern, servers);
    if (near === undefined) continue;
    report(
      flawAt(
        step,
        ['tidegate', 'tools', at],
        'WORKFLOW.VALIDATION.UNKNOWN_TOOL',
        `No built-in tool matches ${quote(pattern)}.`,
        { remedy: `Did you mean ${near}?` },
      ),
    );
  }
  if (proxy?.enable === false) {
    report(
      flawAt(
        step,
        ['tidegate'],
        'WORKFLOW.PARSE.IDLE_FIELD',
        '`tidegate:` has no effect while `mcp_proxy.enable` is false.',
        {
          remedy: 'Set `mcp_proxy.enable: true`, or remove one of the two.',
        },
      ),
    );
  }
}

/** Server tools are known only at run time, and may be named like a built-in tool in lowercase. */
function misspelt(pattern: string, servers: readonly string[] | undefined): string | undefined {
  const name = pattern.replace(/^!/, '');
  if (/[*?]/.test(name) || builtinNames.some((known) => known === name)) return undefined;
  const near = nearest(name, builtinNames);
  const isTheirs = (servers ?? []).length > 0 && near?.toLowerCase() === name.toLowerCase();
  return isTheirs ? undefined : near;
}

function checkContinuation(step: Agent, { steps }: Workflow, report: Report): void {
  const from = step.own.conversation?.continue_from;
  const target = from === undefined ? undefined : steps.get(from);
  if (target === undefined) return;
  const addFlaw = (message: string): void =>
    report(flawAt(step, ['conversation', 'continue_from'], 'WORKFLOW.PARSE.INVALID_VALUE', message));
  if (target.kind !== 'agent')
    addFlaw(`${quote(target.name)} is not an agent step, so it has no conversation.`);
  else if (target.own.provider !== step.own.provider) addFlaw(`${quote(target.name)} uses another provider.`);
}
