import type { AgentReport } from '../../../features/workflows/index.js';
import { type Context, type Given, textOption } from '../../command.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { Failure } from '../../failure.js';
import { didYouMean } from '../../nearest-name.js';
import { openTidegate } from '../../open-tidegate.js';

type Verdict = NonNullable<AgentReport['verdict']>;

/** Tests the isolation of one agent, or of all of them, and prints the verdicts. */
export async function doctorAgents(agent: string, given: Given, context: Context): Promise<ExitCode> {
  const agents = await import('../../../features/workflows/index.js');
  const { cwd, env } = context;
  const roots = await agents.agentRoots({ cwd, env });
  const before = agents.reportAgents({ ...context, roots });
  const named = chosen(agent, agents.agentNames, before);
  const reports: AgentReport[] = [];
  for (const report of before)
    if (named.includes(report.name)) reports.push(await tried(report, given, { ...context, roots }));
  show(reports, context);
  const isSound = reports.every(({ verdict }) => verdict === undefined || verdict.kind === 'isolated');
  return isSound ? exitCodes.ok : exitCodes.unavailable;
}

/** The names of the agents to test. */
function chosen(agent: string, names: readonly string[], reports: readonly AgentReport[]): readonly string[] {
  const installed = reports.filter(({ program }) => program !== undefined).map(({ name }) => name);
  if (agent === 'all') {
    if (installed.length > 0) return installed;
    throw new Failure(
      'agent.not_installed',
      `None of these agents is on PATH: ${names.join(', ')}.`,
      reports[0]?.install,
    );
  }
  const report = reports.find(({ name }) => name === agent);
  if (report === undefined) {
    const near = didYouMean(agent, names);
    throw new Failure('agent.not_found', `Unknown agent: ${agent}.${near}`, 'tidegate doctor');
  }
  if (report.program !== undefined) return [agent];
  throw new Failure(
    'agent.not_installed',
    `${report.title} is not installed, or not on PATH.`,
    report.install,
  );
}

async function tried(
  report: AgentReport,
  given: Given,
  context: Context & { readonly roots: readonly string[] },
): Promise<AgentReport> {
  const { tryAgent } = await import('../../../features/workflows/index.js');
  const model = textOption(given, 'model');
  const named = model === undefined ? '' : ` with model ${model}`;
  context.output.note(
    `${report.title} ${report.version ?? ''}: testing whether it can bypass Tidegate${named} …`,
  );
  const verdict = await tryAgent(openTidegate, report.name, {
    ...context,
    ...(model !== undefined && { model }),
  });
  const { others: _, ...alone } = report;
  return verdict === undefined ? report : { ...alone, verdict };
}

function show(reports: readonly AgentReport[], { output }: Context): void {
  output.json({ agents: reports });
  const rows = reports.map(({ title, version = '-', verdict }) => [
    title,
    version,
    verdict?.model ?? '-',
    painted(verdict, output),
    detail(verdict),
  ]);
  output.table([['AGENT', 'VERSION', 'MODEL', 'ISOLATION', ''], ...rows], 'wrapped');
}

function painted(verdict: Verdict | undefined, output: Context['output']): string {
  if (verdict === undefined) return output.paint('yellow', 'not tested');
  const colours = { isolated: 'green', leaks: 'red', unprovable: 'yellow' } as const;
  return output.paint(colours[verdict.kind], verdict.kind);
}

function detail(verdict: Verdict | undefined): string {
  if (verdict === undefined) return '';
  if (verdict.kind === 'leaks') return verdict.leaks.join(', ');
  if (verdict.kind === 'unprovable') return verdict.why;
  return verdict.growsList ? 'sees new tools immediately' : 'gets new tools through call_tool';
}
