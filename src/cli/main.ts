import { hideEnvironment } from '../workspace/hide-environment.js';
import { keepCompiled } from './compile-cache.js';

const words = process.argv.slice(2);
if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
  process.stdout.write(`${__TIDEGATE_VERSION__}\n`);
} else if (words.length === 3 && words[0] === 'mcp-serve' && words[1] === '--config') {
  // Started by an agent for each of its runs: forwards bytes and loads nothing else.
  const { runShim } = await import('../app/shim.js');
  runShim(words[2] ?? '');
} else {
  // Before any child process can read it.
  hideEnvironment(process.env);
  keepCompiled();
  const { runProcess } = await import('./run-process.js');
  await runProcess(words);
}
