import { UsageError } from '../errors.js';

const PATH = /^\$(?:\.[\w-]+|\[\d+\]|\["[^"\]]+"\])*$/;
const STEP = /\.([\w-]+)|\[(\d+)\]|\["([^"\]]+)"\]/g;

/** The place of a value in a JSON answer: `$.left`, `$.items[0].stock`, `$["in stock"]`. */
export class JsonPath {
  private constructor(
    readonly text: string,
    private readonly steps: readonly string[],
  ) {}

  static parse(option: string, text: string): JsonPath {
    if (!PATH.test(text))
      throw new UsageError(
        `--${option}: ${JSON.stringify(text)} is not a place in a JSON answer. Write $.left, $.items[0].stock or $["in stock"].`,
      );
    const steps = [...text.matchAll(STEP)].map(([, name, index, quoted]) => name ?? index ?? quoted ?? '');
    return new JsonPath(text, steps);
  }

  /** Undefined where the content has no such place. */
  in(content: unknown): unknown {
    let at = content;
    for (const step of this.steps) {
      if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined;
      at = (at as Readonly<Record<string, unknown>>)[step];
    }
    return at;
  }
}

/** The JSON content of a body; undefined when it is something else. */
export function jsonIn(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}
