import { join } from 'node:path';
import type { ScriptedCall } from 'tidegate/testing';
import type { AgentName } from './agent-binary.js';

/** Calls to an agent's own tools, and their names in its output. */
export interface NativeCalls {
  readonly write: (file: string) => ScriptedCall;
  /** A command that no agent considers harmless. */
  readonly command: (file: string) => ScriptedCall;
  /** A command that writes outside the workspace. */
  readonly outside: (folder: string) => ScriptedCall;
  readonly writeName: string;
  readonly commandName: string;
}

const script = (file: string): string => `node -e "require('fs').writeFileSync('${file}','x')"`;

type Names = Pick<NativeCalls, 'writeName' | 'commandName'>;
const names: Readonly<Record<AgentName, Names>> = {
  claude: { writeName: 'Write', commandName: 'Bash' },
  gemini: { writeName: 'write_file', commandName: 'run_shell_command' },
  codex: { writeName: 'apply_patch', commandName: 'command_execution' },
  opencode: { writeName: 'write', commandName: 'bash' },
};

export function nativeCalls(agent: AgentName, workspace: string): NativeCalls {
  const run = (command: string): ScriptedCall => shell(agent, command);
  return {
    ...names[agent],
    write: (file) => writing(agent, join(workspace, file)),
    command: (file) => run(script(file)),
    outside: (folder) => run(script(join(folder, 'outside.txt'))),
  };
}

function shell(agent: AgentName, command: string): ScriptedCall {
  if (agent === 'codex') return { name: 'exec>exec_command', arguments: { cmd: command } };
  return { name: names[agent].commandName, arguments: { command, description: 'make a file' } };
}

function writing(agent: AgentName, file: string): ScriptedCall {
  if (agent === 'codex')
    return {
      name: 'exec>apply_patch',
      arguments: `*** Begin Patch\n*** Add File: ${file}\n+x\n*** End Patch`,
    };
  const path = agent === 'opencode' ? { filePath: file } : { file_path: file };
  return { name: names[agent].writeName, arguments: { ...path, content: 'x' } };
}
