const words = process.argv.slice(2);
if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
  process.stdout.write(`${__TIDEGATE_VERSION__}\n`);
} else {
  const { runProcess } = await import('./run-process.js');
  await runProcess(words);
}
