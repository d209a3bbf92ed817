export { type ModelScript, openScriptedModel, type ScriptedModel } from './open-scripted-model.js';
export type {
  ModelRequest,
  ScriptedAnswer,
  ScriptedCall,
  ScriptedDelivery,
  ScriptedFault,
  ScriptedTurn,
} from './turn.js';
