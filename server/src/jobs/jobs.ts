import type { Logger } from 'pino'

/** Work that recurs on its own. Every node runs all of it: each job is safe to run at the same time elsewhere. */
export interface Job {
  readonly name: string
  readonly everyMs: number
  readonly run: () => Promise<void>
}

/** Starts the jobs; a job never overlaps itself, and one that fails is logged and comes again. `stop` waits for what runs. */
export function startJobs(jobs: readonly Job[], log: Logger): { stop: () => Promise<void> } {
  const stops = jobs.map((job) => repeat(job, log))
  return {
    stop: async () => {
      await Promise.all(stops.map((stop) => stop()))
    },
  }
}

function repeat({ name, everyMs, run }: Job, log: Logger): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  let stopped = false
  const schedule = () => {
    timer = setTimeout(() => {
      running = run().catch((err: unknown) => log.error({ err, job: name }, 'background job failed'))
      void running.then(() => {
        if (!stopped) schedule()
      })
    }, everyMs)
    timer.unref()
  }
  schedule()
  return async () => {
    stopped = true
    clearTimeout(timer)
    await running
  }
}
