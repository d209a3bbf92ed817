import { runShim } from './shim.js';

// `--config <file>`, like `tidegate mcp-serve`.
runShim(process.argv[3] ?? '');
