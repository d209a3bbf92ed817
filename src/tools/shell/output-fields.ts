import { z } from 'zod';
import { sandboxKinds } from '../../kernel/shell-port.js';

/** What every result of a command carries. */
export const outputFields = {
  stdout: z.string().describe('What the command wrote to stdout, without escape sequences.'),
  stderr: z.string().describe('What the command wrote to stderr, without escape sequences.'),
  truncated: z.boolean().describe('Whether the middle of stdout or stderr was left out.'),
  output_file: z
    .string()
    .optional()
    .describe('A file with the whole output, in the order in which it came. Page through it with Read.'),
  output_file_complete: z
    .boolean()
    .optional()
    .describe('False when the output was longer than the file may be. Present with output_file.'),
  created_configurations: z
    .array(z.string())
    .optional()
    .describe('Files that make agents or editors run commands and that came to be while it ran.'),
  exit_code: z.int().optional().describe('The exit code; 128 + n when signal n ended the command.'),
  signal: z.string().optional().describe('The signal that the exit code stands for.'),
  duration_ms: z.int().describe('How long the command has run.'),
  sandbox: z
    .enum(sandboxKinds)
    .describe('bubblewrap: only the workspace and /tmp could be written. none: nothing held the command.'),
  cwd: z.string().describe('The directory in which the command ran.'),
};
