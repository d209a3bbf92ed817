import { z } from 'zod';
import { type BackgroundReport, backgroundStates } from '../../kernel/shell-port.js';
import { outputFields } from './output-fields.js';
import {
  createdData,
  createdLines,
  endData,
  endLine,
  fileLines,
  outputData,
  outputLines,
} from './result-text.js';

export const backgroundFields = {
  background_id: z.string().describe('The id of the command.'),
  command: z.string().describe('The command.'),
  status: z
    .enum(backgroundStates)
    .describe('running, finished by itself, or killed by KillBash or the gate.'),
  reason: z.string().optional().describe('Why the gate ended it.'),
  ...outputFields,
};

/** What is new of a background command, as data and as text. */
export function backgroundResult(report: BackgroundReport) {
  const { id, command, state, end, reason, durationMs, sandbox, cwd } = report;
  const data = {
    background_id: id,
    command,
    status: state,
    ...(reason !== undefined && { reason }),
    ...outputData(report),
    ...endData(end),
    ...createdData(report.createdPaths),
    duration_ms: durationMs,
    sandbox,
    cwd,
  };
  const lines = outputLines(report);
  const text = [
    `${id} ${state}: ${command}`,
    ...(reason === undefined ? [] : [reason]),
    ...(end === undefined ? [] : endLine(end)),
    ...(lines.length === 0 ? ['(no new output)'] : lines),
    ...fileLines(report),
    ...createdLines(report.createdPaths),
    `[${durationMs} ms · sandbox: ${sandbox} · cwd: ${cwd}]`,
  ];
  return { data, text: text.join('\n') };
}
