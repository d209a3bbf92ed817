import { realpathSync } from 'node:fs';
import { shellWord } from '../../access/desk/shell-word.js';
import { type AgentCli, clis, findBlocked, findProgram, type Verdict } from '../../agents/index.js';
import { type Environment, stateDirectory } from '../../config/index.js';
import { rememberedVerdict, verdictsByModel } from './know-cli.js';
import { packageVersion } from './verdicts.js';

/** An agent CLI on this machine. */
export interface AgentReport {
  readonly name: string;
  readonly title: string;
  /** Undefined: it is not installed. */
  readonly program?: string;
  readonly version?: string;
  /** Undefined: it was not tried. */
  readonly verdict?: Verdict;
  /** With models that somebody named. */
  readonly others?: readonly Verdict[];
  readonly install: string;
  /** Why it cannot start, and what to type. Undefined: it can, or nobody looked. */
  readonly trouble?: AgentTrouble;
}

export interface AgentTrouble {
  readonly why: string;
  readonly next: string;
}

export interface AgentsPlace {
  readonly cwd: string;
  readonly env: Environment;
  readonly version: string;
}

export const agentNames: readonly string[] = clis.map(({ name }) => name);

/** The agent CLIs that can be launched, and what is known of them. Starts nothing. */
export function reportAgents(place: AgentsPlace): readonly AgentReport[] {
  return clis.map((cli) => reportOf(cli, place));
}

function reportOf(cli: AgentCli, place: AgentsPlace): AgentReport {
  const program = findProgram(cli.program, place.env, place.cwd);
  const { name, title, install } = cli;
  if (program === undefined) return { name, title, install, ...blockedTrouble(cli, place) };
  const known = { ...place, stateDirectory: stateDirectory(place.env) };
  const verdict = rememberedVerdict(cli, program, known);
  const others = verdictsByModel(cli, program, known);
  const version = packageVersion(realpathSync(program)) ?? verdict?.version;
  return {
    name,
    title,
    install,
    program,
    ...(version !== undefined && { version }),
    ...(verdict && { verdict }),
    ...(others.length > 0 && { others }),
  };
}

/** A file that is there and may not be started looks to people like an agent that is installed. */
function blockedTrouble({ program }: AgentCli, { env, cwd }: AgentsPlace): Pick<AgentReport, 'trouble'> {
  const file = findBlocked(program, env, cwd);
  if (file === undefined) return {};
  return { trouble: { why: `${file} may not be executed`, next: `chmod +x ${shellWord(file)}` } };
}
