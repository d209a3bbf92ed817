import { hasErrors, printable } from '../../config/index.js';
import type { Command } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { locate, problemLines } from '../locate.js';
import { shellPath } from '../shell-path.js';

export const configCheck: Command = {
  name: 'config check',
  summary: 'Report every problem of a configuration file, and whether the file is trusted.',
  arguments: [{ name: '[file]', about: 'The file to check. Default: the nearest tidegate.yaml.' }],
  examples: ['tidegate config check', 'tidegate config check ./tidegate.yaml --json'],
  async run(given, context) {
    const { output } = context;
    const { located, trustProblem } = await locate(given.arguments[0], context);
    const { file, sha256, isTrusted, problems, config } = located;
    const isValid = !hasErrors(problems);
    const all = [...problems, ...(trustProblem ? [trustProblem] : [])];
    output.json({ file, sha256, valid: isValid, trusted: isTrusted, problems: all });
    for (const line of problemLines(all)) output.line(line);
    output.line(
      `${printable(file)}: ${isValid ? output.paint('green', 'valid') : output.paint('red', 'has errors')}`,
    );
    if (!isValid) return exitCodes.usage;
    const starts = config.servers.filter((server) => server.isEnabled).length;
    output.line(`servers: ${String(starts)} enabled of ${String(config.servers.length)}`);
    if (isTrusted) output.line('trusted: yes');
    else
      output.line(
        `trusted: no, so nothing of it is started. Read it, then: tidegate trust ${shellPath(file)}`,
      );
    return exitCodes.ok;
  },
};
