// Jest runs CommonJS; the sources are ES modules. TypeScript itself translates, and `import.meta.url` becomes what it is.
const { createHash } = require('node:crypto');
const ts = require('typescript');

const OPTIONS = {
  module: ts.ModuleKind.CommonJS,
  target: ts.ScriptTarget.ES2022,
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
    const text = source.replace(
      /\bimport\.meta\.url\b/g,
      "require('node:url').pathToFileURL(__filename).href",
    );
    return { code: ts.transpileModule(text, { compilerOptions: OPTIONS, fileName }).outputText };
  },
  /** @param {string} source @param {string} fileName */
  getCacheKey(source, fileName) {
    return createHash('sha256')
      .update(JSON.stringify([OPTIONS, ts.version, fileName, source]))
      .digest('hex');
  },
};
