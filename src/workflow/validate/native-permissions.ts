import { asRecord } from '../../lib/is-record.js';
import {
  type AgentCli,
  AgentFailure,
  allowedTools,
  clis,
  nativeLevel,
  writtenTool,
} from '../../agents/index.js';
import { quote } from '../../lib/source-place.js';
import type { Report } from '../finding.js';
import { providerNamed } from '../grammar/providers.js';
import type { StepOf } from '../grammar/workflow.js';
import { isIsolated } from '../step-tools.js';
import { flawAt } from './flaw-at.js';

const keys = ['native_permissions', 'dangerously_skip_permissions', 'allowed_tools'] as const;

type Agent = StepOf<'agent'>;

/** Warns before the run if an agent's own tools would be denied. */
export function checkNatives(step: Agent, report: Report): void {
  const { provider = '', options, mcp_proxy: proxy, tidegate: gate } = step.own;
  const cli = clis.find(({ name }) => name === providerNamed(provider));
  if (cli === undefined) return;
  const given = asRecord(options);
  if (isIsolated(proxy, gate)) {
    for (const key of keys) {
      if (given[key] === undefined) continue;
      const message = `${quote(key)} has no effect: the agent gets all its tools from Tidegate.`;
      report(flawAt(step, ['options', key], 'WORKFLOW.PARSE.IDLE_FIELD', message));
    }
    return;
  }
  checkConflict(step, given, report);
  const canWrite = checkList(step, cli, given['allowed_tools'], report);
  if (!canWrite) checkRefusals(step, cli, given, report);
}

function checkConflict(step: Agent, given: Readonly<Record<string, unknown>>, report: Report): void {
  const { native_permissions: level, dangerously_skip_permissions: isFull } = given;
  if (isFull !== true || level === undefined || level === 'full') return;
  const message =
    'dangerously_skip_permissions means native_permissions: full, but the step sets another level.';
  report(flawAt(step, ['options', 'native_permissions'], 'WORKFLOW.PARSE.CONFLICTING_FIELDS', message));
}

/** Whether the list lets the agent write. Reports tools the CLI cannot allow. */
function checkList(step: Agent, cli: AgentCli, listed: unknown, report: Report): boolean {
  const at = ['options', 'allowed_tools'];
  // Templates are filled in at run time.
  if (listed === undefined || JSON.stringify(listed).includes('{{')) return listed !== undefined;
  const idle = (message: string, remedy: string): void =>
    report(flawAt(step, at, 'WORKFLOW.PARSE.IDLE_FIELD', message, { remedy }));
  const { grant } = cli;
  if (grant === undefined) {
    idle(`${cli.title} does not support a list of tools.`, 'Use `native_permissions` instead.');
    return false;
  }
  try {
    const tools = allowedTools(listed);
    for (const tool of tools.filter((one) => grant(one) === undefined)) {
      const name = quote(writtenTool(tool));
      idle(
        `${cli.title} cannot allow ${name}.`,
        'Use the name of one of its tools, or commands such as `Bash(git *)`.',
      );
    }
    return tools.some((tool) => writes(grant(tool)?.name ?? ''));
  } catch (error) {
    if (!(error instanceof AgentFailure)) throw error;
    report(flawAt(step, at, 'WORKFLOW.PARSE.INVALID_VALUE', error.message));
    return true;
  }
}

function writes(tool: string): boolean {
  return /^(?:edit|write|write_file|replace|bash|run_shell_command)\b|^\*/i.test(tool);
}

function checkRefusals(
  step: Agent,
  { title, sandboxesCommands }: AgentCli,
  given: Readonly<Record<string, unknown>>,
  report: Report,
): void {
  const level = nativeLevel(given);
  const isChosen = given['native_permissions'] !== undefined;
  const addFlaw = (message: string, remedy: string): void => {
    const at = ['options', 'native_permissions'];
    report(flawAt(step, at, 'WORKFLOW.VALIDATION.NATIVE_REFUSED', message, { remedy }));
  };
  if (level === 'read') {
    addFlaw(
      `${title} keeps its own tools here, and all writes and commands are denied.`,
      'Set `options.native_permissions` to edit or full if the step must change files.',
    );
  } else if (level === 'edit' && !isChosen && sandboxesCommands !== true) {
    addFlaw(
      `${title} keeps its own tools here. It may change files in the workspace, but other commands are denied.`,
      'Set `options.native_permissions` to full to allow commands, or to edit to keep this behavior.',
    );
  }
}
