import { claude } from './claude.js';
import { codex } from './codex.js';
import { gemini } from './gemini.js';
import type { AgentCli } from './launch.js';
import { opencode } from './opencode.js';

/** All supported agent CLIs. To add one, write its file and list it here. */
export const clis: readonly AgentCli[] = [claude, gemini, codex, opencode];
