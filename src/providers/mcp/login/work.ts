// Everything that uses the network. Loaded only for a login or a token renewal.
export { beginLogin } from './begin-login.js';
export { endLogin } from './end-login.js';
export { rememberWanted, renew } from './renew.js';
