import { type ChainableCommander, ReplyError } from 'ioredis';

/** How ioredis says that there was no connection to send it on; it has no class or code for it. */
const NEVER_LEFT = /enableOfflineQueue options is false$/;

/** True when Redis surely has not done the command: it refused it itself, or the command never left. */
export function surelyNotDone(error: unknown): boolean {
  if (error instanceof (ReplyError as new () => Error)) return true;
  return error instanceof Error && NEVER_LEFT.test(error.message);
}

/** Sends MULTI … EXEC in one go. The answers of its commands, or null when a watched key had changed. */
export async function execute(commands: ChainableCommander): Promise<unknown[] | null> {
  const answers = await commands.exec();
  if (!answers) return null;
  return answers.map(([error, answer]) => {
    if (error) throw error;
    return answer;
  });
}
