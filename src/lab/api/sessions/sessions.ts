import { randomBytes } from 'node:crypto';
import { type SessionConfig, type SessionSummary, type SessionView } from '../../../contract/lab-sessions.js';
import { type StrategyMetadata } from '../../../contract/strategy.js';
import { engineMissing } from '../../engines/missing.js';
import { LabError } from '../../errors.js';
import { explorable } from '../../explorer/explorable.js';
import { Explorer } from '../../explorer/explorer.js';
import { type Report } from '../../processes/supervisor.js';
import { type Events } from '../event-log.js';
import { invalid, Refusal } from '../refusal.js';
import { type OpenExplorer, OpenSession } from './open-session.js';

/** Each session has a MariaDB, a Redis and instances of its own. */
const MOST_OPEN = 2;
/** Closed sessions whose end can still be read. */
const MOST_KEPT = 20;

/** The sessions in which a client of the lab is the scheduler of a strategy's commands. */
export class Sessions {
  private readonly sessions = new Map<string, OpenSession>();
  private closing = false;

  constructor(
    private readonly strategies: () => Promise<readonly StrategyMetadata[]>,
    private readonly report: Report,
    private readonly openExplorer: OpenExplorer = (instances, spares) => Explorer.open(instances, spares),
  ) {}

  list(): SessionSummary[] {
    return [...this.sessions.values()]
      .map(({ view: { id, state, config, startedAt, reason } }) => ({
        ...{ id, state, config, startedAt },
        ...(reason !== undefined && { reason }),
      }))
      .reverse();
  }

  /** Starts the servers of a new session, and does not wait for them. */
  async open(config: SessionConfig): Promise<SessionView> {
    requireExplorable(await this.strategies(), config.strategy);
    if ((config.instances ?? 1) > config.buyers)
      throw invalid(`instances: ${config.buyers} buyers use at most ${config.buyers}`);
    const open = [...this.sessions.values()].filter(({ hasServers }) => hasServers);
    if (this.closing)
      throw new Refusal(409, 'too-many-sessions', 'The lab stops: no session can be opened.', { open: [] });
    if (open.length >= MOST_OPEN)
      throw new Refusal(
        409,
        'too-many-sessions',
        `${open.length} sessions are open or stopping, which is the most. Close one of them, and wait until it has stopped.`,
        { open: open.map(({ view }) => view.id) },
      );
    const id = randomBytes(6).toString('hex');
    const session = new OpenSession(id, config, this.report, this.openExplorer);
    this.sessions.set(id, session);
    this.dropOldest();
    return session.view;
  }

  view(id: string): SessionView {
    return this.find(id).view;
  }

  events(id: string): Events {
    return this.find(id).events;
  }

  move(id: string, move: string, after: number | undefined): Promise<SessionView> {
    return this.find(id).move(move, after);
  }

  undo(id: string, moves: number): Promise<SessionView> {
    return this.find(id).undo(moves);
  }

  async close(id: string): Promise<SessionView> {
    const session = this.find(id);
    await session.close('It was closed by a client.');
    return session.view;
  }

  /** The lab stops. */
  async closeAll(): Promise<void> {
    this.closing = true;
    await Promise.all([...this.sessions.values()].map((session) => session.close('The lab was stopped.')));
  }

  private find(id: string): OpenSession {
    const found = this.sessions.get(id);
    if (!found) throw new Refusal(404, 'unknown-session', 'There is no session with this id.');
    return found;
  }

  private dropOldest(): void {
    const closed = [...this.sessions].filter(([, { hasServers }]) => !hasServers);
    for (const [id] of closed.slice(0, Math.max(0, closed.length - MOST_KEPT))) this.sessions.delete(id);
  }
}

function requireExplorable(strategies: readonly StrategyMetadata[], name: string): void {
  try {
    const missing = engineMissing(explorable(strategies, name).needs);
    if (missing !== undefined) throw new Refusal(503, 'engine-unavailable', missing);
  } catch (error) {
    throw error instanceof LabError ? invalid(`strategy: ${error.message}`) : error;
  }
}
