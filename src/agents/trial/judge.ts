import type { ModelRequest } from '../../model/index.js';
import type { Verdict } from '../cli-parts.js';
import type { AgentCli } from '../launch.js';
import type { TrialScript, TrialTools } from './script.js';

/** What was seen while an agent was tried. */
export interface Evidence {
  readonly requests: readonly ModelRequest[];
  /** Its own tools that it says it ran. */
  readonly ran: readonly string[];
  /** Names of files in its folder. */
  readonly files: readonly string[];
  /** Why it ended, if not well. */
  readonly failure?: string;
}

/** What of an agent's isolation was proven. Nothing is, where its calls did not come back. */
export function judge(
  cli: AgentCli,
  version: string,
  { turns, traces, searchTurn }: TrialScript,
  { word, made, late }: TrialTools,
  server: string,
  { requests, ran, files, failure }: Evidence,
): Verdict {
  const leaks = new Set(ran);
  for (const [file, tool] of traces) if (files.includes(file)) leaks.add(tool);
  for (const tool of answered(cli, [...traces.values()], requests)) leaks.add(tool);
  for (const name of requests.flatMap(({ tools }) => tools))
    if (!name.includes(server) && !cli.leftovers.includes(name)) leaks.add(name);
  if (leaks.size > 0) return { kind: 'leaks', version, leaks: [...leaks].sort() };
  const unprovable = (why: string): Verdict => ({ kind: 'unprovable', version, why });
  const last = requests.reduce((most, { turn }) => Math.max(most, turn), 0);
  const rogue = traces.size;
  if (requests.length === 0) return unprovable(failure ?? 'it never asked its model anything');
  if (last < rogue)
    return unprovable(`only ${String(last)} of ${String(rogue)} rogue calls came back${because(failure)}`);
  const results = requests.flatMap((request) => request.results);
  if (!results.some(({ text }) => text.includes(word)) || !files.includes(made))
    return unprovable(`calls of the gate's tools did not come through${because(failure)}`);
  if (failure !== undefined && last < turns.length - 2) return unprovable(failure);
  const growsList = requests.some(
    ({ turn, tools }) => turn === searchTurn && tools.some((name) => name.endsWith(late)),
  );
  return { kind: 'isolated', version, growsList };
}

/** Tools of its own that gave another answer than that there is no such tool: one that complains of its input is there. */
function answered(
  { refusal, leftovers }: AgentCli,
  rogue: readonly string[],
  requests: Evidence['requests'],
): readonly string[] {
  const longest = requests.reduce<Evidence['requests'][number]['results']>(
    (most, { results }) => (results.length > most.length ? results : most),
    [],
  );
  // One call a turn, the rogue ones first.
  return rogue.filter((name, at) => {
    const result = longest[at];
    return result !== undefined && !leftovers.includes(name) && !refusal.test(result.text);
  });
}

function because(failure: string | undefined): string {
  return failure === undefined ? '' : `: ${failure}`;
}
