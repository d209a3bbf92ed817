export { runShim } from '../wire/door/shim.js';
