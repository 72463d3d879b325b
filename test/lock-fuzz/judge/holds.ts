import { type History } from '../history.js';
import { type CallRecord, callsOf } from './calls.js';

/** The time for which a caller had proof that it held a key: from the grant to its last look at a valid lease. */
export interface Hold {
  readonly call: string;
  readonly client: number;
  readonly key: string;
  readonly role: 'writer' | 'reader';
  readonly token: bigint | undefined;
  /** The call whose work made this entry. */
  readonly within: string | undefined;
  readonly from: number;
  readonly to: number;
  /** Was the lease valid when the caller got it? */
  readonly valid: boolean;
}

/** Entries of one holder: nested entries of a reentrant lock with the token of the outer entry are the same hold. */
export interface HoldGroup {
  readonly entries: readonly Hold[];
  readonly from: number;
  readonly to: number;
}

export function holdsOf(history: History): Hold[] {
  const resets = history.promises.connectionIsLease ? resetsByClient(history) : new Map<number, number[]>();
  return callsOf(history.events).flatMap((call) => holdsOfCall(call, resets.get(call.client) ?? []));
}

function holdsOfCall(call: CallRecord, resets: readonly number[]): Hold[] {
  const acquire = call.first('acquire');
  if (!acquire) return [];
  const samples = call.all('sample');
  const lost = samples.find(({ valid }) => !valid)?.at ?? Infinity;
  return call.all('granted').map(({ at, key, token }) => {
    const end = Math.min(lost, call.releasedAt ?? Infinity, ...resets.filter((reset) => reset > at));
    const proven = samples.filter((sample) => sample.valid && sample.at <= end).map((sample) => sample.at);
    return {
      call: call.id,
      client: call.client,
      key,
      role: acquire.role,
      token: token === undefined ? undefined : BigInt(token),
      within: acquire.within,
      from: at,
      to: Math.max(at, ...proven),
      valid: proven.length > 0,
    };
  });
}

/** Connections that a fault broke: the server frees what they held before the client can notice. */
function resetsByClient({ events }: History): Map<number, number[]> {
  const resets = new Map<number, number[]>();
  for (const event of events)
    if (event.type === 'fault' || event.type === 'fault ended') {
      const { client, type } = event.fault;
      if (type !== 'slow' && type !== 'pause') resets.set(client, [...(resets.get(client) ?? []), event.at]);
    }
  return resets;
}

export function groupsOf(holds: readonly Hold[]): HoldGroup[] {
  const groups = new Map<string, Hold[]>();
  for (const hold of holds) {
    const root = `${rootOf(hold, holds).call}/${hold.key}`;
    groups.set(root, [...(groups.get(root) ?? []), hold]);
  }
  return [...groups.values()].map((entries) => ({
    entries,
    from: Math.min(...entries.map(({ from }) => from)),
    to: Math.max(...entries.map(({ to }) => to)),
  }));
}

function rootOf(hold: Hold, holds: readonly Hold[]): Hold {
  const outer = holds.find(({ call, key }) => call === hold.within && key === hold.key);
  return outer && outer.token === hold.token ? rootOf(outer, holds) : hold;
}
