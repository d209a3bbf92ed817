import { createFault } from '../../../src/core/index.js';

export const fault = createFault('tool.denied', 'No.'); // wrong: the table of codes is closed
// right: export const fault = createFault('tool.not_found', 'No.');
