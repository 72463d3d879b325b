import { type ChainableCommander, ReplyError } from 'ioredis';

/** The messages of ioredis for a command that could not be sent; it has no class or code for it. */
const NEVER_LEFT = /enableOfflineQueue options is false$/;

/** True when Redis has certainly not executed the command: it refused it, or the command was not sent. */
export function surelyNotDone(error: unknown): boolean {
  if (error instanceof (ReplyError as new () => Error)) return true;
  return error instanceof Error && NEVER_LEFT.test(error.message);
}

/** Sends MULTI … EXEC together. Resolves with the commands' answers, or null when a watched key had changed. */
export async function execute(commands: ChainableCommander): Promise<unknown[] | null> {
  const answers = await commands.exec();
  if (!answers) return null;
  return answers.map(([error, answer]) => {
    if (error) throw error;
    return answer;
  });
}
