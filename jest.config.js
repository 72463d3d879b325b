// All tests: `npm test`.
import unit from './jest.unit.config.js';

/** @type {import('jest').Config} */
export default {
  ...unit,
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  globalSetup: '<rootDir>/test/support/start-servers.mjs',
  globalTeardown: '<rootDir>/test/support/stop-servers.mjs',
  testSequencer: '<rootDir>/test/support/order.cjs',
  // One more than the two cores that are usual in CI: files often wait for a lease to end or a server to come back.
  maxWorkers: 3,
};
