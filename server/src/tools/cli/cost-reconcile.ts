import { readFile } from 'node:fs/promises'
import { usageByDay } from '../../domains/audit/provider-usage.ts'
import {
  type ComparedUsage,
  compareUsage,
  parseUsageExport,
  UsageExportError,
  type UsageField,
} from '../../domains/providers/usage-export.ts'
import { counted } from '../../platform/lib/counted.ts'
import { chooseWorkspaces } from './choose-workspace.ts'
import { CommandFailure, type Terminal } from './terminal.ts'
import { withDatabase } from './with-database.ts'

export const costReconcile = (
  terminal: Terminal,
  file: string,
  { workspace: name, provider, tolerance = '1' }: { workspace?: string; provider?: string; tolerance?: string },
): Promise<void> =>
  withDatabase(terminal, async ({ database: { db } }) => {
    const percent = Number(tolerance)
    if (!(percent >= 0 && percent <= 100)) throw new CommandFailure('--tolerance must be a percentage from 0 to 100')
    const exported = await readExport(file)
    const dates = exported.map(({ date }) => date).toSorted()
    const query = { from: dates.at(0) ?? '', to: dates.at(-1) ?? '', ...(provider !== undefined && { providerId: provider }) }
    const recorded = []
    for (const { id } of await chooseWorkspaces(db, name)) recorded.push(...(await usageByDay(db, id, query)))
    const compared = compareUsage(exported, recorded, percent / 100)
    const different = compared.filter(({ differs }) => differs)
    for (const one of different) terminal.out(describe(one))
    terminal.out(
      `${counted(compared.length, 'figure')} of ${counted(new Set(dates).size, 'day')} compared, ${counted(different.length, 'differs', 'differ')} by more than ${percent} %`,
    )
    if (different.length > 0) throw new CommandFailure('the records and the export differ')
  })

async function readExport(file: string) {
  try {
    return parseUsageExport(await readFile(file, 'utf8'))
  } catch (cause) {
    if (cause instanceof UsageExportError) throw new CommandFailure(`${file}: ${cause.message}`)
    throw new CommandFailure(`${file}: cannot be read (${(cause as NodeJS.ErrnoException).code ?? 'unknown error'})`)
  }
}

const LABELS: Readonly<Record<UsageField, string>> = { inputTokens: 'input tokens', outputTokens: 'output tokens', cost: 'USD' }

function describe({ date, model, field, exported, recorded }: ComparedUsage): string {
  const format = (amount: number) => (field === 'cost' ? amount.toFixed(4) : String(amount))
  const share = exported === 0 ? '' : ` (${(((recorded - exported) / exported) * 100).toFixed(1)} %)`
  return `${date}  ${model || 'all models'}  ${LABELS[field]}: export ${format(exported)}, records ${format(recorded)}${share}`
}
