import type { Source } from '../../../src/core/index.js';

export const source: Source = 'somewhere'; // wrong: builtin, workspace, plugin:<name> or server:<name>
// right: export const source: Source = 'server:somewhere';
