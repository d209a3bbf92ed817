import { mcpFaults } from '../../../src/transports/faults.js';

const { internal, ...rest } = mcpFaults;
export const faces: typeof mcpFaults = { ...rest }; // wrong: every fault has a face
// right: export const faces: typeof mcpFaults = { ...rest, internal };
