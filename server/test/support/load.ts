/** Runs clients that repeat their work without a pause. The returned function stops them and resolves when all have ended. */
export function startLoad(clients: readonly ((round: number) => Promise<unknown>)[]): () => Promise<void> {
  let isRunning = true
  const ended = clients.map(async (work) => {
    for (let round = 0; isRunning; round++) await work(round)
  })
  return async () => {
    isRunning = false
    await Promise.all(ended)
  }
}
