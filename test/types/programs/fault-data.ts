import { createFault } from '../../../src/core/index.js';

const missing = createFault('resource.not_found', 'Resource not found.', { data: { link: 'x' } }); // wrong: named by its URI
// right: const missing = createFault('resource.not_found', 'Resource not found.', { data: { uri: 'x' } });

export { missing };
