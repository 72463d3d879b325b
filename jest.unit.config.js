// The tests that need no server and no build: `npm run test:unit`.

/** @type {import('jest').Config} */
export default {
  testMatch: ['<rootDir>/test/unit/**/*.test.ts'],
  transform: { '\\.(ts|js)$': '<rootDir>/test/support/typescript-transform.cjs' },
  // TypeScript's ES modules name their imports by the compiled file.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  setupFiles: [
    'reflect-metadata',
    '<rootDir>/test/support/symbols.cjs',
    '<rootDir>/test/support/own-ports.cjs',
  ],
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/.build', '<rootDir>/.lab'],
  maxWorkers: 2,
  // Enough for a busy machine.
  testTimeout: 180_000,
};
