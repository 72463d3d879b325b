import { type ExplorationRecord } from '../../../contract/exploration.js';
import { Refusal } from '../refusal.js';
import { json, type Route } from '../route.js';

/** What the explorer has recorded: all results, and one of them with its counterexample. */
export function explorationRoutes(read: () => readonly ExplorationRecord[]): Route[] {
  return [
    {
      method: 'GET',
      path: '/lab/explorations',
      handle: () =>
        json(
          read().map(({ counterexample, ...result }) => ({
            ...result,
            broken: counterexample !== undefined,
          })),
        ),
    },
    {
      method: 'GET',
      path: '/lab/explorations/:id',
      handle: ({ params }) => {
        const found = read().find(({ id }) => id === params['id']);
        if (!found) throw new Refusal(404, 'no-evidence', 'There is no recorded exploration of that name.');
        return json(found);
      },
    },
  ];
}
