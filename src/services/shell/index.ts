export { openShell, type ShellParts } from './shell.js';
