import type { Context } from '../../src/context.ts'
import { recurringJobs } from '../../src/domains/jobs/recurring-jobs.ts'

export const runRecurringJob = (context: Context, name: string) =>
  recurringJobs(context)
    .find((job) => job.name === name)
    ?.run()
