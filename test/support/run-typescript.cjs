// Lets a child process of a test run TypeScript as the tests do: node run-typescript.cjs file.ts …
const { existsSync, readFileSync } = require('node:fs');
const Module = require('node:module');
const transform = require('./typescript-transform.cjs');

const resolve = Module._resolveFilename;
Module._resolveFilename = (request, parent, ...rest) => {
  // TypeScript's ES modules name their imports by the compiled file.
  const source = request.replace(/\.js$/, '.ts');
  const isOurs =
    request.startsWith('.') && parent && existsSync(require('node:path').resolve(parent.path, source));
  return resolve(isOurs ? source : request, parent, ...rest);
};
Module._extensions['.ts'] = (module, file) => {
  module._compile(transform.process(readFileSync(file, 'utf8'), file).code, file);
};

process.argv.splice(1, 1);
require(require('node:path').resolve(process.argv[1]));
