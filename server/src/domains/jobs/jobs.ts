import type { Logger } from 'pino'
import type { Db } from '../../platform/db/database.ts'
import { toId } from '../../platform/lib/id.ts'
import { Loop } from '../../platform/queue/loop.ts'

export const SECOND = 1_000
export const MINUTE: number = 60 * SECOND
export const HOUR: number = 60 * MINUTE
export const DAY: number = 24 * HOUR

/** Work that runs regularly. Every node runs all jobs, so a job may run on several nodes at the same time. */
export interface Job {
  readonly name: string
  /** Only one process of a node runs the job: its work is in the database. Other jobs belong to each process. */
  readonly oncePerNode?: boolean
  readonly everyMs: number
  readonly run: () => Promise<unknown>
}

export const nodeJob = (name: string, everyMs: number, run: Job['run']): Job => ({ name, oncePerNode: true, everyMs, run })

type OnRun = (job: string, succeeded: boolean) => void

/**
 * Starts the jobs. A job never overlaps itself. An error is logged, and the job runs again after its interval. `stop` waits for
 * running jobs. `leads`: whether this process runs the jobs that a node runs once. `onRun`: called after each run.
 */
export function startJobs(
  jobs: readonly Job[],
  { log, leads, onRun }: { readonly log: Logger; readonly leads: boolean; readonly onRun?: OnRun },
): { stop: () => Promise<void> } {
  const stops = jobs.filter(({ oncePerNode }) => leads || !oncePerNode).map((job) => repeat(job, log, onRun))
  return { stop: async () => void (await Promise.all(stops.map((stop) => stop()))) }
}

function repeat({ name, everyMs, run }: Job, log: Logger, onRun?: OnRun): () => Promise<void> {
  const onError = (err: Error) => {
    onRun?.(name, false)
    log.error({ err, job: name }, 'background job failed')
  }
  const loop = new Loop(() => run().then(() => onRun?.(name, true)), { onError })
  // If a job takes longer than its interval, the next run begins at the following interval.
  const timer = setInterval(() => loop.isRunning || loop.wake(), everyMs).unref()
  return () => {
    clearInterval(timer)
    return loop.close()
  }
}

/** Repeats `work`, which handles up to `most` rows and returns how many, until it handles fewer. */
export async function inBatches(most: number, work: (most: number) => Promise<number>): Promise<void> {
  while ((await work(most)) === most);
}

/** Oldest first. */
export async function listWorkspaceIds(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('workspace').select('id').orderBy('id').execute()
  return rows.map(({ id }) => toId('ws', id))
}

/** Runs `work` for each id. An error does not stop the others; errors are thrown at the end. */
export async function runForEach(ids: readonly string[], work: (id: string) => Promise<unknown>): Promise<void> {
  const errors: unknown[] = []
  for (const id of ids) await work(id).catch((error) => errors.push(error))
  if (errors.length > 0)
    throw errors.length === 1 ? errors[0] : new AggregateError(errors, `the job failed for ${errors.length} Workspaces`)
}
