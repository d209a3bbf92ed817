export { createDesktop, type DesktopParts } from './create-desktop.js';
