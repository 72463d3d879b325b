// All tests: `npm test`.
import unit from './jest.unit.config.js';

/** @type {import('jest').Config} */
export default {
  ...unit,
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  globalSetup: '<rootDir>/test/support/start-servers.mjs',
  globalTeardown: '<rootDir>/test/support/stop-servers.mjs',
  testSequencer: '<rootDir>/test/support/order.cjs',
  // Three files at a time on two cores, each with servers of its own: a file often waits for a lease
  // to end or a server to come back.
  maxWorkers: 3,
};
