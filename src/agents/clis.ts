import { claude } from './claude.js';
import { codex } from './codex.js';
import { gemini } from './gemini.js';
import type { AgentCli } from './launch.js';
import { opencode } from './opencode.js';

/** Every agent CLI that can be launched. A new one is its file and a line here. */
export const clis: readonly AgentCli[] = [claude, gemini, codex, opencode];
