import { asideFor, type ModelRequest, type ScriptedTurn } from '../../model/index.js';
import type { AgentCli, NativeTool } from '../launch.js';

/** Tools the test gateway offers. */
export interface TrialTools {
  /** A file for Read, and a word in it. */
  readonly file: string;
  readonly word: string;
  /** A file that Write creates. */
  readonly made: string;
  /** A tool that is shown only after a search. */
  readonly late: string;
}

export interface TrialScript {
  readonly turns: readonly ScriptedTurn[];
  /** Files that the agent's own tools would create, by tool name. */
  readonly traces: ReadonlyMap<string, string>;
  /** The turn after which the late tool must be shown. */
  readonly searchTurn: number;
}

/** No agent has these tools. If one runs them, our knowledge of its tool names is wrong. */
const unknown: readonly NativeTool[] = [
  { name: 'Frobnicate', input: (trace) => ({ command: `touch ${trace}`, file_path: trace, content: 'x' }) },
  { name: 'mcp__other__run', input: (trace) => ({ command: `touch ${trace}` }) },
  { name: 'functions.exec_command', input: (trace) => ({ cmd: `touch ${trace}` }) },
];

export const finalText = 'The test is complete.';

/** Calls every tool the agent might have, one per turn, and then the gateway tools. */
export function trialScript(cli: AgentCli, { file, made, late }: TrialTools): TrialScript {
  const traces = new Map<string, string>();
  const rogue = [...cli.natives, ...unknown].map(({ name, namespace, isText, input }, at): ScriptedTurn => {
    const full = namespace === undefined ? name : `${namespace}/${name}`;
    const trace = `rogue-${String(at)}.txt`;
    traces.set(trace, full);
    const given = input(trace);
    const sent = isText === true ? String(given) : (given as Readonly<Record<string, unknown>>);
    return { calls: [{ name: full, arguments: sent, ...(isText === true && { kind: 'custom' }) }] };
  });
  const honest: readonly ScriptedTurn[] = [
    { calls: [{ name: /(?:^|[_/])Read$/, arguments: { file_path: file } }] },
    { calls: [{ name: /(?:^|[_/])Write$/, arguments: { file_path: made, content: 'honest\n' } }] },
    { calls: [{ name: /(?:^|[_/])tool_search$/, arguments: { query: `select:${late}` } }] },
  ];
  const after: readonly ScriptedTurn[] = [
    { calls: [{ name: new RegExp(`(?:^|[_/])${late}$`), arguments: { pattern: '*' } }] },
  ];
  const turns = [...rogue, ...honest, ...after, { say: finalText }];
  return { turns, traces, searchTurn: rogue.length + honest.length };
}

/** The turn for a request. If it needs a tool that is not shown, the script ends. */
export function turnOf(
  turns: readonly ScriptedTurn[],
  request: Pick<ModelRequest, 'turn' | 'advertised' | 'tools' | 'body'>,
): ScriptedTurn {
  const aside = asideFor(request);
  if (aside !== undefined) return aside;
  const next = turns[request.turn] ?? { say: finalText };
  const wanted = 'calls' in next ? next.calls[0]?.name : undefined;
  return wanted instanceof RegExp && !request.tools.some((name) => wanted.test(name))
    ? { say: finalText }
    : next;
}
