// Each worker, with the commands that its tests start, has its own range of ports, because workers choose ports at the same
// time. All ranges are below the ports that the system uses for outgoing connections.
const WIDTH = 5600;
const from = 15_000 + (Number(process.env['JEST_WORKER_ID'] ?? 1) - 1) * WIDTH;
process.env['LOCKSTOCK_PORTS'] = `${from}-${from + WIDTH}`;
