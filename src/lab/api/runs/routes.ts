import { z } from 'zod';
import { checked } from '../checked.js';
import { json, type Route } from '../route.js';
import { RunConfigBody } from './record.js';
import { type Runs } from './runs.js';

const Nothing = z.strictObject({});

/** Load runs: start, watch, stop, read. */
export function runRoutes(runs: Runs): Route[] {
  const idOf = (params: Readonly<Record<string, string>>) => params['id'] ?? '';
  return [
    { method: 'GET', path: '/lab/runs', handle: () => json(runs.list()) },
    {
      method: 'POST',
      path: '/lab/runs',
      handle: async ({ body }) => json({ id: await runs.start(checked(RunConfigBody, body)) }, 201),
    },
    { method: 'GET', path: '/lab/runs/:id', handle: ({ params }) => json(runs.get(idOf(params))) },
    {
      method: 'GET',
      path: '/lab/runs/:id/stream',
      handle: ({ params }) => ({ events: runs.events(idOf(params)) }),
    },
    {
      method: 'POST',
      path: '/lab/runs/:id/stop',
      handle: ({ params, body }) => {
        checked(Nothing, body);
        runs.stop(idOf(params));
        return json({ id: idOf(params) }, 202);
      },
    },
  ];
}
