import { createInterface } from 'node:readline';
import { type SessionBuyer, type SessionMove, type Situation } from '../../contract/lab-sessions.js';
import { whenAborted } from '../interruption.js';
import { LabError, UsageError } from '../errors.js';
import { terminal } from '../terminal.js';
import { readLine, type Line } from './console-lines.js';
import { type Explorer } from './explorer.js';
import { commandOf } from './plan-command.js';
import { type ExplorationPlan } from './real-system.js';
import { type Session } from './session.js';
import { commandOf as textOf, Names } from './step-texts.js';
import { stateOf, tellOutcome, tellStep } from './story.js';

const INTERRUPTED = 130;

const HELP = `  a, b, c      the buyer sends its next command; a3 does it three times, "a2 b5 a3" makes several moves
  expire a     the lease of buyer A ends while its process is paused
  crash a      the process of buyer A is killed
  lose a       buyer A sends its next command, and the answer is lost
  undo [N]     repeat the run without the last move, or the last N
  show         the moves made so far, and what is possible
  quit         end (also: end of the input, Ctrl-C)`;

/**
 * `explore --interactive`: the user is the scheduler. On a terminal a refused line changes nothing; in a script it ends
 * the command, because the following lines expect another state.
 */
export async function drive(explorer: Explorer, plan: ExplorationPlan, stop: AbortSignal): Promise<number> {
  if (stop.aborted) return INTERRUPTED;
  const session = await explorer.session(plan);
  const isTerminal = process.stdin.isTTY;
  const input = createInterface({
    input: process.stdin,
    ...(isTerminal && { output: process.stderr, prompt: '> ' }),
  });
  // On a terminal, readline reads Ctrl-C as a key.
  input.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const interrupted = () => stop.aborted;
  void whenAborted(stop).then(() => {
    input.close();
  });
  try {
    const shown = new Display(plan, session);
    shown.all();
    if (isTerminal) terminal.print(HELP);
    input.prompt();
    for await (const text of input) {
      if (interrupted()) break;
      try {
        const line = readLine(text);
        if (line.do === 'quit') break;
        await obey(line, session, shown);
      } catch (error) {
        if (!(error instanceof LabError)) throw error;
        if (!isTerminal) throw new UsageError(`${text.trim()}: ${error.message}`);
        terminal.warn(error.message);
      }
      input.prompt();
    }
    if (!interrupted()) shown.replay();
    return interrupted() ? INTERRUPTED : 0;
  } finally {
    input.close();
    await session.close();
  }
}

async function obey(line: Exclude<Line, { do: 'quit' }>, session: Session, shown: Display): Promise<void> {
  switch (line.do) {
    case 'nothing':
      return;
    case 'help':
      terminal.print(HELP);
      return;
    case 'show':
      shown.all();
      return;
    case 'undo':
      await session.undo(line.moves);
      shown.all();
      return;
    case 'move':
      try {
        for (const move of line.moves) {
          await session.move(move);
          shown.lastStep();
        }
      } finally {
        shown.next();
      }
  }
}

/** What the user sees between two lines. */
class Display {
  private readonly names = new Names();

  constructor(
    private readonly plan: ExplorationPlan,
    private readonly session: Session,
  ) {}

  all(): void {
    const { strategy, buyers, instances, stock } = this.plan;
    const { steps } = this.now;
    terminal.print(
      `${terminal.bold(strategy.name)}: ${buyers} buyers at ${instances} instance${instances === 1 ? '' : 's'}, ${stock} in stock`,
    );
    for (const [index, step] of steps.entries()) terminal.print(tellStep(step, index, this.names).join('\n'));
    this.next();
  }

  lastStep(): void {
    const { steps } = this.now;
    const last = steps.at(-1);
    if (last) terminal.print(tellStep(last, steps.length - 1, this.names).join('\n'));
  }

  next(): void {
    const { buyers, moves, stock, outcome } = this.now;
    if (outcome) {
      terminal.print(tellOutcome(outcome));
      return;
    }
    terminal.print(terminal.dim(`      now: ${stateOf(stock)}`));
    for (const buyer of buyers) this.buyer(buyer, moves);
    for (const move of moves)
      if (move.kind === 'fault') terminal.print(`      ${terminal.bold(move.id)}  ${move.text}`);
  }

  replay(): void {
    const { schedule, outcome } = this.now;
    if (!outcome) terminal.say('The run has not ended, so there is no verdict.');
    if (schedule === '') return;
    terminal.print(`  Replay: ${commandOf(this.plan)} --schedule "${schedule}"`);
  }

  private buyer({ name, doing, told, waitsFor }: SessionBuyer, moves: readonly SessionMove[]): void {
    const own = moves.filter((move) => move.kind === 'step' && move.buyer === name);
    for (const move of own)
      if (move.kind === 'step')
        terminal.print(
          `      ${terminal.bold(move.id)}  next: ${move.server}  ${this.names.of(textOf(move))}`,
        );
    if (own.length > 0) return;
    const waits = waitsFor.map((command) => this.names.of(textOf(command))).join('; ');
    const what = { ...DOING, blocked: `waits in the server: ${waits}`, ended: `was told: ${told ?? ''}` };
    terminal.print(terminal.dim(`      ${name}  ${what[doing]}`));
  }

  private get now(): Situation {
    return this.session.situation;
  }
}

const DOING = {
  held: 'is about to send a command',
  polls: 'would get the same answer again until another buyer changes what it reads',
  idle: 'waits for a message, a pause or a lock inside its instance',
} as const;
