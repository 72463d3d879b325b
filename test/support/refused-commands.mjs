// Runs commands of the compiled lab one after the other, in one process, and prints what each said and its exit code.
// The folder for temporary files does not exist: a command that begins to start servers fails there, with another code.
import { main } from '../../dist/src/lab/main.js';

const STARTED_SERVERS = -1;
const results = [];
let said = '';
process.stderr.write = (text) => {
  said += text;
  return true;
};
for (const [command, ...args] of JSON.parse(process.argv[2])) {
  said = '';
  const code = await main(command, args).catch((error) => {
    said += error.stack;
    return STARTED_SERVERS;
  });
  results.push({ code, said });
}
process.stdout.write(JSON.stringify(results));
process.exit(0);
