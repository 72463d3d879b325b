import { z } from 'zod';
import { checked } from '../checked.js';
import { json, type Route } from '../route.js';
import { type Sessions } from './sessions.js';

const Nothing = z.strictObject({});
const Config = z.strictObject({
  strategy: z.string().regex(/^[a-z][a-z0-9-]{0,63}$/, 'must be the name of a strategy'),
  buyers: z.int().min(2).max(3).default(2),
  instances: z.int().min(1).max(3).optional(),
  stock: z.int().min(1).max(100).default(1),
});
const Move = z.strictObject({
  move: z
    .string()
    .regex(/^(?:(?:expire|crash|lose) )?[A-Z](?:@[a-z0-9-]{1,30})?$/, 'must be a move such as A or expire A'),
  after: z.int().min(0).max(1000).optional(),
});
const Undo = z.strictObject({ moves: z.int().min(1).max(1000).default(1) });

/** Sessions: open one, see what is possible, make a move, undo, close. */
export function sessionRoutes(sessions: Sessions): Route[] {
  const idOf = (params: Readonly<Record<string, string>>) => params['id'] ?? '';
  return [
    { method: 'GET', path: '/lab/sessions', handle: () => json(sessions.list()) },
    {
      method: 'POST',
      path: '/lab/sessions',
      handle: async ({ body }) => json(await sessions.open(checked(Config, body)), 201),
    },
    { method: 'GET', path: '/lab/sessions/:id', handle: ({ params }) => json(sessions.view(idOf(params))) },
    {
      method: 'GET',
      path: '/lab/sessions/:id/stream',
      handle: ({ params }) => ({ events: sessions.events(idOf(params)) }),
    },
    {
      method: 'POST',
      path: '/lab/sessions/:id/moves',
      handle: async ({ params, body }) => {
        const { move, after } = checked(Move, body);
        return json(await sessions.move(idOf(params), move, after));
      },
    },
    {
      method: 'POST',
      path: '/lab/sessions/:id/undo',
      handle: async ({ params, body }) => {
        const { moves } = checked(Undo, body);
        return json(await sessions.undo(idOf(params), moves));
      },
    },
    {
      method: 'POST',
      path: '/lab/sessions/:id/close',
      handle: async ({ params, body }) => {
        checked(Nothing, body);
        return json(await sessions.close(idOf(params)));
      },
    },
  ];
}
