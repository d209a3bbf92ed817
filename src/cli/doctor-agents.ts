import type { AgentReport } from '../app/workflows/index.js';
import { type Context, type Given, textOption } from './command.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { Failure } from './failure.js';
import { didYouMean } from './nearest-name.js';

type Verdict = NonNullable<AgentReport['verdict']>;

/** Tries the agent that was named, or all of them, and says what came of it. */
export async function doctorAgents(agent: string, given: Given, context: Context): Promise<ExitCode> {
  const agents = await import('../app/workflows/index.js');
  const before = agents.reportAgents(context);
  const named = chosen(agent, agents.agentNames, before);
  const reports: AgentReport[] = [];
  for (const report of before)
    if (named.includes(report.name)) reports.push(await tried(report, given, context));
  show(reports, context);
  const isSound = reports.every(({ verdict }) => verdict === undefined || verdict.kind === 'isolated');
  return isSound ? exitCodes.ok : exitCodes.unavailable;
}

/** The names to try. */
function chosen(agent: string, names: readonly string[], reports: readonly AgentReport[]): readonly string[] {
  const installed = reports.filter(({ program }) => program !== undefined).map(({ name }) => name);
  if (agent === 'all') {
    if (installed.length > 0) return installed;
    throw new Failure(
      'agent.not_installed',
      `None of these is on PATH: ${names.join(', ')}.`,
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
    `${report.title} is not installed: it is not on PATH.`,
    report.install,
  );
}

async function tried(report: AgentReport, given: Given, context: Context): Promise<AgentReport> {
  const { tryAgent } = await import('../app/workflows/index.js');
  const model = textOption(given, 'model');
  const named = model === undefined ? '' : ` with the model ${model}`;
  context.output.note(`${report.title} ${report.version ?? ''}: trying to go round the gate${named} …`);
  const verdict = await tryAgent(report.name, { ...context, ...(model !== undefined && { model }) });
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
  if (verdict === undefined) return output.paint('yellow', 'not tried');
  const colours = { isolated: 'green', leaks: 'red', unprovable: 'yellow' } as const;
  return output.paint(colours[verdict.kind], verdict.kind);
}

function detail(verdict: Verdict | undefined): string {
  if (verdict === undefined) return '';
  if (verdict.kind === 'leaks') return verdict.leaks.join(', ');
  if (verdict.kind === 'unprovable') return verdict.why;
  return verdict.growsList ? 'new tools are seen at once' : 'new tools come over the bridge';
}
