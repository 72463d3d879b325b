// Two workers choose ports at the same time: each has a range of its own, also for the commands that its tests start.
const WIDTH = 8000;
const from = 15_000 + (Number(process.env['JEST_WORKER_ID'] ?? 1) - 1) * WIDTH;
process.env['LOCKSTOCK_PORTS'] = `${from}-${from + WIDTH}`;
