import { readFile } from 'node:fs/promises'
import { DETECTORS } from '../../domains/classification/detectors.ts'
import { assess } from '../../domains/classification/risk.ts'
import { scan } from '../../domains/classification/scan.ts'
import { parsePolicySet } from '../../domains/policy/parse.ts'
import { testPolicyFile } from '../../domains/policy/policy-test-file.ts'
import type { TestTools } from '../../domains/policy/policy-test-reader.ts'
import { counted } from '../../platform/lib/counted.ts'
import { DEFAULT_SETTINGS } from '../../shared/principal.ts'
import { CommandFailure, type Terminal } from './terminal.ts'

const TOOLS: TestTools = {
  detect: (text) => scan([text], { detectors: DETECTORS, budgetMs: 60_000 }).counts,
  assess: (findings) => assess(findings, { classification: DEFAULT_SETTINGS.default_classification, risk: 'low' }),
}

export async function policyTest({ out }: Terminal, files: readonly string[]): Promise<void> {
  let failed = 0
  for (const file of files) {
    const { ok, lines } = await testPolicyFile(file, TOOLS)
    for (const line of lines) out(line)
    if (!ok) failed += 1
  }
  if (failed > 0) throw new CommandFailure(`${failed} of ${counted(files.length, 'policy document')} failed`)
}

export async function policyCheck({ out }: Terminal, file: string): Promise<void> {
  const source = await readFile(file, 'utf8').catch(({ code }) => {
    throw new CommandFailure(`${file} cannot be read (${code})`)
  })
  const parsed = parsePolicySet(source)
  if (parsed.ok) return out(`${file}: ${parsed.set.name}, ${counted(parsed.set.rules.length, 'rule')}, can be published`)
  for (const { line, column, field, message } of parsed.errors) out(`${file}:${line}:${column}: ${field} ${message}`)
  throw new CommandFailure(`${file} cannot be published`)
}
