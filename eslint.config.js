import js from '@eslint/js';
import ts from 'typescript-eslint';

const JEST = ['jest', 'test', 'it', 'describe', 'expect', 'beforeAll', 'beforeEach', 'afterAll', 'afterEach'];

export default ts.config(
  { ignores: ['dist', '.build', '.lab', 'node_modules', 'reports'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [...ts.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: {
        // The program of the tests contains all code that runs on Node, so it is read and checked once.
        project: ['test/tsconfig.json', 'web/tsconfig.json', 'load-tests/tsconfig.json'],
      },
    },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/consistent-type-imports': 'off',
    },
  },
  {
    // The types of jest are known here, because the program of the tests contains these files too.
    files: ['src/**/*.ts', 'migrations/**/*.ts', 'bin/*.js'],
    rules: { 'no-restricted-globals': ['error', ...JEST] },
  },
  {
    files: ['**/*.{js,mjs,cjs}'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        setTimeout: 'readonly',
        fetch: 'readonly',
        AbortController: 'readonly',
        AbortSignal: 'readonly',
        require: 'readonly',
        module: 'readonly',
        __dirname: 'readonly',
      },
    },
  },
);
