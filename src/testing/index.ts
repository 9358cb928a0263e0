/**
 * What you need to test protocols and histories of your own.
 *
 * @module
 */
export { chunksOf, randomChunks, twoWaySplits } from './chunks.ts'
export { checkHistory } from './history-check.ts'
export { assertInvariance, extractChunks, type StreamedReply } from './invariance.ts'
export {
  type Script,
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedTurn,
  scriptedModel,
} from './scripted-model.ts'
