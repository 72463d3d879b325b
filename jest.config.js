/** @type {import('jest').Config} */
export default {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  transform: { '\\.(ts|js)$': '<rootDir>/test/support/typescript-transform.cjs' },
  // TypeScript's ES modules name their imports by the compiled file.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  setupFiles: [
    'reflect-metadata',
    '<rootDir>/test/support/symbols.cjs',
    '<rootDir>/test/support/own-ports.cjs',
  ],
  globalSetup: '<rootDir>/test/support/start-servers.mjs',
  globalTeardown: '<rootDir>/test/support/stop-servers.mjs',
  testSequencer: '<rootDir>/test/support/order.cjs',
  // Two files at a time, each with servers of its own: one often waits for a lease to end or a server to come back.
  maxWorkers: 2,
  testTimeout: 60_000,
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/.lab'],
};
