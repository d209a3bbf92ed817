import type { SandboxKind, ShellEnd, ShellOutput, ShellTampering, ShellWritable } from '../../ports/shell.js';

export interface Reach extends ShellWritable {
  readonly sandbox: SandboxKind;
  readonly cwd: string;
}

export function outputData(output: ShellOutput) {
  const { stdout, stderr, truncated, outputFile, isFileComplete } = output;
  const file = outputFile !== undefined && { output_file: outputFile, output_file_complete: isFileComplete };
  return { stdout, stderr, truncated, ...file };
}

/** Changes to protected files, which the operator should know about. */
export function tamperingData({ createdPaths, changedPaths, undonePaths }: ShellTampering) {
  return {
    ...(undonePaths.length > 0 && { undone_configurations: [...undonePaths] }),
    ...(createdPaths.length > 0 && { created_configurations: [...createdPaths] }),
    ...(changedPaths.length > 0 && { changed_configurations: [...changedPaths] }),
  };
}

export function tamperingLines({
  createdPaths,
  changedPaths,
  undonePaths,
}: ShellTampering): readonly string[] {
  const warn = (what: string, paths: readonly string[]): readonly string[] =>
    paths.length === 0 ? [] : [`WARNING: ${what}: ${paths.join(', ')}. Tell the operator.`];
  const kind = 'and can make agents, editors or git run commands';
  return [
    ...warn('files that can make git run commands were moved aside as NAME.undone-1', undonePaths),
    ...warn(`these files were created while the command ran ${kind}`, createdPaths),
    ...warn(`these files were changed while the command ran ${kind}`, changedPaths),
  ];
}

export function reachData({ writable, notWritable }: ShellWritable) {
  return {
    ...(writable && { writable: [...writable] }),
    ...(notWritable && { not_writable: [...notWritable] }),
  };
}

export function reachText({ sandbox, cwd, writable, notWritable }: Reach): string {
  return [
    `sandbox: ${sandbox}`,
    ...(writable ? [`writable: ${writable.join(', ')}`] : []),
    ...(notWritable ? [`not writable: ${notWritable.join('; ')}`] : []),
    `cwd: ${cwd}`,
  ].join(' · ');
}

export function endData(end: ShellEnd | undefined) {
  if (end === undefined) return {};
  return { exit_code: end.exitCode, ...(end.signal !== undefined && { signal: end.signal }) };
}

/** The exit line; empty for exit code 0. */
export function endLine(end: ShellEnd): readonly string[] {
  if (end.exitCode === 0) return [];
  return [`Exit code ${end.exitCode}${end.signal === undefined ? '' : ` (${end.signal})`}`];
}

/** Both streams. stderr gets a heading if there is stdout too. */
export function outputLines({ stdout, stderr }: ShellOutput): readonly string[] {
  const lines: string[] = [];
  if (stdout !== '') lines.push(withoutLastBreak(stdout));
  if (stderr !== '')
    lines.push(stdout === '' ? withoutLastBreak(stderr) : `stderr:\n${withoutLastBreak(stderr)}`);
  return lines;
}

export function fileLines(output: ShellOutput): readonly string[] {
  if (!output.truncated) return [];
  if (output.outputFile === undefined) return ['The rest of the output could not be saved.'];
  const whole = `The full output is in ${output.outputFile}; page through it with Read.`;
  const part = `The first part of the output is in ${output.outputFile}; the rest was too long to save.`;
  return [output.isFileComplete ? whole : part];
}

function withoutLastBreak(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}
