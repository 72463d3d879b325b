export type EngineState = 'up' | 'down' | 'not-configured';

/** The answer of `/health/live` and `/health/ready`. */
export interface Health {
  readonly status: 'ok' | 'unavailable' | 'shutting-down';
  readonly instance: string;
  readonly engines?: Readonly<Record<string, EngineState>>;
}
