export type { ModelPrice, ModelPrices } from '../../budget/prices.js';
export { implementModels, type ModelsOptions } from './implement-models.js';
export type { ModelConfig } from './model-config.js';
