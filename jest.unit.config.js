// Tests that need no server and no build: `npm run test:unit`.
import all from './jest.config.js';

const { globalSetup, globalTeardown, testSequencer, ...rest } = all;

/** @type {import('jest').Config} */
export default { ...rest, testMatch: ['<rootDir>/test/unit/**/*.test.ts'] };
