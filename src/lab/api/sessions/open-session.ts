import { type SessionConfig, type SessionView, type Situation } from '../../../contract/lab-sessions.js';
import { LabError } from '../../errors.js';
import { type Explorer } from '../../explorer/explorer.js';
import { MoveRefused, type Session } from '../../explorer/session.js';
import { type Report } from '../../processes/supervisor.js';
import { Refusal } from '../refusal.js';
import { LatestEvent } from './latest-event.js';

/** Without a call that changes the session for this long, it is closed. */
const IDLE_MS = 300_000;
/** It takes the place of an instance that a crash has killed. */
const SPARES = 1;
const MINUTE_MS = 60_000;

/** Starts the servers of a session. */
export type OpenExplorer = (
  instances: number,
  spares: number,
) => Promise<Pick<Explorer, 'named' | 'session' | 'close'>>;

interface Opened {
  readonly explorer: Awaited<ReturnType<OpenExplorer>>;
  readonly session: Session;
}

/** One session: its servers, its run, and what clients see of it. */
export class OpenSession {
  view: SessionView;
  readonly events = new LatestEvent('session');
  private readonly opened: Promise<Opened | undefined>;
  private closed: Promise<void> | undefined;
  private isBusy = false;
  private stopped = false;
  private idle: NodeJS.Timeout | undefined;

  constructor(
    id: string,
    config: SessionConfig,
    private readonly report: Report,
    private readonly openExplorer: OpenExplorer,
  ) {
    this.view = { id, state: 'starting', config, startedAt: new Date().toISOString() };
    this.events.set(this.view);
    this.opened = this.start();
  }

  /** Its servers run, or are starting or stopping. */
  get hasServers(): boolean {
    return !this.stopped;
  }

  private get isOpen(): boolean {
    return this.view.state === 'starting' || this.view.state === 'ready';
  }

  /** `after`: how many moves the client has seen. */
  move(move: string, after: number | undefined): Promise<SessionView> {
    return this.change(({ session }) => {
      const made = session.situation.steps.length;
      if (after !== undefined && after !== made)
        throw this.refusal(
          'move-not-possible',
          `${made} moves were made, and not ${after}. Read the session again.`,
        );
      return session.move(move);
    });
  }

  undo(moves: number): Promise<SessionView> {
    return this.change(({ session }) => session.undo(moves));
  }

  /** Stops its servers. */
  close(reason: string, state: 'closed' | 'failed' = 'closed'): Promise<void> {
    this.closed ??= this.stop(reason, state);
    return this.closed;
  }

  private async start(): Promise<Opened | undefined> {
    const { strategy: name, buyers, stock, instances = buyers } = this.view.config;
    let explorer: Opened['explorer'] | undefined;
    try {
      explorer = await this.openExplorer(instances, SPARES);
      const strategy = explorer.named(name);
      const session = await explorer.session({
        ...{ strategy, buyers, instances, stock },
        ...{ faults: 'any', allCommands: false },
      });
      if (!this.closed) {
        this.show({ state: 'ready', situation: session.situation });
        this.wait();
      }
      return { explorer, session };
    } catch (error) {
      await this.attempt(() => explorer?.close());
      void this.fail(error);
      return undefined;
    }
  }

  private async change(work: (opened: Opened) => Promise<Situation>): Promise<SessionView> {
    if (this.view.state === 'starting')
      throw this.refusal('session-busy', 'The servers of the session are starting.');
    const opened = this.isOpen && !this.closed ? await this.opened : undefined;
    if (!opened)
      throw this.refusal('session-closed', `The session has ended. ${this.view.reason ?? ''}`.trim());
    if (this.isBusy) throw this.refusal('session-busy', 'Another move is being made.');
    this.isBusy = true;
    clearTimeout(this.idle);
    try {
      this.show({ situation: await work(opened) });
      return this.view;
    } catch (error) {
      if (error instanceof Refusal) throw error;
      if (error instanceof MoveRefused) throw this.refusal('move-not-possible', error.message);
      // The state of the servers is unknown.
      void this.fail(error);
      throw this.refusal('session-closed', `The session has ended. ${this.view.reason ?? ''}`.trim());
    } finally {
      this.isBusy = false;
      this.wait();
    }
  }

  /** A client that forgot its session must not keep servers running. */
  private wait(): void {
    if (!this.isOpen) return;
    clearTimeout(this.idle);
    this.idle = setTimeout(
      () => void this.close(`No move was made for ${IDLE_MS / MINUTE_MS} minutes.`),
      IDLE_MS,
    );
    this.idle.unref();
  }

  private async fail(error: unknown): Promise<void> {
    const known = error instanceof LabError;
    if (!known) this.tell(error);
    await this.close(
      known ? error.message : 'An error happened. The terminal of the lab shows it.',
      'failed',
    );
  }

  private async stop(reason: string, state: 'closed' | 'failed'): Promise<void> {
    clearTimeout(this.idle);
    this.show({ state, reason });
    const opened = await this.opened;
    await this.attempt(() => opened?.session.close());
    await this.attempt(() => opened?.explorer.close());
    this.stopped = true;
    const { id } = this.view;
    this.events.end('end', { id, state, reason });
  }

  /** What fails while servers stop is reported, and the rest is still stopped. */
  private async attempt(work: () => Promise<void> | undefined): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.tell(error);
    }
  }

  private tell(error: unknown): void {
    this.report(`session: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  }

  private show(change: Partial<SessionView>): void {
    this.view = { ...this.view, ...change };
    this.events.set(this.view);
  }

  private refusal(type: 'session-busy' | 'session-closed' | 'move-not-possible', detail: string): Refusal {
    const moves = this.view.situation?.moves.map(({ id }) => id) ?? [];
    return new Refusal(409, type, detail, type === 'move-not-possible' ? { moves } : {});
  }
}
