import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';

export interface DatabaseTls {
  readonly ca?: string;
  readonly minVersion: 'TLSv1.2';
  readonly rejectUnauthorized: true;
  /** Whether the certificate must name the host of the URL. */
  readonly verifyIdentity: boolean;
}

/** What is wrong with the query of a database URL. The message never contains the URL, which has a password. */
export class TlsError extends Error {}

const MODES = ['DISABLED', 'VERIFY_CA', 'VERIFY_IDENTITY'] as const;
const SETTINGS = ['ssl-mode', 'ssl-ca'];

/**
 * Reads `?ssl-mode=VERIFY_IDENTITY&ssl-ca=/path/ca.pem` from a database URL and removes it; MySQL's own clients use the same
 * names. There is no mode that encrypts without checking the certificate: it would not stop a man in the middle.
 */
export function readTls(url: string): { readonly url: string; readonly tls: DatabaseTls | undefined } {
  const parsed = new URL(url);
  const given = new URLSearchParams(parsed.search);
  parsed.search = '';
  const unknown = [...given.keys()].find((name) => !SETTINGS.includes(name));
  if (unknown !== undefined) throw new TlsError(`must have no setting ${JSON.stringify(unknown)} after "?"`);
  const ca = given.get('ssl-ca');
  const mode = MODES.find(
    (name) => name === (given.get('ssl-mode') ?? (ca === null ? 'DISABLED' : 'VERIFY_IDENTITY')),
  );
  if (!mode) throw new TlsError(`must have an ssl-mode of ${MODES.join(', ')}`);
  if (mode === 'DISABLED' && ca !== null)
    throw new TlsError('must not have an ssl-ca with ssl-mode=DISABLED');
  // mysql2 compares no name with the certificate when the host is an address.
  if (mode === 'VERIFY_IDENTITY' && isIP(parsed.hostname.replace(/^\[|\]$/g, '')) !== 0) {
    throw new TlsError('must name the host, not its address, with ssl-mode=VERIFY_IDENTITY');
  }
  return { url: parsed.href, tls: mode === 'DISABLED' ? undefined : tlsFor(mode, ca) };
}

function tlsFor(mode: string, ca: string | null): DatabaseTls {
  return {
    // Without ssl-ca, the authorities that Node trusts are used.
    ...(ca !== null && { ca: read(ca) }),
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    verifyIdentity: mode === 'VERIFY_IDENTITY',
  };
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new TlsError(`must have an ssl-ca that can be read: ${(error as Error).message}`);
  }
}
