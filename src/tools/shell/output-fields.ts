import { z } from 'zod';
import { sandboxKinds } from '../../ports/shell.js';

/** Result fields that all shell tools share. */
export const outputFields = {
  stdout: z.string().describe('Standard output without escape sequences.'),
  stderr: z.string().describe('Standard error without escape sequences.'),
  truncated: z.boolean().describe('Whether the middle of stdout or stderr was cut.'),
  output_file: z
    .string()
    .optional()
    .describe('File with the full output, in order. Page through it with Read.'),
  output_file_complete: z
    .boolean()
    .optional()
    .describe('False if the output exceeded the maximum file size. Set with output_file.'),
  created_configurations: z
    .array(z.string())
    .optional()
    .describe('Files created while the command ran that can make agents, editors or git run commands.'),
  changed_configurations: z
    .array(z.string())
    .optional()
    .describe('Files of this kind that were changed or removed while the command ran.'),
  undone_configurations: z
    .array(z.string())
    .optional()
    .describe(
      'Files of this kind that appeared while the command ran and that Tidegate moved aside; the command was stopped because of them.',
    ),
  exit_code: z.int().optional().describe('Exit code; 128 + n if signal n ended the command.'),
  signal: z.string().optional().describe('Signal that ended the command.'),
  duration_ms: z.int().describe('Run time in milliseconds.'),
  sandbox: z
    .enum(sandboxKinds)
    .describe('bubblewrap: only the workspace, /tmp and `writable` could be written. none: no restrictions.'),
  writable: z.array(z.string()).optional().describe('Folders outside the workspace that could be written.'),
  not_writable: z
    .array(z.string())
    .optional()
    .describe('Folders configured as writable that were not, with the reason.'),
  cwd: z.string().describe('Working directory.'),
};
