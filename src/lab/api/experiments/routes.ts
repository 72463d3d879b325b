import { z } from 'zod';
import { checked } from '../checked.js';
import { json, type Route } from '../route.js';
import { type Experiments } from './experiments.js';

const Nothing = z.strictObject({});

/** Experiments: list them, read their evidence, run one and follow its events. */
export function experimentRoutes(experiments: Experiments): Route[] {
  const idOf = (params: Readonly<Record<string, string>>) => params['id'] ?? '';
  return [
    { method: 'GET', path: '/lab/experiments', handle: async () => json(await experiments.list()) },
    { method: 'GET', path: '/lab/matrix', handle: async () => json(await experiments.matrix()) },
    {
      method: 'GET',
      path: '/lab/experiments/:id',
      handle: async ({ params }) => json(await experiments.evidence(idOf(params))),
    },
    {
      method: 'POST',
      path: '/lab/experiments/:id/runs',
      handle: async ({ params, body }) => {
        checked(Nothing, body);
        await experiments.run(idOf(params));
        return json({ id: idOf(params) }, 202);
      },
    },
    {
      method: 'GET',
      path: '/lab/experiments/:id/stream',
      handle: async ({ params }) => ({ events: await experiments.events(idOf(params)) }),
    },
  ];
}
