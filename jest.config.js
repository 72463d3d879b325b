/** @type {import('jest').Config} */
export default {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  transform: { '\\.(ts|js)$': '<rootDir>/test/support/typescript-transform.cjs' },
  // TypeScript's ES modules name their imports by the compiled file.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  setupFiles: ['reflect-metadata', '<rootDir>/test/support/symbols.cjs'],
  globalSetup: '<rootDir>/test/support/start-servers.mjs',
  globalTeardown: '<rootDir>/test/support/stop-servers.mjs',
  // One file at a time: the tests load the machine themselves, and share its two cores.
  maxWorkers: 1,
  testTimeout: 60_000,
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/.lab'],
};
