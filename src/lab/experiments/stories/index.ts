import { type Experiment } from '../experiment.js';
import { LOCK_PER_REQUEST } from './lock-per-request.js';

/** Experiments that are not a cell of the matrix, in the order of the claims that they show. */
export const STORIES: readonly Experiment[] = [...LOCK_PER_REQUEST];
