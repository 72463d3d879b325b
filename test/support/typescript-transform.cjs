// Jest runs CommonJS; the sources are ES modules. TypeScript itself translates, and `import.meta.url` becomes what it is.
const { createHash } = require('node:crypto');
const { version } = require('typescript/package.json');

const OPTIONS = {
  module: 'commonjs',
  target: 'es2022',
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
  esModuleInterop: true,
  allowJs: true,
  inlineSourceMap: true,
  inlineSources: true,
};

module.exports = {
  /** @param {string} source @param {string} fileName */
  process(source, fileName) {
    // Loaded when it is needed: after the first run of the tests most files are in the cache.
    const ts = require('typescript');
    const text = source.replace(
      /\bimport\.meta\.url\b/g,
      "require('node:url').pathToFileURL(__filename).href",
    );
    return {
      code: ts.transpileModule(text, {
        compilerOptions: ts.convertCompilerOptionsFromJson(OPTIONS, '').options,
        fileName,
      }).outputText,
    };
  },
  /** @param {string} source @param {string} fileName */
  getCacheKey(source, fileName) {
    return createHash('sha256')
      .update(JSON.stringify([OPTIONS, version, fileName, source]))
      .digest('hex');
  },
};
