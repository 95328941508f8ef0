import { finishUpgrade } from '../db/upgrade-steps.ts'
import type { Terminal } from './terminal.ts'
import { withDatabase } from './with-database.ts'

/** `gatehouse upgrade finish`: for an operator who has stopped the last node of the last release. */
export const upgradeFinish = ({ out, ...terminal }: Terminal): Promise<void> =>
  withDatabase({ out, ...terminal }, async ({ database }) => {
    const started = await finishUpgrade(database.db)
    out(
      started.length === 0
        ? 'the upgrade was finished before'
        : `the upgrade is finished: ${started.join(', ')}. Do not start nodes of the last release any more.`,
    )
  })
