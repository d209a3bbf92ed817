export { openShell } from './shell.js';
