import { realpathSync } from 'node:fs';
import { shellWord } from '../../lib/shell-word.js';
import { type AgentCli, clis, type Verdict } from '../../agents/index.js';
import { findBlocked } from '../../lib/find-program.js';
import { type Environment, stateDirectory } from '../../config/index.js';
import { findAgent } from './find-agent.js';
import { rememberedVerdict, verdictsByModel } from './know-cli.js';
import { packageVersion } from './verdicts.js';

/** An agent CLI on this machine. */
export interface AgentReport {
  readonly name: string;
  readonly title: string;
  /** Undefined if it is not installed. */
  readonly program?: string;
  readonly version?: string;
  /** Undefined if it was not tested. */
  readonly verdict?: Verdict;
  /** Verdicts for explicitly named models. */
  readonly others?: readonly Verdict[];
  readonly install: string;
  /** Why it cannot start, and the next command. Undefined if it can, or if it was not checked. */
  readonly trouble?: AgentTrouble;
}

export interface AgentTrouble {
  readonly why: string;
  readonly next: string;
}

export interface AgentsPlace {
  readonly cwd: string;
  readonly env: Environment;
  /** The workspace roots; agents are never started from there. */
  readonly roots?: readonly string[];
  readonly version: string;
}

export const agentNames: readonly string[] = clis.map(({ name }) => name);

/** The supported agent CLIs and what is known about them. Starts nothing. */
export function reportAgents(place: AgentsPlace): readonly AgentReport[] {
  return clis.map((cli) => reportOf(cli, place));
}

function reportOf(cli: AgentCli, place: AgentsPlace): AgentReport {
  const { program, planted } = findAgent(cli, place);
  const { name, title, install } = cli;
  if (planted !== undefined) return { name, title, install, trouble: plantedTrouble(planted, cli) };
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

function plantedTrouble(file: string, { install }: AgentCli): AgentTrouble {
  return {
    why: `${file} is part of this project, and Tidegate never starts agents from a project`,
    next: install,
  };
}

/** A program without execute permission looks like an installed agent. */
function blockedTrouble({ program }: AgentCli, { env, cwd }: AgentsPlace): Pick<AgentReport, 'trouble'> {
  const file = findBlocked(program, env, cwd);
  if (file === undefined) return {};
  return { trouble: { why: `${file} is not executable`, next: `chmod +x ${shellWord(file)}` } };
}
