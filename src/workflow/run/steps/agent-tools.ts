import { createToolFilter, idlePatternLines } from '../../../core/index.js';
import type { StepOf } from '../../grammar/workflow.js';
import { builtinNames, type StepTools, stepTools } from '../../step-tools.js';
import type { Frame, Place } from '../frame.js';
import type { SessionOptions } from '../run-parts.js';
import { StepFailure } from '../result.js';

export type GivenTools = Pick<SessionOptions, 'tools' | 'profile' | 'lazy' | 'inheritActive'>;

/** Selects the tools of an agent step before the agent starts. Duplicate names are rejected here. */
export async function toolsFor(step: StepOf<'agent'>, frame: Frame, place: Place): Promise<GivenTools> {
  const { gateway } = frame.parts;
  const options = stepTools(step.own.mcp_proxy, step.own.tidegate);
  const isAny = options.patterns.length > 0 || options.servers.length > 0 || options.pluginTools.length > 0;
  // A server that is still starting has not listed its tools yet.
  if (isAny) await gateway.registry.listed();
  const pluginTools = await pluginToolsOf(options, frame, place);
  const tools = [...options.patterns, ...pluginTools, ...serverTools(options, frame)];
  const isGiven = createToolFilter(tools);
  const clash = gateway.registry.collisions().find(({ name }) => isGiven(name));
  if (clash !== undefined) {
    const message = `${clash.first} and ${clash.second} both offer ${JSON.stringify(clash.name)}.`;
    throw new StepFailure('USER.MCP_PROXY.NAME_COLLISION', message);
  }
  if (isAny) warnAboutIdlePatterns(step.own.tidegate?.tools ?? [], tools, frame, place);
  const { lazy, inherit_active_mcp: inheritActive } = step.own.tidegate ?? {};
  return {
    tools,
    ...(options.profile !== undefined && { profile: options.profile }),
    ...(isLaziness(lazy) && { lazy }),
    ...(inheritActive !== undefined && { inheritActive }),
  };
}

/** Warns about patterns that match nothing, and about an agent without tools: both are likely mistakes. */
function warnAboutIdlePatterns(
  patterns: readonly string[],
  tools: readonly string[],
  { parts }: Frame,
  { path }: Place,
): void {
  const emit = (text: string): void => parts.onEvent({ kind: 'log', path, text, isWarning: true });
  const known = parts.gateway.registry.list(parts.session, 'tools').map(({ name }) => name);
  for (const line of idlePatternLines(patterns, known, 'tools: ')) emit(line);
  // Plugin tools are exact names that were already checked.
  const isGiven = createToolFilter(tools);
  if (!known.some(isGiven) && !tools.some((name) => !patterns.includes(name)))
    emit('The agent has no tools: nothing matches its tool settings.');
}

/** The grammar already rejected all other values. */
function isLaziness(text: string | undefined): text is NonNullable<SessionOptions['lazy']> {
  return text === 'auto' || text === 'on' || text === 'off';
}

async function pluginToolsOf(
  { pluginTools, patterns }: StepTools,
  { parts }: Frame,
  place: Place,
): Promise<readonly string[]> {
  if (pluginTools.length === 0) return [];
  const taken = builtinNames.filter((name) => patterns.includes(name));
  const { problems, unchecked, tools } = await parts.plugins.check(pluginTools, taken, place.signal);
  const [problem] = problems;
  if (problem !== undefined) throw new StepFailure(problem.code, problem.message);
  const [unasked] = unchecked;
  if (unasked !== undefined) {
    const name = pluginTools[unasked.entry]?.plugin ?? '';
    throw new StepFailure(
      'EXECUTION.PLUGIN.FAILED',
      `The plugin ${JSON.stringify(name)} cannot be used: ${unasked.fault.message}`,
    );
  }
  return tools;
}

/** Fixed when the step starts: tools that a server adds later are not included. */
function serverTools({ servers }: StepTools, { parts }: Frame): readonly string[] {
  const { gateway, session } = parts;
  const reports = gateway.registry.status();
  for (const server of servers) {
    const report = reports.find(({ source }) => source === `server:${server}`);
    const problem =
      report === undefined
        ? 'is not configured'
        : report.state === 'ready' || report.state === 'idle'
          ? undefined
          : `is not ready (${report.state})`;
    if (problem === undefined) continue;
    const next =
      report?.state === 'untrusted' ? 'review the file that defines it, then: tidegate trust' : undefined;
    const message = `The server ${JSON.stringify(server)} ${problem}.`;
    throw new StepFailure('EXECUTION.AGENT.FAILED', message, {}, next);
  }
  const sources = servers.map((server) => `server:${server}`);
  return gateway.registry
    .list(session, 'tools')
    .filter(({ source, name }) => sources.includes(source) && !/[*?!]/.test(name))
    .map(({ name }) => name);
}
