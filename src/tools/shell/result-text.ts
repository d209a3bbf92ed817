import type { ShellEnd, ShellOutput } from '../../kernel/shell-port.js';

/** The members that all results share, as the caller sees them. */
export function outputData(output: ShellOutput) {
  const { stdout, stderr, truncated, outputFile, isFileComplete } = output;
  const file = outputFile !== undefined && { output_file: outputFile, output_file_complete: isFileComplete };
  return { stdout, stderr, truncated, ...file };
}

/** What the operator should know of: nobody asked for these files. */
export function createdData(paths: readonly string[]) {
  return paths.length === 0 ? {} : { created_configurations: [...paths] };
}

export function createdLines(paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return [];
  return [
    `Came to be while it ran, and can make agents or editors run commands: ${paths.join(', ')}. Tell the operator.`,
  ];
}

export function endData(end: ShellEnd | undefined) {
  if (end === undefined) return {};
  return { exit_code: end.exitCode, ...(end.signal !== undefined && { signal: end.signal }) };
}

/** How a command ended, in a line; nothing for one that did well. */
export function endLine(end: ShellEnd): readonly string[] {
  if (end.exitCode === 0) return [];
  return [`Exit code ${end.exitCode}${end.signal === undefined ? '' : ` (${end.signal})`}`];
}

/** Both streams, the second one named when it could be taken for the first. */
export function outputLines({ stdout, stderr }: ShellOutput): readonly string[] {
  const lines: string[] = [];
  if (stdout !== '') lines.push(withoutLastBreak(stdout));
  if (stderr !== '')
    lines.push(stdout === '' ? withoutLastBreak(stderr) : `stderr:\n${withoutLastBreak(stderr)}`);
  return lines;
}

export function fileLines(output: ShellOutput): readonly string[] {
  if (!output.truncated) return [];
  if (output.outputFile === undefined) return ['The rest of the output could not be kept.'];
  const whole = `The whole output is in ${output.outputFile}; page through it with Read.`;
  const part = `The first part of the output is in ${output.outputFile}; it was too long to be kept whole.`;
  return [output.isFileComplete ? whole : part];
}

function withoutLastBreak(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}
