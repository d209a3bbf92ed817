import { claude } from './claude.js';
import { codexByCode, codexDirect } from './codex.js';
import { gemini } from './gemini.js';
import { opencode } from './opencode.js';
import type { Recipe } from './recipe.js';

export const recipes: readonly Recipe[] = [claude, gemini, codexDirect, codexByCode, opencode];
