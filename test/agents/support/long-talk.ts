import type { ScriptedTurn } from 'tidegate/testing';

/** An agent that never finishes. */
export const longTalk: readonly ScriptedTurn[] = Array.from({ length: 400 }, (_, at) => ({
  calls: [
    {
      name: /(?:^|[_/])Bash$/,
      arguments: { command: `sleep ${at % 3 === 2 ? '20' : '0.2'}; echo ${String(at)}` },
    },
  ],
}));
