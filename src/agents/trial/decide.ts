import type { ModelRequest } from '../../model/index.js';
import type { Verdict } from '../cli-parts.js';
import type { AgentCli } from '../launch.js';
import type { TrialScript, TrialTools } from './script.js';

/** Observations of an isolation test. */
export interface Evidence {
  readonly requests: readonly ModelRequest[];
  /** Its own tools that it reported as run. */
  readonly ran: readonly string[];
  /** Names of files in its folder. */
  readonly files: readonly string[];
  /** Planted files that were executed when the agent started. */
  readonly acted: readonly string[];
  /** Why it failed, if it did. */
  readonly failure?: string;
}

/** Derives the verdict. Without returned calls, nothing is proven. */
export function decide(
  cli: AgentCli,
  version: string,
  { turns, traces, searchTurn }: TrialScript,
  { word, made, late }: TrialTools,
  server: string,
  { requests, ran, files, acted, failure }: Evidence,
): Verdict {
  const leaks = new Set([...ran, ...acted.map((file) => `code of ${file}`)]);
  for (const [file, tool] of traces) if (files.includes(file)) leaks.add(tool);
  for (const tool of answered(cli, [...traces.values()], requests)) leaks.add(tool);
  for (const name of requests.flatMap(({ tools }) => tools))
    if (!name.includes(server) && !cli.leftovers.includes(name)) leaks.add(name);
  if (leaks.size > 0) return { kind: 'leaks', version, leaks: [...leaks].sort() };
  const unprovable = (why: string): Verdict => ({ kind: 'unprovable', version, why });
  const last = requests.reduce((most, { turn }) => Math.max(most, turn), 0);
  const rogue = traces.size;
  if (requests.length === 0) return unprovable(failure ?? 'it never sent a request to its model');
  if (last < rogue)
    return unprovable(
      `only ${String(last)} of ${String(rogue)} test calls to its own tools returned${because(failure)}`,
    );
  const results = requests.flatMap((request) => request.results);
  if (!results.some(({ text }) => text.includes(word)) || !files.includes(made))
    return unprovable(`calls to tools from Tidegate failed${because(failure)}`);
  if (failure !== undefined && last < turns.length - 2) return unprovable(failure);
  const growsList = requests.some(
    ({ turn, tools }) => turn === searchTurn && tools.some((name) => name.endsWith(late)),
  );
  return { kind: 'isolated', version, growsList };
}

/** Own tools that answered anything but "no such tool": even a complaint about arguments proves the tool exists. */
function answered(
  { refusal, leftovers }: AgentCli,
  rogue: readonly string[],
  requests: Evidence['requests'],
): readonly string[] {
  const longest = requests.reduce<Evidence['requests'][number]['results']>(
    (most, { results }) => (results.length > most.length ? results : most),
    [],
  );
  // One call per turn, own tools first.
  return rogue.filter((name, at) => {
    const result = longest[at];
    return result !== undefined && !leftovers.includes(name) && !refusal.test(result.text);
  });
}

function because(failure: string | undefined): string {
  return failure === undefined ? '' : `: ${failure}`;
}
