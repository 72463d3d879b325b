/** One event of a text/event-stream, as a browser would see it. */
export interface StreamedEvent {
  readonly id: number;
  readonly name: string;
  readonly data: unknown;
}

/** Reads a stream until it ends, or until `enough` has been seen. */
export async function readEvents(
  url: string,
  {
    lastEventId,
    enough = () => false,
  }: { lastEventId?: number; enough?: (event: StreamedEvent) => boolean } = {},
): Promise<StreamedEvent[]> {
  const response = await fetch(url, {
    headers: lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) },
  });
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    throw new Error(`${url}: ${response.status} ${await response.text()}`);
  }
  const events: StreamedEvent[] = [];
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const event of blocks.flatMap(parse)) {
      events.push(event);
      // Leaving the loop hangs up.
      if (enough(event)) return events;
    }
  }
  return events;
}

function parse(block: string): StreamedEvent[] {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
  const data = field('data');
  if (data === undefined) return [];
  return [{ id: Number(field('id')), name: field('event') ?? '', data: JSON.parse(data) as unknown }];
}
