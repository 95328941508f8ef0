import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type OwnProcess, startProcess } from './own-process.ts'

/** One of the benchmark's own programs (provider, proxy, load generator), in a process of its own and talked to over IPC. */
export interface Peer extends OwnProcess {
  /** Where it listens on 127.0.0.1; 0 when it does not. */
  readonly port: number
  /** Sends one message and waits for the one that answers it. @throws when the peer ends instead. */
  ask<Answer>(message: object): Promise<Answer>
}

export async function startPeer(script: URL, args: readonly string[] = [], nodeArgs: readonly string[] = []): Promise<Peer> {
  const own = startProcess(fileURLToPath(script), { args, nodeArgs, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const next = async () => {
    const [message] = await Promise.race([
      once(own.child, 'message'),
      own.ended.then(() => Promise.reject(new Error(`${script.pathname} ended`))),
    ])
    return message
  }
  const { port } = (await next()) as { port: number }
  return {
    ...own,
    port,
    async ask<Answer>(message: object) {
      const answer = next()
      own.child.send(message)
      return (await answer) as Answer
    },
  }
}

/** The peer's side: announces itself, answers one message at a time, and ends with the process that started it. */
export function servePeer(port: number, answer: (message: never) => Promise<object> = async () => ({})): void {
  process.on('message', async (message) => process.send?.(await answer(message as never)))
  process.once('disconnect', () => process.exit())
  process.send?.({ port })
}
