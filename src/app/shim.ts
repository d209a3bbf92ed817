export { runShim } from '../transports/socket/shim.js';
