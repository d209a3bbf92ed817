import { defineRecord, type MapField } from './field.js';

const limit = (description: string, usual: number, maximum: number) =>
  ({
    kind: 'integer',
    risk: 'defence',
    description: `${description} \`0\` means no limit.`,
    minimum: 0,
    maximum,
    default: usual,
  }) as const;

/** The key `shell`: limits and sandbox of `Bash` commands. */
export const shellTable = defineRecord({
  kind: 'record',
  description: 'Limits and sandbox for `Bash` commands.',
  default: {},
  fields: {
    limits: {
      kind: 'record',
      description:
        'Limits for one command and all processes it starts. A command that exceeds a limit is stopped, and its result names the limit.',
      default: {},
      fields: {
        memory: limit('Memory in MiB, for all processes together.', 4096, 16_777_216),
        processes: limit('Number of processes at the same time.', 1024, 4_194_304),
        open_files: limit('Open files per process.', 4096, 1_000_000),
        cpu_seconds: limit('CPU time in seconds, for all processes together.', 3600, 31_536_000),
      },
    },
    sandbox: {
      kind: 'choice',
      risk: 'defence',
      description:
        '`auto` runs commands in a sandbox if bubblewrap works on this machine. `off` runs them with your permissions: they can change every file that you can, including the Git configuration and the state directory, and principals with their own permissions (`--as`, tokens) cannot use `Bash`.',
      choices: ['auto', 'off'],
      default: 'auto',
    },
    network: {
      kind: 'boolean',
      risk: 'defence',
      description:
        'Whether sandboxed commands can use the network of the host. With `false` they have only a private loopback interface. Has no effect without a sandbox.',
      default: true,
    },
    writable: {
      kind: 'list',
      risk: 'defence',
      riskNote:
        'Sandboxed commands can change these folders. Programs and settings in them run with your permissions.',
      description:
        'Folders outside the workspace that sandboxed commands can write to, relative to this file. `~` and `${VAR}` are allowed. Examples: `~/.cargo`, `~/.m2`, or `~/.config/git` for `git config --global`. The folders must exist. Every agent with `Bash` can change everything in them. Folders that contain keys, settings of shells, agents or editors, or files of Tidegate or the system are rejected.',
      default: [],
      takesOne: true,
      of: { kind: 'text', format: 'path', description: 'A folder.' },
    },
    unix_sockets: {
      kind: 'boolean',
      risk: 'defence',
      description:
        'Whether sandboxed commands can use Unix sockets. This includes sockets of the host, except those under `/run` and `/tmp`.',
      default: false,
    },
  },
});

/** The key `workflows`: how commands run when an agent starts a workflow. */
export const workflowsTable = {
  kind: 'map',
  names: 'workflow',
  description: 'Workflows by name, for workflows that need more permissions than the agent that starts them.',
  default: {},
  of: defineRecord({
    kind: 'record',
    description: 'How this workflow runs when an agent starts it.',
    default: {},
    fields: {
      sandbox: {
        kind: 'choice',
        risk: 'defence',
        description:
          '`auto` runs commands and hooks like `Bash` commands of the agent that started the workflow. `off` runs them with your permissions and your full environment, outside any sandbox. `tidegate trust` then also covers every file that they may run, including new ones.',
        choices: ['auto', 'off'],
        default: 'auto',
      },
    },
  }),
} as const satisfies MapField;
