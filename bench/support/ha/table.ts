import type { Kept } from './checks.ts'
import type { Outage } from './outage.ts'
import type { Restored } from './restore.ts'

export interface FaultResult extends Outage, Kept {
  readonly name: string
}

/** Formats the results as a Markdown table. */
export function toMarkdown(results: readonly FaultResult[], restored: Restored): string {
  const rows = results.map(({ name, pause, pauseOfOneNode, calls, errors, acknowledged, lost }) =>
    [
      name,
      `${pause.toFixed(1)} s`,
      `${pauseOfOneNode.toFixed(1)} s`,
      showErrors(errors, calls),
      `${lost} of ${acknowledged}`,
    ].join(' | '),
  )
  return [
    '| fault | without an answer, all nodes | the same, one node | errors that callers saw | acknowledged and lost, so far |',
    '|---|---|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
    `| backup, then restored to a point in time |  |  |  | ${restored.lost} of ${restored.acknowledged} |`,
    '',
    `The backup took ${restored.backupSeconds.toFixed(0)} s, the restore ${restored.restoreSeconds.toFixed(0)} s. The ${restored.later} chats after the target time are not in the restored database. \`gatehouse audit verify\` there: ${restored.verified}.`,
  ].join('\n')
}

function showErrors(errors: ReadonlyMap<string, number>, calls: number): string {
  if (errors.size === 0) return `none in ${calls} requests`
  const parts = [...errors].map(([outcome, count]) => `${count} × ${outcome}`)
  return `${parts.join(', ')} in ${calls} requests`
}
