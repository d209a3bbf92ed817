export { createWeb } from './create-web.js';
