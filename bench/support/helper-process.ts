import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type OwnProcess, startProcess } from './own-process.ts'

/** A program of the benchmark (provider, proxy, load generator) in a separate process, controlled over IPC. */
export interface Helper extends OwnProcess {
  /** Port on 127.0.0.1; 0 if it does not listen. */
  readonly port: number
  /** Sends a message and waits for the reply. @throws if the process ends before. */
  ask<Answer>(message: object): Promise<Answer>
}

export async function startHelper(script: URL, args: readonly string[] = [], nodeArgs: readonly string[] = []): Promise<Helper> {
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

/** Runs in the helper process: reports its port, replies to messages, and exits together with its parent. */
export function serveHelper(port: number, answer: (message: never) => Promise<object> = async () => ({})): void {
  process.on('message', async (message) => process.send?.(await answer(message as never)))
  process.once('disconnect', () => process.exit())
  process.send?.({ port })
}
