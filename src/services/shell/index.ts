export { sweepScratch } from './scratch.js';
export { finishChecks, type RunningCommand, runningCommands } from './unfinished-checks.js';
export { undoneLate } from './prepare-command.js';
export { openShell } from './shell.js';
export { createGitGuard } from './git-guard.js';
export { findWritable } from './writable.js';
export { globalGitConfigs } from './git-runs.js';
export { foldersOfDead } from './scratch.js';
