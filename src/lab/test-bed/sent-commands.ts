import { type Returned, type SentCommand } from '../../checkpoints/checkpoint-protocol.js';
import { withValues } from '../evidence/command-text.js';
import { withScriptName } from '../evidence/package-scripts.js';
import { type Instance } from './instance.js';
import { type Lanes } from './lanes.js';
import { quote, type Recorder } from './recorder.js';

export interface Sender {
  /** Its name in the story. */
  readonly name: string;
  /** Unique among all senders. */
  readonly id: string;
  readonly at: Instance;
}

/** Records the commands of one request, with their answers. */
export class SentCommands {
  constructor(
    private readonly sender: Sender,
    private readonly recorder: Recorder,
    private readonly lanes: Lanes,
  ) {}

  /** The command in one line: its text, and the server it goes to where there are several. */
  record({ id, server, text: raw, values = [], port, source }: SentCommand): string {
    const text = withScriptName(raw.replace(/\s+/g, ' ').trim());
    const lane = this.lanes.of(server, port);
    this.recorder.addActor(lane);
    const step = {
      actor: this.sender.at.name,
      to: lane.id,
      kind: 'query',
      text: `${this.sender.name}: ${withValues(text, values)}`,
      ...(source && { source: quote(source) }),
    } as const;
    this.recorder.command(step, this.sender.id, { id, server, text, values });
    return `${lane.id} ${text}`;
  }

  returned(answer: Returned): void {
    this.recorder.returned(answer, this.sender.id);
  }
}
