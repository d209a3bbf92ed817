import { createFault } from '../../../src/core/index.js';

const fault = createFault('internal', 'No.');
fault.code = 'tool.not_found'; // wrong: a fault stays what it is
// right: export const { code } = fault;
