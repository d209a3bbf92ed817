import { claudeCode } from './claude-code.js';
import { claudeDesktop } from './claude-desktop.js';
import type { Client } from './client.js';
import { codex } from './codex.js';
import { cursor } from './cursor.js';
import { gemini } from './gemini.js';
import { mcpJson } from './mcp-json.js';
import { opencode } from './opencode.js';
import { vscode } from './vscode.js';

/** Every client whose servers can be imported. */
export const clients: readonly Client[] = [
  claudeCode,
  mcpJson,
  claudeDesktop,
  gemini,
  codex,
  opencode,
  cursor,
  vscode,
];
