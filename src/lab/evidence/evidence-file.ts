import { type Evidence } from '../../contract/evidence.js';

/** One line for each step, proof and row, so that a change of behaviour is a short diff. */
export function formatEvidence(evidence: Evidence): string {
  const members = Object.entries(evidence).map(
    ([name, value]) => `  ${JSON.stringify(name)}: ${format(value, '  ')}`,
  );
  return `{\n${members.join(',\n')}\n}\n`;
}

function format(value: unknown, indent: string): string {
  if (Array.isArray(value) && value.some((item) => typeof item === 'object')) {
    const items = value.map((item: unknown) => `${indent}  ${JSON.stringify(item)}`);
    return `[\n${items.join(',\n')}\n${indent}]`;
  }
  if (typeof value === 'object' && value !== null && Object.values(value).some(Array.isArray)) {
    const members = Object.entries(value).map(
      ([name, member]) => `${indent}  ${JSON.stringify(name)}: ${format(member, `${indent}  `)}`,
    );
    return `{\n${members.join(',\n')}\n${indent}}`;
  }
  return JSON.stringify(value);
}

/** Undefined for a file that is not evidence in this form. */
export function parseEvidence(text: string): Evidence | undefined {
  try {
    const found = JSON.parse(text) as Partial<Evidence>;
    const whole = typeof found.id === 'string' && Array.isArray(found.steps) && Array.isArray(found.proofs);
    return whole && found.proofs.every((proof) => 'of' in proof) ? (found as Evidence) : undefined;
  } catch {
    return undefined;
  }
}
