// All that takes the network: loaded when somebody must log in, or a token must be renewed.
export { beginLogin } from './begin-login.js';
export { endLogin } from './end-login.js';
export { rememberWanted, renew } from './renew.js';
