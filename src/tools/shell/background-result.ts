import { z } from 'zod';
import { type BackgroundReport, backgroundStates } from '../../ports/shell.js';
import { outputFields } from './output-fields.js';
import {
  endData,
  endLine,
  fileLines,
  outputData,
  outputLines,
  reachData,
  reachText,
  tamperingData,
  tamperingLines,
} from './result-text.js';

export const backgroundFields = {
  background_id: z.string().describe('Id of the command.'),
  command: z.string().describe('The command.'),
  status: z.enum(backgroundStates).describe('killed: stopped by KillBash or Tidegate.'),
  reason: z.string().optional().describe('Why Tidegate stopped it.'),
  ...outputFields,
};

/** The new output and state of a background command, as data and as text. */
export function backgroundResult(report: BackgroundReport) {
  const { id, command, state, end, reason, durationMs, sandbox, cwd } = report;
  const data = {
    background_id: id,
    command,
    status: state,
    ...(reason !== undefined && { reason }),
    ...outputData(report),
    ...endData(end),
    ...tamperingData(report),
    duration_ms: durationMs,
    sandbox,
    ...reachData(report),
    cwd,
  };
  const lines = outputLines(report);
  const text = [
    `${id} ${state}: ${command}`,
    ...(reason === undefined ? [] : [reason]),
    ...(end === undefined ? [] : endLine(end)),
    ...(lines.length === 0 ? ['(no new output)'] : lines),
    ...fileLines(report),
    ...tamperingLines(report),
    `[${durationMs} ms · ${reachText(report)}]`,
  ];
  return { data, text: text.join('\n') };
}
