import { runShim } from './shim.js';

// `--config <file>`, as `tidegate mcp-serve` takes it.
runShim(process.argv[3] ?? '');
