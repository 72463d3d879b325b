import { createHash } from 'node:crypto';
import Redlock from 'redlock';

interface PackageScript {
  readonly name: string;
  readonly hash: string;
  /** Its beginning without line breaks: longer arguments are cut before they arrive here. */
  readonly beginning: string;
}

const BEGINNING = 60;

/** The scripts of the `redlock` package, which have no files. */
const SCRIPTS: readonly PackageScript[] = readScripts();

/** The command with the name of the package's script instead of its hash or text. */
export function withScriptName(command: string): string {
  const [, verb, rest = ''] = /^(EVAL(?:SHA)?) (.*)$/.exec(command) ?? [];
  if (verb === undefined) return command;
  const script = SCRIPTS.find(({ hash, beginning }) => rest.startsWith(hash) || rest.startsWith(beginning));
  // The number of keys follows the script.
  return script ? `${verb} ${script.name}.lua${/ \d+ \S*lockstock:.*$/.exec(rest)?.[0] ?? ''}` : command;
}

function readScripts(): PackageScript[] {
  const found: PackageScript[] = [];
  const read = (name: string) => (text: string) => {
    const hash = createHash('sha1').update(text).digest('hex');
    const beginning = text.replace(/\s+/g, ' ').trim().slice(0, BEGINNING);
    found.push({ name, hash, beginning });
    return text;
  };
  // The constructor passes its scripts to these functions, and sends nothing.
  new Redlock([{ eval: () => undefined }], {
    lockScript: read('redlock-lock'),
    unlockScript: read('redlock-unlock'),
    extendScript: read('redlock-extend'),
  });
  return found;
}
